// Chooses among samples on both sides of a depth edge: while there is an edge among them they are parted there, and the
// side that the pixel more likely belongs to stays; as the CPU's `SideChooser`. `candidateCount` is defined before, and
// `CANDIDATES` says whether loops over them are worth unrolling.

const uint capacity = 96;

// Disparity, nearness, and nearness times likeness; and the bin.
vec3 candidates[candidateCount];
uint candidateBins[candidateCount];

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
  Chooser chooser;
  chooser.least = least;
  chooser.binsPerUnit = 1 / width;
  chooser.count = min(uint(spread / width) + 1, capacity);
  chooser.edgeGap = max(1u, uint(step / (2 * width)));
  chooser.widestSurface = max(2u, uint(4 * step / width));
  return chooser;
}

void setCandidate(Chooser chooser, uint i, float value, float nearness, float alike) {
  candidates[i] = vec3(value, nearness, nearness * alike);
  candidateBins[i] = min(uint((value - chooser.least) * chooser.binsPerUnit), chooser.count - 1);
}

void setNone(uint i) {
  candidates[i] = vec3(0);
  candidateBins[i] = 0;
}

// The mean of the side that stays, or -1 if there was no sample.
float choose(Chooser chooser) {
  // A bit for each bin that holds something.
  uint taken[3] = uint[3](0, 0, 0);
  CANDIDATES for (uint i = 0; i < candidateCount; i++) {
    if (candidates[i].y > 0) {
      uint bit = 1u << (candidateBins[i] & 31);
      uint word = candidateBins[i] >> 5;
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
      uint bin = candidateBins[i];
      if (bin < lower || bin >= upper) continue;
      if (bin >= place) near += candidates[i].z;
      else far += candidates[i].z;
    }
    if (near > far) lower = place;
    else upper = place;
  }
  float sum = 0;
  float total = 0;
  CANDIDATES for (uint i = 0; i < candidateCount; i++) {
    uint bin = candidateBins[i];
    if (bin < lower || bin >= upper) continue;
    sum += candidates[i].x * candidates[i].y;
    total += candidates[i].y;
  }
  return total > 0 ? sum / total : -1;
}
