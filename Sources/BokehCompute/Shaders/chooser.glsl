// Chooses among samples on both sides of a depth edge: while there is an edge among them they are parted there, and the
// side that the pixel more likely belongs to stays; as the CPU's `SideChooser`. `candidateCount` is defined before, and
// `CANDIDATES` says whether loops over them are worth unrolling.

const uint capacity = 96;

// Nearness, and nearness times likeness, as half floats; and the bins, four in a word. Small, since invocations keep them
// in memory where they are many.
uint candidateWeights[candidateCount];
uint candidateBins[(candidateCount + 3) / 4];

uint binOf(uint i) { return candidateBins[i / 4] >> (8 * (i & 3)) & 0xFF; }

// The candidate's disparity; of those that were set.
float candidateValue(uint i);

struct Chooser {
  float least;
  float binsPerUnit;
  uint count;
  uint edgeGap;
  uint widestSurface;
};

Chooser begin(float step, float least, float most) {
  float spread = most - least;
  float width = max(step / 4, spread / float(capacity - 1));
  CANDIDATES for (uint i = 0; i < candidateCount; i++) candidateWeights[i] = 0;
  CANDIDATES for (uint i = 0; i < (candidateCount + 3) / 4; i++) candidateBins[i] = 0;
  Chooser chooser;
  chooser.least = least;
  chooser.binsPerUnit = 1 / width;
  chooser.count = min(uint(spread / width) + 1, capacity);
  chooser.edgeGap = max(1u, uint(step / (2 * width)));
  chooser.widestSurface = max(2u, uint(4 * step / width));
  return chooser;
}

void setCandidate(Chooser chooser, uint i, float value, float nearness, float alike) {
  candidateWeights[i] = packHalf2x16(vec2(nearness, nearness * alike));
  candidateBins[i / 4] |= min(uint((value - chooser.least) * chooser.binsPerUnit), chooser.count - 1) << (8 * (i & 3));
}

// The mean of the side that stays, or -1 if there was no sample.
float choose(Chooser chooser) {
  // A bit for each bin that holds something.
  uint taken[3] = uint[3](0, 0, 0);
  CANDIDATES for (uint i = 0; i < candidateCount; i++) {
    if (candidateWeights[i] != 0) {
      uint bit = 1u << (binOf(i) & 31);
      uint word = binOf(i) >> 5;
      taken[0] |= word == 0 ? bit : 0;
      taken[1] |= word == 1 ? bit : 0;
      taken[2] |= word == 2 ? bit : 0;
    }
  }
  uint lower = 0;
  uint upper = chooser.count;
  for (uint round = 0; round < capacity; round++) {
    // The side's first and last bin, and the bin after its widest gap.
    uint first = upper;
    uint last = lower;
    uint widest = 0;
    uint place = 0;
    for (uint word = 0; word < 3; word++) {
      uint bits = word == 0 ? taken[0] : word == 1 ? taken[1] : taken[2];
      while (bits != 0) {
        uint bin = word * 32 + uint(findLSB(bits));
        bits &= bits - 1;
        if (bin < lower || bin >= upper) continue;
        if (first == upper) {
          first = bin;
          place = bin;
        } else if (bin - last - 1 > widest) {
          widest = bin - last - 1;
          place = bin;
        }
        last = bin;
      }
    }
    if (first == upper) return -1;
    lower = first;
    upper = last + 1;
    if (widest < chooser.edgeGap) {
      if (upper - lower <= chooser.widestSurface) break;
      place = lower + (upper - lower) / 2;
    }
    float far = 0;
    float near = 0;
    CANDIDATES for (uint i = 0; i < candidateCount; i++) {
      uint bin = binOf(i);
      if (bin < lower || bin >= upper) continue;
      float weight = unpackHalf2x16(candidateWeights[i]).y;
      if (bin >= place) near += weight;
      else far += weight;
    }
    if (near > far) lower = place;
    else upper = place;
  }
  float sum = 0;
  float total = 0;
  CANDIDATES for (uint i = 0; i < candidateCount; i++) {
    uint bin = binOf(i);
    if (bin < lower || bin >= upper || candidateWeights[i] == 0) continue;
    float nearness = unpackHalf2x16(candidateWeights[i]).x;
    sum += candidateValue(i) * nearness;
    total += nearness;
  }
  return total > 0 ? sum / total : -1;
}
