#version 460
#extension GL_GOOGLE_include_directive : require
// Makes samples of 32 neighbouring blocks of a plane (RDD 36, 7.4 and 7.5): a column of a block an invocation, then a row;
// as the CPU's `PlaneTransform`. What is damaged becomes grey and opaque.
#include "batch.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 0) const uint isFullChroma = 0;
layout(constant_id = 1) const uint hasAlpha = 0;
layout(push_constant) uniform Constants { Batch batch; };

const uint blocks = 32;
// Odd, so that neighbours lie in different banks.
const uint stride = 65;
shared float values[blocks * stride];
// What the DC adds to all samples, and whether the block's slice is damaged.
shared int bases[blocks];
shared bool isDamaged[blocks];

// After Arai, Agui and Nakajima.
void transformEight(inout float v[8]) {
  float sum = v[0] + v[4];
  float difference = v[0] - v[4];
  float pair = v[2] + v[6];
  float turned = (v[2] - v[6]) * 1.41421356237 - pair;
  float a = v[1] + v[7];
  float c = v[1] - v[7];
  float b = v[5] + v[3];
  float d = v[5] - v[3];
  float odd0 = a + b;
  float odd1 = c * 1.84775906502 - d * 0.76536686473 - odd0;
  float odd2 = (a - b) * 1.41421356237 - odd1;
  float odd3 = c * 0.76536686473 + d * 1.84775906502 - odd2;
  v[0] = sum + pair + odd0;
  v[7] = sum + pair - odd0;
  v[1] = difference + turned + odd1;
  v[6] = difference + turned - odd1;
  v[2] = difference - turned + odd2;
  v[5] = difference - turned - odd2;
  v[3] = sum - pair + odd3;
  v[4] = sum - pair - odd3;
}

struct Place {
  uint plane;
  Picture picture;
  // In blocks.
  uint x;
  uint y;
};

// A macroblock's blocks of luma are counted in rows, those of chroma in columns.
uint blockIndex(Place place) {
  uint log2Across = place.plane == 0 || isFullChroma != 0 ? 1 : 0;
  uint macroblock =
    place.picture.firstMacroblock + (place.y >> 1) * batch.macroblocksAcross + (place.x >> log2Across);
  uint right = place.x & log2Across;
  uint lower = place.y & 1;
  return (macroblock << 1 + log2Across) + (place.plane == 0 ? 2 * lower + right : 2 * right + lower);
}

// An exact integer, and a fraction: single precision is then enough for 16 bits.
int dcOf(Place place, uint block, uint scale, out float fraction) {
  int factor = int(batch.frames.at[place.picture.frame].dcWeights[min(place.plane, 1)] * scale);
  if (batch.depth > 15) factor <<= 1;
  int upper;
  int lower;
  imulExtended(batch.dcs[place.plane].at[block], factor, upper, lower);
  const int most = 1 << 28;
  int product = upper != lower >> 31 ? (upper < 0 ? -most : most) : clamp(lower, -most, most);
  int shift = batch.depth < 15 ? int(15 - batch.depth) : 0;
  fraction = float(product & (1 << shift) - 1) / float(1 << shift);
  return product >> shift;
}

void readColumn(Place place, uint local, uint u) {
  uint log2Across = place.plane == 0 || isFullChroma != 0 ? 1 : 0;
  uint across = sliceAt(batch, place.picture, place.x >> log2Across);
  uint slice = place.picture.firstSlice + (place.y >> 1) * place.picture.slicesAcross + across;
  uint told = batch.slices.at[slice];
  bool isLost = (told & damagedBit) != 0;
  uint scale = told & ~damagedBit;
  uint block = blockIndex(place);
  uvec4 levels = Eights(batch.levels[place.plane]).at[block * 8 + u];
  float v[8];
  for (uint pair = 0; pair < 4; pair++) {
    for (uint part = 0; part < 2; part++) {
      int level = int(levels[pair] << (16 - 16 * part)) >> 16;
      uint index = 2 * pair + part;
      float weight = batch.frames.at[place.picture.frame].weights[min(place.plane, 1)][u * 8 + index];
      v[index] = float(level) * (weight * float(scale));
    }
  }
  if (u == 0) {
    float fraction;
    bases[local] = dcOf(place, block, scale, fraction);
    isDamaged[local] = isLost;
    // Halves go up, as in a block that has only a DC.
    v[0] = fraction + (batch.depth < 15 ? 1.0 / 8192 : 0);
  }
  transformEight(v);
  for (uint row = 0; row < 8; row++) values[local * stride + row * 8 + u] = v[row];
}

uvec4 packed(ivec4 even, ivec4 odd) { return uvec4(even) | uvec4(odd) << 16; }

void writeRow(Place place, uint local, uint row) {
  uint fieldRow = 8 * place.y + row;
  if (fieldRow >= place.picture.rows) return;
  float v[8];
  for (uint u = 0; u < 8; u++) v[u] = values[local * stride + row * 8 + u];
  transformEight(v);
  int middle = 1 << (batch.depth - 1);
  int most = (1 << batch.depth) - 1;
  int base = middle + bases[local];
  ivec4 even = ivec4(0);
  ivec4 odd = ivec4(0);
  for (uint pair = 0; pair < 4; pair++) {
    even[pair] = int(roundEven(clamp(v[2 * pair], -4e6, 4e6)));
    odd[pair] = int(roundEven(clamp(v[2 * pair + 1], -4e6, 4e6)));
  }
  even = clamp(even + base, 0, most);
  odd = clamp(odd + base, 0, most);
  if (isDamaged[local]) even = odd = ivec4(middle);
  uint y = place.picture.firstRow + fieldRow * place.picture.rowStep;
  Frame frame = batch.frames.at[place.picture.frame];
  Eights(frame.planes[place.plane]).at[y * (batch.pitches[place.plane] >> 4) + place.x] = packed(even, odd);
  if (hasAlpha != 0 && place.plane == 0 && isDamaged[local]) {
    Eights(frame.planes[3]).at[y * (batch.pitches[3] >> 4) + place.x] = uvec4(most | most << 16);
  }
}

void main() {
  Place place;
  place.plane = gl_WorkGroupID.z % 3;
  place.picture = batch.pictures.at[gl_WorkGroupID.z / 3];
  place.y = gl_WorkGroupID.y;
  uint width = place.plane == 0 || isFullChroma != 0 ? batch.width : batch.width + 1 >> 1;
  uint across = width + 7 >> 3;
  uint first = gl_WorkGroupID.x * blocks;
  // Blocks below the picture are read by nobody.
  if (first >= across || 8 * place.y >= place.picture.rows) return;
  place.x = first + gl_LocalInvocationIndex / 8;
  if (place.x < across) readColumn(place, gl_LocalInvocationIndex / 8, gl_LocalInvocationIndex % 8);
  barrier();
  uint local = gl_LocalInvocationIndex % blocks;
  place.x = first + local;
  if (place.x < across) writeRow(place, local, gl_LocalInvocationIndex / blocks);
}
