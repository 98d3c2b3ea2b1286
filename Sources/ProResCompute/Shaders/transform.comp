#version 460
#extension GL_GOOGLE_include_directive : require
// Makes the samples of a slice's luma, or of its chroma (RDD 36, 7.4 and 7.5): levels in their places, columns, rows; as
// the CPU's `PlaneTransform`. What is damaged becomes grey and opaque.
#include "batch.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 0) const uint isFullChroma = 0;
layout(constant_id = 1) const uint hasAlpha = 0;
layout(push_constant) uniform Constants { Batch batch; };

const uint mostBlocks = 32;
// Odd, so that neighbours lie in different banks.
const uint stride = 65;
// Rows of coefficients; then transformed columns.
shared float values[mostBlocks * stride];
// What the DC adds to all samples of a block.
shared int bases[mostBlocks];

// What is known of the slice. Of halved chroma, the blocks of Cb are followed by those of Cr.
struct Slice {
  Picture picture;
  uint row;
  Column column;
  bool isDamaged;
  uint quantiserScale;
  uint firstPlane;
  uint log2Blocks;
  uint planes;
  // Blocks of the plane before it.
  uint firstBlock;
};

// A block of the slice, in its plane.
struct Place {
  uint plane;
  uint index;
};

Slice sliceOf() {
  Slice slice;
  slice.picture = batch.pictures.at[gl_WorkGroupID.z];
  slice.row = gl_WorkGroupID.x / slice.picture.slicesAcross;
  slice.column = columnOf(batch, slice.picture, gl_WorkGroupID.x - slice.row * slice.picture.slicesAcross);
  uint told = batch.slices.at[slice.picture.firstSlice + gl_WorkGroupID.x];
  slice.isDamaged = (told & damagedBit) != 0;
  slice.quantiserScale = told & ~damagedBit;
  slice.firstPlane = gl_WorkGroupID.y;
  bool isHalved = slice.firstPlane > 0 && isFullChroma == 0;
  slice.planes = isHalved ? 2 : 1;
  slice.log2Blocks = slice.column.log2Width + (isHalved ? 1 : 2);
  uint macroblock =
    slice.picture.firstMacroblock + slice.row * batch.macroblocksAcross + slice.column.firstMacroblock;
  slice.firstBlock = macroblock << (isHalved ? 1 : 2);
  return slice;
}

Place placeOf(Slice slice, uint block) {
  return Place(slice.firstPlane + (block >> slice.log2Blocks), block & (1 << slice.log2Blocks) - 1);
}

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

// An exact integer, and a fraction: single precision is then enough for 16 bits.
int dcOf(Slice slice, Place place, out float fraction) {
  int factor = int(batch.frames.at[slice.picture.frame].dcWeights[min(place.plane, 1)] * slice.quantiserScale);
  if (batch.depth > 15) factor <<= 1;
  int upper;
  int lower;
  imulExtended(batch.dcs[place.plane].at[slice.firstBlock + place.index], factor, upper, lower);
  const int most = 1 << 28;
  int product = upper != lower >> 31 ? (upper < 0 ? -most : most) : clamp(lower, -most, most);
  int shift = batch.depth < 15 ? int(15 - batch.depth) : 0;
  fraction = float(product & (1 << shift) - 1) / float(1 << shift);
  return product >> shift;
}

void readDC(Slice slice, uint block) {
  float fraction;
  bases[block] = dcOf(slice, placeOf(slice, block), fraction);
  // Halves go up, as in a block that has only a DC.
  values[block * stride] = fraction + (batch.depth < 15 ? 1.0 / 8192 : 0);
}

