#version 460
#extension GL_GOOGLE_include_directive : require
// Reads the levels of one plane of a slice an invocation (RDD 36, 7.1); as the CPU's `DCLane` and `CoefficientLane`.
#include "batch.glsl"
#include "slices.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint isFullChroma = 0;
layout(constant_id = 1) const uint hasAlpha = 0;
layout(push_constant) uniform Constants { Batch batch; };

// Codebooks in the order of `Codebook`, 4 bits each from the lowest up: the longest prefix of a Rice code, the order of
// Rice codes, and that of exponential ones.
struct Books {
  uint lastPrefixes;
  uint riceOrders;
  uint exponentialOrders;
};
const Books dcBooks = Books(0x011000, 0x322110, 0x433221);
const Books runBooks = Books(0x001012, 0x211000, 0x322111);
const Books levelBooks = Books(0x000212, 0x210000, 0x321112);
// The book after a run of 0 to 7, after one of 8 to 15, and after a level of 1 to 8; the book after larger ones.
const uint runBookAfter[2] = { 0x33321100, 0x54444443 };
const uint levelBookAfter = 0x44443210;
const uint largestBook = 5;
// As `LongCode.mostLength`, and the longest prefix of a DC's code.
const uint mostSize = 31;
const uint mostDCPrefix = 20;

struct Code {
  uint value;
  uint size;
};

uint entry(uint table, uint index) { return table >> (4 * index) & 15; }

// The code that the next bits begin with; one of more than `mostSize` bits is none.
Code nextCode(uint bits, Books books, uint book) {
  uint lastPrefix = entry(books.lastPrefixes, book);
  uint rice = entry(books.riceOrders, book);
  uint exponential = entry(books.exponentialOrders, book);
  uint prefix = zeros(bits);
  bool isExponential = prefix > lastPrefix;
  uint size = isExponential ? exponential - lastPrefix + 2 * prefix : prefix + 1 + rice;
  uint offset = isExponential ? (lastPrefix + 1 << rice) - (1 << exponential) : prefix - 1 << rice;
  return Code((bits >> (32 - min(size, mostSize))) + offset, size);
}

// A DC's code may be longer: its zeros are taken first.
uint takeDC(inout Bits bits, uint lastPrefix, uint rice, uint exponential, inout bool isSound) {
  uint prefix = zeros(bits.high);
  isSound = isSound && prefix <= mostDCPrefix;
  prefix = min(prefix, mostDCPrefix);
  take(batch, bits, prefix);
  bool isExponential = prefix > lastPrefix;
  uint size = isExponential ? exponential - lastPrefix + prefix : 1 + rice;
  uint offset = isExponential ? (lastPrefix + 1 << rice) - (1 << exponential) : prefix - 1 << rice;
  uint value = (bits.high >> (32 - size)) + offset;
  take(batch, bits, size);
  return value;
}

// False where a code is none.
bool readDCs(inout Bits bits, Numbers dcs, uint firstBlock, uint count) {
  bool isSound = true;
  uint code = takeDC(bits, 0, 5, 6, isSound);
  int value = int(code >> 1) ^ -int(code & 1);
  dcs.at[firstBlock] = value;
  code = 5;
  int sign = 0;
  for (uint block = 1; block < count; block++) {
    uint book = min(code, largestBook);
    code = takeDC(
      bits, entry(dcBooks.lastPrefixes, book), entry(dcBooks.riceOrders, book), entry(dcBooks.exponentialOrders, book),
      isSound);
    sign = code == 0 ? 0 : sign ^ -int(code & 1);
    value += (int(code + 1 >> 1) ^ sign) - sign;
    dcs.at[firstBlock + block] = value;
  }
  return isSound && left(bits) >= 0;
}

// False where the data does not end where it must.
bool readLevels(inout Bits bits, Samples levels, uint firstBlock, uint log2Blocks) {
  uint limit = 64 << log2Blocks;
  uint position = (1 << log2Blocks) - 1;
  uint runBook = 2;
  uint levelBook = 1;
  while (position < limit) {
    Code run = nextCode(bits.high, runBooks, runBook);
    if (run.size > mostSize) return isAtSoundEnd(bits);
    Bits before = bits;
    take(batch, bits, run.size);
    Code level = nextCode(bits.high, levelBooks, levelBook);
    if (level.size > mostSize) return isAtSoundEnd(before);
    take(batch, bits, level.size);
    bool isNegative = bits.high >> 31 == 1;
    take(batch, bits, 1);
    position += run.value + 1;
    if (position >= limit) return false;
    int magnitude = int(min(level.value + 1, 32767));
    levels.at[64 * firstBlock + position] = uint16_t(isNegative ? -magnitude : magnitude);
    runBook = run.value < 16 ? entry(runBookAfter[run.value >> 3], run.value & 7) : largestBook;
    levelBook = level.value < 8 ? entry(levelBookAfter, level.value) : largestBook;
  }
  return false;
}

void main() {
  uint plane = gl_WorkGroupID.y;
  Picture picture = batch.pictures.at[gl_WorkGroupID.z];
  uint index = gl_GlobalInvocationID.x;
  if (index >= picture.sliceCount) return;
  Slice slice = sliceOf(batch, picture, index, hasAlpha != 0);
  bool isSound = slice.isSound;
  if (isSound) {
    uint row = index / picture.slicesAcross;
    Column column = columnOf(batch, picture, index - row * picture.slicesAcross);
    uint log2Blocks = plane == 0 || isFullChroma != 0 ? 2 : 1;
    uint firstBlock =
      picture.firstMacroblock + row * batch.macroblocksAcross + column.firstMacroblock << log2Blocks;
    Bits bits = bitsOf(batch, slice.ends[plane], slice.ends[plane + 1]);
    log2Blocks += column.log2Width;
    isSound = readDCs(bits, batch.dcs[plane], firstBlock, 1 << log2Blocks)
      && readLevels(bits, batch.levels[plane], firstBlock, log2Blocks);
  }
  uint told = (isSound ? 0 : damagedBit) | (plane == 0 && isSound ? slice.quantiserScale : 0);
  if (told != 0) atomicOr(batch.slices.at[picture.firstSlice + index], told);
}
