#version 460
#extension GL_GOOGLE_include_directive : require
// Reads the alpha of a slice an invocation (RDD 36, 7.1.2); as the CPU's `AlphaCode`.
#include "batch.glsl"
#include "slices.glsl"

layout(local_size_x = 32) in;
// Bits of a coded sample: 8 or 16.
layout(constant_id = 0) const uint codedBits = 16;
// How far samples of 16 bits are shifted down.
layout(constant_id = 1) const uint shift = 0;
layout(push_constant) uniform Constants { Batch batch; };

// Where a slice's samples go.
struct Area {
  Samples samples;
  uint left;
  uint right;
  uint log2Width;
  // Of the first row, from row to row, and rows.
  uint first;
  uint step;
  uint rows;
};

void put(Area area, uint from, uint count, uint value) {
  uint stored = (codedBits == 8 ? value * 257 : value) >> shift;
  for (uint index = from; index < from + count; index++) {
    uint row = index >> area.log2Width;
    uint x = area.left + (index & (1 << area.log2Width) - 1);
    if (row < area.rows && x < area.right) {
      area.samples.at[area.first + row * area.step + x] = uint16_t(stored);
    }
  }
}

bool read(Bits bits, Area area) {
  const uint shortBits = codedBits == 16 ? 7 : 4;
  const uint mask = (1 << codedBits) - 1;
  uint count = 16 << area.log2Width;
  uint value = mask;
  uint index = 0;
  while (index < count && left(bits) > 0) {
    if (bits.high >> 31 == 1) {
      take(batch, bits, 1);
      value += bits.high >> (32 - codedBits);
      take(batch, bits, codedBits);
    } else {
      uint code = bits.high >> (31 - shortBits);
      uint magnitude = code + 2 >> 1;
      value += (code & 1) == 1 ? -magnitude : magnitude;
      take(batch, bits, 1 + shortBits);
    }
    value &= mask;
    uint run = 0;
    bool hasRun = bits.high >> 31 == 1;
    if (index + 1 == count) {
      // Some encoders end with a run of none.
      take(batch, bits, hasRun ? 1 : 0);
    } else if (hasRun) {
      take(batch, bits, 1);
    } else {
      run = bits.high >> 27;
      bool isShort = run > 0;
      if (!isShort) run = bits.high >> 16;
      take(batch, bits, isShort ? 5 : 16);
    }
    if (run > count - index - 1) return false;
    put(area, index, run + 1, value);
    index += run + 1;
  }
  return index == count && isAtSoundEnd(bits);
}

void main() {
  Picture picture = batch.pictures.at[gl_WorkGroupID.y];
  uint index = gl_GlobalInvocationID.x;
  if (index >= picture.sliceCount) return;
  Slice slice = sliceOf(batch, picture, index, true);
  // The other planes tell of a header that is damaged.
  if (!slice.isSound) return;
  uint row = index / picture.slicesAcross;
  Column column = columnOf(batch, picture, index - row * picture.slicesAcross);
  Area area;
  area.samples = batch.frames.at[picture.frame].planes[3];
  area.left = 16 * column.firstMacroblock;
  area.right = batch.width;
  area.log2Width = column.log2Width + 4;
  area.step = picture.rowStep * (batch.pitches[3] >> 1);
  area.first = picture.firstRow * (batch.pitches[3] >> 1) + row * 16 * area.step;
  area.rows = picture.rows > row * 16 ? min(picture.rows - row * 16, 16) : 0;
  if (!read(bitsOf(batch, slice.ends[3], slice.ends[4]), area)) {
    atomicOr(batch.slices.at[picture.firstSlice + index], damagedBit);
  }
}