// Puts eight levels where they belong; DCs are coded apart.
void readEight(Slice slice, uint eight) {
  uint log2Eights = slice.log2Blocks + 3;
  uint plane = slice.firstPlane + (eight >> log2Eights);
  uint part = eight >> log2Eights << slice.log2Blocks;
  uint first = eight & (1 << log2Eights) - 1;
  uvec4 levels = Eights(batch.levels[plane]).at[slice.firstBlock * 8 + first];
  for (uint index = 0; index < 8; index++) {
    uint position = first * 8 + index;
    uint scanned = position >> slice.log2Blocks;
    if (scanned == 0) continue;
    int level = int(levels[index >> 1] << (16 - 16 * (index & 1))) >> 16;
    uint place = batch.scan[scanned];
    float weight =
      batch.frames.at[slice.picture.frame].weights[min(plane, 1)][place] * float(slice.quantiserScale);
    uint block = part + (position & (1 << slice.log2Blocks) - 1);
    values[block * stride + (place & 7) * 8 + (place >> 3)] = float(level) * weight;
  }
}

void transformColumn(uint block, uint u) {
  float v[8];
  for (uint row = 0; row < 8; row++) v[row] = values[block * stride + row * 8 + u];
  transformEight(v);
  for (uint row = 0; row < 8; row++) values[block * stride + row * 8 + u] = v[row];
}

uvec4 samplesOf(uint block, uint row) {
  float v[8];
  for (uint u = 0; u < 8; u++) v[u] = values[block * stride + row * 8 + u];
  transformEight(v);
  ivec4 even = ivec4(0);
  ivec4 odd = ivec4(0);
  for (uint pair = 0; pair < 4; pair++) {
    even[pair] = int(roundEven(clamp(v[2 * pair], -4e6, 4e6)));
    odd[pair] = int(roundEven(clamp(v[2 * pair + 1], -4e6, 4e6)));
  }
  int base = (1 << batch.depth - 1) + bases[block];
  int most = (1 << batch.depth) - 1;
  return uvec4(clamp(even + base, 0, most)) | uvec4(clamp(odd + base, 0, most)) << 16;
}

// A macroblock's blocks of luma are counted in rows, those of chroma in columns.
uvec2 placeInSlice(Place place) {
  uint index = place.index;
  if (place.plane == 0) return uvec2((index >> 2 << 1) + (index & 1), index >> 1 & 1);
  return uvec2(index >> 1, index & 1);
}

void writeRow(Slice slice, uint block, uint row) {
  Place place = placeOf(slice, block);
  bool isFull = place.plane == 0 || isFullChroma != 0;
  uvec2 at = placeInSlice(place) + uvec2(slice.column.firstMacroblock << (isFull ? 1 : 0), 2 * slice.row);
  uint fieldRow = 8 * at.y + row;
  uint width = isFull ? batch.width : batch.width + 1 >> 1;
  // What lies below the picture, or to its right, is read by nobody.
  if (fieldRow >= slice.picture.rows || 8 * at.x >= width) return;
  uint y = slice.picture.firstRow + fieldRow * slice.picture.rowStep;
  uint middle = 1 << batch.depth - 1;
  uvec4 samples = slice.isDamaged ? uvec4(middle | middle << 16) : samplesOf(block, row);
  Frame frame = batch.frames.at[slice.picture.frame];
  Eights(frame.planes[place.plane]).at[y * (batch.pitches[place.plane] >> 4) + at.x] = samples;
  if (hasAlpha != 0 && place.plane == 0 && slice.isDamaged) {
    uint most = (1 << batch.depth) - 1;
    Eights(frame.planes[3]).at[y * (batch.pitches[3] >> 4) + at.x] = uvec4(most | most << 16);
  }
}

void main() {
  if (gl_WorkGroupID.x >= batch.pictures.at[gl_WorkGroupID.z].sliceCount) return;
  Slice slice = sliceOf();
  uint blocks = slice.planes << slice.log2Blocks;
  uint local = gl_LocalInvocationIndex;
  if (local < blocks) readDC(slice, local);
  if (local < 8 * blocks) readEight(slice, local);
  barrier();
  if (local < 8 * blocks) transformColumn(local >> 3, local & 7);
  barrier();
  // Neighbouring invocations write neighbouring blocks of a row.
  uint block = local % mostBlocks;
  if (block < blocks) writeRow(slice, block, local / mostBlocks);
}
