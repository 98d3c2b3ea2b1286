// Collects what a group's tile holds.
shared uint tileReach[16];
shared uint tileSharpBins;
shared uint tileSharedBins;

void clearTile() {
  uint i = gl_LocalInvocationIndex;
  if (i < 16) tileReach[i] = 0;
  if (i == 16) tileSharpBins = 0;
  if (i == 17) tileSharedBins = 0;
  barrier();
}

void addReach(uint bin, uint reach) {
  if (tileReach[bin] <= reach) atomicMax(tileReach[bin], reach + 1);
}

void addSharp(uint bin) {
  if ((tileSharpBins & 1u << bin) == 0) atomicOr(tileSharpBins, 1u << bin);
}

void addShared(uint bin) { atomicOr(tileSharedBins, 1u << bin); }

uint packReach(uint i) {
  return tileReach[i] | tileReach[i + 1] << 8 | tileReach[i + 2] << 16 | tileReach[i + 3] << 24;
}

void writeTile(Tiles tiles, uint number) {
  barrier();
  if (gl_LocalInvocationIndex != 0) return;
  tiles.at[number].reach = uvec4(packReach(0), packReach(4), packReach(8), packReach(12));
  tiles.at[number].sharpBins = tileSharpBins;
  tiles.at[number].isFilled = 0;
  tiles.at[number].sharedBins = tileSharedBins;
}
