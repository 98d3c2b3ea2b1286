#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Scatter and fill by tiles: each pixel gathers, bin by bin from near to far, the discs that reach it, and fills its
// aperture with them; as the CPU's `BinRow`, `BinSums` and `FillStage`.
#include "frame.glsl"
#include "resolutions.glsl"
#include "marks.glsl"

layout(constant_id = 0) const uint bins = 8;
// What comes out.
layout(constant_id = 1) const uint kind = 0;
layout(constant_id = 2) const uint isLinear = 0;
layout(constant_id = 3) const uint isHidden = 0;
// The curve that brings HDR to SDR, 0 for none, and whether light is a scene's.
layout(constant_id = 4) const uint tone = 0;
layout(constant_id = 5) const uint isSceneLight = 0;
layout(push_constant) uniform Constants { Frame frame; uint level; };

// The picture, a lower resolution's layers, or all bins of the layer behind near objects in one.
const uint kindPicture = 0;
const uint kindLayers = 1;
const uint kindWhole = 2;
// The layers of half resolution, and its picture.
const uint kindHalf = 3;

uint place(uint level) { return isHidden != 0 ? hiddenLevels + level : level; }

// Whether pixels on depth edges have two parts.
layout(constant_id = 6) const uint splits = 0;
// Whether the frame starts at half resolution: of full resolution marked blocks are known.
layout(constant_id = 7) const uint startsAtHalf = 0;
// What discs look like: 0 for plain round ones.
layout(constant_id = 8) const uint look = 0;
#include "tones.glsl"
#include "shapes.glsl"

const uint slotCount = 4;
// Pixels that an invocation fills, side by side; even.
const uint run = 2;
const uint threads = tileWidth / run * tileHeight;
layout(local_size_x = tileWidth / run, local_size_y = tileHeight) in;
// A row of taps. What a tile needs of shared memory decides how many a device works on at a time, and so how well it hides
// waiting for memory: two are nearly twice as fast as one.
const uint stride = tileWidth + 2 * mostRadius + 1;
const uint rowCount = tileHeight + 2 * mostRadius;
const uint widthCount = mostIndex + 1;
// Keeps light that is divided by the area of a large disc among the half floats with all their digits.
const float areaScale = 128;

// A sample of each tap: its radius here and its bin.
shared uint tapKeys[stride * rowCount];
// For each bin the taps that have a sample of it, a bit each, two words a row.
shared uvec2 taps[bins * rowCount];
shared uint redGreen[stride * rowCount];
shared uint blueWeight[stride * rowCount];
shared uint rowMost[rowCount];
shared uint reach[16];
shared uint isFilled;
shared uint coarserFilled;
shared uint hiddenFilled;
shared uint sharedBins;

struct Pixel {
  vec4 light;
  float weight;
};

// Neighbours of one surface differ by no more than this, in steps of the radius.
const int mostStep = 32;
// Rests of the aperture below this may be gaps between discs of one surface.
const float tolerance = 0.12;

float openPart(float free) {
  float share = min(free * (1 / tolerance), 1);
  return free * share * share;
}

vec4 take(vec4 light, vec4 layer) {
  if (layer.w <= leastWeight || light.w >= 1) return light;
  float free = openPart(1 - light.w);
  return light + (layer.w <= free ? layer : layer * (free / layer.w));
}

uint coarserBin(bool isNear) { return isNear ? frame.circle.nearBin[level + 1] : frame.circle.farBin[level + 1]; }

// Whether a tile of a lower resolution, that one of four which this one's enlargement reads, holds anything.
bool isCoarserFilled(uint coarser, uint halvings, uint i) {
  ivec2 first = ivec2(gl_WorkGroupID.xy * uvec2(tileWidth, tileHeight) >> halvings) - 1;
  ivec2 last = first + (ivec2(tileWidth, tileHeight) >> int(halvings)) + 1;
  ivec2 corner = ivec2((i & 1) == 0 ? first.x : last.x, (i & 2) == 0 ? first.y : last.y);
  ivec2 most = ivec2(frame.levels[coarser].width, frame.levels[coarser].height) - 1;
  uvec2 tile = uvec2(clamp(corner, ivec2(0), most)) / uvec2(tileWidth, tileHeight);
  return Tiles(frame.levels[coarser].tiles).at[tile.y * frame.levels[coarser].tilesX + tile.x].isFilled != 0;
}

// The largest reach of each bin in this tile and those around it.
void collectReach() {
  uint i = gl_LocalInvocationIndex;
  if (i < 16) reach[i] = 0;
  if (i == 16) isFilled = 0;
  if (i == 17) coarserFilled = 0;
  if (i == 18) hiddenFilled = 0;
  if (i == 19) sharedBins = 0;
  barrier();
  uvec2 tiles = uvec2(frame.levels[place(level)].tilesX, frame.levels[place(level)].tilesY);
  if (i < 9) {
    ivec2 tile = ivec2(gl_WorkGroupID.xy) + ivec2(i % 3, i / 3) - 1;
    if (all(greaterThanEqual(tile, ivec2(0))) && all(lessThan(tile, ivec2(tiles)))) {
      uint number = tile.y * tiles.x + tile.x;
      uvec4 packed = Tiles(frame.levels[place(level)].tiles).at[number].reach;
      if (splits != 0) atomicOr(sharedBins, Tiles(frame.levels[place(level)].tiles).at[number].sharedBins);
      for (uint bin = 0; bin < bins; bin++) {
        uint value = packed[bin / 4] >> (8 * (bin % 4)) & 0xFF;
        if (value > reach[bin]) atomicMax(reach[bin], value);
      }
    }
  }
  if (i >= 32 && i < 36 && level < frame.circle.coarsest && isCoarserFilled(place(level + 1), 1, i)) {
    atomicOr(coarserFilled, 1);
  }
  if (i >= 36 && i < 40 && (kind == kindPicture || kind == kindHalf) && frame.circle.hiddenFilled != 0
    && isCoarserFilled(hiddenLevels + frame.hiddenLevel, frame.hiddenLevel - level, i)) {
    atomicOr(hiddenFilled, 1);
  }
  barrier();
}

// The largest reach of all bins, and 1; 0 where none reaches the tile.
int widestReach() {
  uint most = 0;
  for (uint bin = 0; bin < bins; bin++) most = max(most, reach[bin]);
  return int(most);
}

uvec2 lightOf(uint number) { return startsAtHalf != 0 ? frame.detail.at[number] : frame.linear.at[number]; }

// The key of a pixel of full resolution, that of a sharp one where full resolution does not draw it.
uint keyAt(uint number) {
  if (startsAtHalf != 0) {
    uint width = frame.levels[0].width;
    if (!isMarked(markedKey(frame, ivec2(number % width, number / width) >> 1), drawnBit)) return 0;
  }
  return frame.levels[0].keys.at[number];
}

// The place that is seen where both borders are mirrors.
ivec2 mirrored(ivec2 at, ivec2 most) {
  ivec2 seen = mix(at, 2 * most + 1 - at, greaterThan(at, most));
  return mix(seen, -1 - at, lessThan(at, ivec2(0)));
}

// A tap's pixel or block, or -1 where even the mirrored picture has none.
int numberOf(ivec2 cell, int widest) {
  ivec2 most = ivec2(frame.levels[place(level)].width, frame.levels[place(level)].height) - 1;
  ivec2 at = mirrored(ivec2(gl_WorkGroupID.xy * uvec2(tileWidth, tileHeight)) - widest + cell, most);
  return all(greaterThanEqual(at, ivec2(0))) && all(lessThanEqual(at, most)) ? at.y * (most.x + 1) + at.x : -1;
}

bool isNear(uint bin) { return bin < frame.circle.nearBins; }

// Where a tap lies, which may be beyond the picture.
vec2 placeOf(uvec2 cell, int widest) {
  return vec2(gl_WorkGroupID.xy * uvec2(tileWidth, tileHeight)) - float(widest) + vec2(cell);
}

vec2 levelSize() { return vec2(frame.levels[place(level)].width, frame.levels[place(level)].height); }

// The bins that have samples in reach, and those that have some in taps with a nearer one.
shared uint present;
shared uint extras;

// Whether a sample is drawn here and reaches the tile, which is `away` pixels from its tap by row or by column.
bool isInReach(uint key, uint away, uint coarsest) {
  return passed(frame, level, keyIndex(key), coarsest) < 1 && reachOf(frame, reducedIndex(frame, keyIndex(key), level)) >= away;
}

void setBit(uint place, uint column) {
  if (column < 32) atomicOr(taps[place].x, 1u << column);
  else atomicOr(taps[place].y, 1u << (column - 32));
}

// Puts a sample where `gather` finds it; `color` is that of a whole one.
void put(uint row, uint column, uint key, int widest, uint coarsest, vec4 color) {
  uint index = clamp(reducedIndex(frame, keyIndex(key), level), 1u, mostIndex);
  // Divided by the disc's area here, once.
  float inverse = frame.halfWidths.at[(mostRadius + 1) * widthCount + index];
  if (look == lookCut) {
    inverse = inverseCutArea(index, isNear(keyBin(key)), rimShift(placeOf(uvec2(column, row), widest), levelSize()));
  }
  float share = 1 - passed(frame, level, keyIndex(key), coarsest);
  uvec2 bits = pack(color * (share * inverse * areaScale));
  uint cell = row * stride + column;
  tapKeys[cell] = makeKey(index, keyBin(key));
  redGreen[cell] = bits.x;
  blueWeight[cell] = bits.y;
  atomicMax(rowMost[row], index);
}

void putPart(uint row, uint column, uint number, bool isFar, uint key, int widest, uint coarsest) {
  uvec4 colors = frame.partColors.at[number];
  put(row, column, key, widest, coarsest, unpack(isFar ? colors.zw : colors.xy));
}

void putSlot(uint row, uint column, uint number, uint slot, uint key, int widest, uint coarsest) {
  uint count = frame.levels[place(level)].width * frame.levels[place(level)].height;
  put(row, column, key, widest, coarsest, unpack(Halfs(frame.levels[place(level)].colors).at[slot * count + number]));
}

// Notes a sample that is in reach.
void note(uint bin, uint row, uint column, bool isExtra) {
  if ((present & 1u << bin) == 0) atomicOr(present, 1u << bin);
  if (isExtra) atomicOr(extras, 1u << bin);
  setBit(bin * rowCount + row, column);
}

// Of a divided pixel the part of the nearer bin; of one bin, the near part.
bool isFarFirst(uvec2 keys) { return keyBin(keys.y) < keyBin(keys.x); }

void stagePixel(uint row, uint column, uint number, uint away, int widest, uint coarsest) {
  uint key = keyAt(number);
  if (splits == 0 || !isSplit(key)) {
    if (isSharp(key) || !isInReach(key, away, coarsest)) return;
    note(keyBin(key), row, column, false);
    put(row, column, key, widest, coarsest, vec4(unpack(lightOf(number)).rgb, 1));
    return;
  }
  uvec2 keys = frame.partKeys.at[number];
  bool isFar = isFarFirst(keys);
  if (isFar) keys = keys.yx;
  bool isFirst = isInReach(keys.x, away, coarsest);
  if (isFirst) {
    note(keyBin(keys.x), row, column, false);
    putPart(row, column, number, isFar, keys.x, widest, coarsest);
  }
  // The second of one bin has a pass of its own.
  if (keyBin(keys.x) == keyBin(keys.y) || !isInReach(keys.y, away, coarsest)) return;
  note(keyBin(keys.y), row, column, isFirst);
  if (!isFirst) putPart(row, column, number, !isFar, keys.y, widest, coarsest);
}

void stageBlock(uint row, uint column, uint number, uint away, int widest, uint coarsest) {
  uvec4 keys = Keys(frame.levels[place(level)].keys).at[number];
  bool isFirst = true;
  [[unroll]] for (uint slot = 0; slot < slotCount; slot++) {
    if (keys[slot] == 0 || !isInReach(keys[slot], away, coarsest)) continue;
    note(keyBin(keys[slot]), row, column, !isFirst);
    if (isFirst) putSlot(row, column, number, slot, keys[slot], widest, coarsest);
    isFirst = false;
  }
}

// Brings the nearest sample of each tap that may reach the tile to shared memory, and finds the bins of all; taps are at
// most `widest` pixels away.
void stage(int widest, uint coarsest) {
  for (uint i = gl_LocalInvocationIndex; i < bins * rowCount; i += threads) taps[i] = uvec2(0);
  for (uint i = gl_LocalInvocationIndex; i < rowCount; i += threads) rowMost[i] = 0;
  if (gl_LocalInvocationIndex == 0) present = 0;
  if (gl_LocalInvocationIndex == 1) extras = 0;
  barrier();
  uint wide = tileWidth + 2 * widest;
  uint high = tileHeight + 2 * widest;
  // Sixteen columns of eight rows at a time.
  for (uint row = gl_LocalInvocationIndex / 16; row < high; row += threads / 16) {
    for (uint column = gl_LocalInvocationIndex % 16; column < wide; column += 16) {
      int number = numberOf(ivec2(column, row), widest);
      if (number < 0) continue;
      ivec2 before = widest - ivec2(column, row);
      ivec2 beyond = -before - ivec2(tileWidth, tileHeight) + 1;
      uint away = uint(max(max(max(before.x, beyond.x), max(before.y, beyond.y)), 0));
      if (kind == kindPicture) stagePixel(row, column, uint(number), away, widest, coarsest);
      else stageBlock(row, column, uint(number), away, widest, coarsest);
    }
  }
  barrier();
}

// Puts a bin's samples of taps that have a nearer one in its place, which has been gathered.
void stageExtras(uint bin, int widest, uint coarsest) {
  barrier();
  uint wide = tileWidth + 2 * widest;
  uint high = tileHeight + 2 * widest;
  for (uint row = gl_LocalInvocationIndex / 16; row < high; row += threads / 16) {
    uvec2 bits = taps[bin * rowCount + row];
    if ((bits.x | bits.y) == 0) continue;
    for (uint column = gl_LocalInvocationIndex % 16; column < wide; column += 16) {
      uint bit = column < 32 ? bits.x >> column : bits.y >> (column - 32);
      if ((bit & 1) == 0 || keyBin(tapKeys[row * stride + column]) == bin) continue;
      uint number = uint(numberOf(ivec2(column, row), widest));
      if (kind == kindPicture) {
        uvec2 keys = frame.partKeys.at[number];
        bool isFar = !isFarFirst(keys);
        putPart(row, column, number, isFar, isFar ? keys.y : keys.x, widest, coarsest);
        continue;
      }
      uvec4 keys = Keys(frame.levels[place(level)].keys).at[number];
      [[unroll]] for (uint slot = 1; slot < slotCount; slot++) {
        if (keys[slot] != 0 && keyBin(keys[slot]) == bin) putSlot(row, column, number, slot, keys[slot], widest, coarsest);
      }
    }
  }
  barrier();
}

// The same of the second parts of pixels that are divided in one bin.
void stageSeconds(uint bin, int widest, uint coarsest) {
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < rowCount; i += threads) taps[bin * rowCount + i] = uvec2(0);
  barrier();
  uint wide = tileWidth + 2 * widest;
  uint high = tileHeight + 2 * widest;
  for (uint row = gl_LocalInvocationIndex / 16; row < high; row += threads / 16) {
    for (uint column = gl_LocalInvocationIndex % 16; column < wide; column += 16) {
      int number = numberOf(ivec2(column, row), widest);
      if (number < 0 || !isSplit(keyAt(uint(number)))) continue;
      uvec2 keys = frame.partKeys.at[number];
      if (keyBin(keys.x) != bin || keyBin(keys.y) != bin || !isInReach(keys.y, 0, coarsest)) continue;
      setBit(bin * rowCount + row, column);
      putPart(row, column, uint(number), true, keys.y, widest, coarsest);
    }
  }
  barrier();
}

// The staged taps of a bin in a row that may reach an invocation's pixels, the one at `firstColumn` in the first bit.
uint stagedTaps(uint bin, uint row, uint firstColumn, int radius) {
  uvec2 all = taps[bin * rowCount + row];
  uint bits = firstColumn < 32 ? all.x >> firstColumn : 0;
  if (firstColumn > 0) bits |= firstColumn < 32 ? all.y << (32 - firstColumn) : all.y >> (firstColumn - 32);
  return bits & ((1u << (run + 2 * radius)) - 1);
}

// Adds what the staged taps of a bin give to each of the invocation's pixels, times `areaScale`.
void gather(uint bin, int radius, int widest, inout vec4 sums[run]) {
  vec4 whole = vec4(0);
  uint window = (1u << (run + 2 * radius)) - 1;
  uint firstRow = gl_LocalInvocationID.y + uint(widest);
  uint firstColumn = gl_LocalInvocationID.x * run + uint(widest - radius);
  for (int dy = -radius; dy <= radius; dy++) {
    uint row = firstRow + dy;
    int distance = abs(dy);
    if (int(rowMost[row]) < max(32 * distance - 15, 1)) continue;
    uint bits = stagedTaps(bin, row, firstColumn, radius);
    uint cell = row * stride + firstColumn;
    uint widths = uint(distance) * widthCount;
    // Of the window only what the row's largest disc reaches.
    int unreached = max(radius - int(ceil(frame.halfWidths.at[widths + rowMost[row]] - 0.5)), 0);
    bits &= window >> unreached & window << unreached;
    while (bits != 0) {
      int tap = findLSB(bits);
      bits &= bits - 1;
      float halfWidth = frame.halfWidths.at[widths + keyIndex(tapKeys[cell + tap])];
      if (halfWidth <= 0) continue;
      vec4 color = unpack(uvec2(redGreen[cell + tap], blueWeight[cell + tap]));
      float offset = float(tap - radius);
      // Most discs cover all of the pixels, or none: a sum for all is cheaper than four.
      if (halfWidth - 0.5 >= max(abs(offset), abs(offset - float(run - 1)))) {
        whole += color;
        continue;
      }
      float most = min(1, 2 * halfWidth);
      [[unroll]] for (uint p = 0; p < run; p++) {
        float covered = clamp(halfWidth + 0.5 - abs(offset - float(p)), 0, most);
        sums[p] += color * covered;
      }
    }
  }
  [[unroll]] for (uint p = 0; p < run; p++) sums[p] += whole;
}

// The same of discs that are not plain round ones.
void gatherShaped(uint bin, int radius, int widest, inout vec4 sums[run]) {
  uint firstRow = gl_LocalInvocationID.y + uint(widest);
  uint firstColumn = gl_LocalInvocationID.x * run + uint(widest - radius);
  for (int dy = -radius; dy <= radius; dy++) {
    uint row = firstRow + dy;
    if (rowMost[row] == 0 || int(reachOf(frame, rowMost[row])) < abs(dy)) continue;
    uint bits = stagedTaps(bin, row, firstColumn, radius);
    while (bits != 0) {
      int tap = findLSB(bits);
      bits &= bits - 1;
      uint cell = row * stride + firstColumn + tap;
      vec2 shift = look == lookCut ? rimShift(placeOf(uvec2(firstColumn + tap, row), widest), levelSize()) : vec2(0);
      vec2 ends = discEnds(keyIndex(tapKeys[cell]), -dy, isNear(bin), shift) + float(tap - radius);
      if (ends.x >= ends.y) continue;
      vec4 color = unpack(uvec2(redGreen[cell], blueWeight[cell]));
      [[unroll]] for (uint p = 0; p < run; p++) {
        sums[p] += color * clamp(min(ends.y, float(p) + 0.5) - max(ends.x, float(p) - 0.5), 0, 1);
      }
    }
  }
}

void gatherAny(uint bin, int radius, int widest, inout vec4 sums[run]) {
  if (look == 0) gather(bin, radius, widest, sums);
  else gatherShaped(bin, radius, widest, sums);
}

// A row of pixels of a plane of half the resolution.
void enlarge(Words plane, uint x, uint y, out vec4 values[run]) {
  Halfs halfs = Halfs(plane);
  ivec2 size = (ivec2(frame.levels[place(level)].width, frame.levels[place(level)].height) + 1) / 2;
  int near = clamp(int(y >> 1), 0, size.y - 1);
  int other = clamp(int(y >> 1) + ((y & 1) == 0 ? -1 : 1), 0, size.y - 1);
  vec4 columns[run / 2 + 2];
  [[unroll]] for (int i = 0; i < int(run) / 2 + 2; i++) {
    int column = clamp(int(x >> 1) + i - 1, 0, size.x - 1);
    columns[i] = unpack(halfs.at[near * size.x + column]) * 0.75 + unpack(halfs.at[other * size.x + column]) * 0.25;
  }
  [[unroll]] for (int p = 0; p < int(run); p++) {
    values[p] = columns[1 + p / 2] * 0.75 + columns[p / 2 + 2 * (p & 1)] * 0.25;
  }
}

void takeCoarser(Words plane, uint x, uint y, inout Pixel pixels[run]) {
  vec4 values[run];
  enlarge(plane, x, y, values);
  [[unroll]] for (uint p = 0; p < run; p++) {
    pixels[p].light = take(pixels[p].light, values[p]);
    pixels[p].weight += values[p].w;
  }
}

// The same of what lies farther than all bins, which half resolution's picture takes too.
void takeBack(uint x, uint y, inout Pixel pixels[run], inout vec4 wholes[run]) {
  vec4 values[run];
  enlarge(frame.levels[place(level + 1)].back, x, y, values);
  [[unroll]] for (uint p = 0; p < run; p++) {
    pixels[p].light = take(pixels[p].light, values[p]);
    pixels[p].weight += values[p].w;
    if (kind == kindHalf) wholes[p] = take(wholes[p], values[p]);
  }
}

vec4 hiddenAt(uint x, uint y) {
  uint hiddenPlace = hiddenLevels + frame.hiddenLevel;
  ivec2 last = ivec2(frame.levels[hiddenPlace].width, frame.levels[hiddenPlace].height) - 1;
  vec2 at = (vec2(x, y) + 0.5) / float(1u << (frame.hiddenLevel - level)) - 0.5;
  ivec2 first = ivec2(floor(at));
  vec2 part = at - vec2(first);
  ivec2 low = clamp(first, ivec2(0), last);
  ivec2 high = clamp(first + 1, ivec2(0), last);
  int stride = last.x + 1;
  vec4 top = mix(unpack(frame.hidden.at[low.y * stride + low.x]), unpack(frame.hidden.at[low.y * stride + high.x]), part.x);
  vec4 bottom =
    mix(unpack(frame.hidden.at[high.y * stride + low.x]), unpack(frame.hidden.at[high.y * stride + high.x]), part.x);
  return mix(top, bottom, part.y);
}

// What lies behind gets what all else leaves over.
void takeHidden(uint x, uint y, inout vec4 lights[run]) {
  bool isOpen = false;
  [[unroll]] for (uint p = 0; p < run; p++) isOpen = isOpen || lights[p].w < 1;
  if (!isOpen) return;
  [[unroll]] for (uint p = 0; p < run; p++) lights[p] = take(lights[p], hiddenAt(x + p, y));
}

void addCoarser(Words plane, uint x, uint y, inout vec4 sums[run]) {
  vec4 values[run];
  enlarge(plane, x, y, values);
  [[unroll]] for (uint p = 0; p < run; p++) sums[p] += values[p];
}

vec4 encode(vec4 light) {
  if (tone != 0) return vec4(mapped(frame, light.rgb), light.a);
  if (isLinear != 0) return light;
  return vec4(
    octave(frame.signal, frame.signalSlopeAtZero, light.r), octave(frame.signal, frame.signalSlopeAtZero, light.g),
    octave(frame.signal, frame.signalSlopeAtZero, light.b), light.a);
}

// Whether full resolution looks at a pixel of half.
bool isRead(uint x, uint y) { return kind != kindHalf || isMarked(markedKey(frame, ivec2(x, y)), readBit); }

void writeLayers(Words plane, uint x, uint y, Pixel pixels[run]) {
  uint width = frame.levels[place(level)].width;
  [[unroll]] for (uint p = 0; p < run; p++) {
    if (x + p < width && isRead(x + p, y)) Halfs(plane).at[y * width + x + p] = pack(pixels[p].light);
  }
}

void writeSums(Words plane, uint x, uint y, vec4 sums[run]) {
  uint width = frame.levels[place(level)].width;
  [[unroll]] for (uint p = 0; p < run; p++) {
    if (x + p < width && isRead(x + p, y)) Halfs(plane).at[y * width + x + p] = pack(sums[p]);
  }
}

void writePicture(uint x, uint y, Pixel pixels[run], uint keys[run]) {
  uint flags = 0;
  [[unroll]] for (uint p = 0; p < run; p++) {
    if (x + p >= frame.levels[0].width) continue;
    uint number = y * frame.levels[0].width + x + p;
    vec4 own = unpack(lightOf(number));
    bool isUntouched = isSharp(keys[p]) && pixels[p].weight < leastWeight;
    vec4 light = pixels[p].light;
    vec4 result = isUntouched || light.w <= 1e-3 ? own : vec4(light.rgb / light.w, own.a);
    if (isUntouched) flags |= 1u << p;
    frame.picture.at[number] = pack(encode(result));
  }
  frame.untouched.at[y * frame.untouchedPitch + x / run] = flags;
}

// Half resolution's picture; `wholes` is the light of all layers.
void writeHalf(uint x, uint y, vec4 wholes[run]) {
  [[unroll]] for (uint p = 0; p < run; p++) {
    if (x + p >= frame.width) continue;
    uint number = y * frame.width + x + p;
    vec4 own = unpack(frame.linear.at[number]);
    frame.halfPicture.at[number] = pack(encode(wholes[p].w <= 1e-3 ? own : vec4(wholes[p].rgb / wholes[p].w, own.a)));
  }
}

// Whether any of an invocation's pixels of full resolution is shown.
bool isAnyShown(uint x, uint y) {
  ivec2 block = ivec2(x, y) / 2;
  ivec2 next = ivec2(min(uint(block.x) + 1, frame.levels[1].width - 1), block.y);
  return isMarked(markedKey(frame, block) | markedKey(frame, next), shownBit);
}

// In steps, negative for what lies beyond the focus.
int signedRadius(uint key) { return isNear(keyBin(key)) ? int(keyIndex(key)) : -int(keyIndex(key)); }

// Whether the pixels around are of the same surface; as the CPU's `Surface`.
bool isUnbroken(uint x, uint y, uint key) {
  ivec2 most = ivec2(frame.levels[0].width, frame.levels[0].height) - 1;
  for (int row = max(int(y) - 1, 0); row <= min(int(y) + 1, most.y); row++) {
    for (int column = max(int(x) - 1, 0); column <= min(int(x) + 1, most.x); column++) {
      uint other = frame.levels[0].keys.at[row * (most.x + 1) + column];
      if (isSplit(other) || abs(signedRadius(other) - signedRadius(key)) > mostStep) return false;
    }
  }
  return true;
}

// Closes the gap that a pixel of next to no blur leaves where its surface goes on.
vec4 closed(vec4 light, uint x, uint y, uint key) {
  if (light.w >= 1 || isSharp(key) || isSplit(key) || keyIndex(key) > tightIndex || !isUnbroken(x, y, key)) return light;
  vec4 own = vec4(unpack(lightOf(y * frame.levels[0].width + x)).rgb, 1);
  return light + own * (1 - light.w);
}

const bool makesLayers = kind == kindLayers || kind == kindHalf;

void main() {
  if (isHidden != 0 && frame.circle.hiddenFilled == 0) return;
  if (kind == kindPicture && startsAtHalf != 0
    && Tiles(frame.levels[0].tiles).at[gl_WorkGroupID.y * frame.levels[0].tilesX + gl_WorkGroupID.x].isShown == 0) return;
  collectReach();
  uint x = gl_WorkGroupID.x * tileWidth + gl_LocalInvocationID.x * run;
  uint y = gl_WorkGroupID.y * tileHeight + gl_LocalInvocationID.y;
  uvec2 size = uvec2(frame.levels[place(level)].width, frame.levels[place(level)].height);
  bool isInside = x < size.x && y < size.y;
  if (kind == kindPicture && startsAtHalf != 0) isInside = isInside && isAnyShown(x, y);
  uint coarsest = frame.circle.coarsest;
  bool hasCoarser = coarserFilled != 0;
  uint coarserNear = hasCoarser ? coarserBin(true) : bins;
  uint coarserFar = hasCoarser ? coarserBin(false) : bins;
  uint ownNear = !makesLayers ? 0 : frame.circle.nearBin[level];
  uint ownFar = !makesLayers ? 0 : frame.circle.farBin[level];
  uint sharpBins = kind != kindPicture ? 0
    : Tiles(frame.levels[0].tiles).at[gl_WorkGroupID.y * frame.levels[0].tilesX + gl_WorkGroupID.x].sharpBins;

  uint keys[run];
  Pixel pixels[run];
  [[unroll]] for (uint p = 0; p < run; p++) {
    keys[p] = kind == kindPicture && isInside ? frame.levels[0].keys.at[y * size.x + min(x + p, size.x - 1)] : 0;
    pixels[p] = Pixel(vec4(0), 0);
  }
  if (hasCoarser && isInside) takeCoarser(frame.levels[place(level + 1)].front, x, y, pixels);
  vec4 wholes[run];
  [[unroll]] for (uint p = 0; p < run; p++) wholes[p] = pixels[p].light;

  if (kind == kindPicture && !hasCoarser && widestReach() == 0) {
    // Everything is in focus here, and nothing else reaches in.
    if (isInside) writePicture(x, y, pixels, keys);
    return;
  }
  int widest = widestReach() - 1;
  if (widest >= 0) {
    stage(widest, coarsest);
  }
  for (uint bin = 0; bin < bins; bin++) {
    bool isReached = reach[bin] > 0 && ((present | sharedBins) & 1u << bin) != 0;
    bool isCoarser = bin == coarserNear || bin == coarserFar;
    bool isOwn = makesLayers && (bin == ownNear || bin == ownFar);
    if (!isReached && !isCoarser && !isOwn && (sharpBins & 1u << bin) == 0) continue;
    vec4 sums[run];
    [[unroll]] for (uint p = 0; p < run; p++) sums[p] = vec4(0);
    if (isReached) {
      int radius = int(reach[bin]) - 1;
      if ((extras & 1u << bin) != 0) stageExtras(bin, widest, coarsest);
      if (isInside) gatherAny(bin, radius, widest, sums);
      if (splits != 0 && (sharedBins & 1u << bin) != 0) {
        stageSeconds(bin, widest, coarsest);
        if (isInside) gatherAny(bin, radius, widest, sums);
      }
      [[unroll]] for (uint p = 0; p < run; p++) sums[p] *= 1 / areaScale;
    }
    if (isCoarser && isInside) {
      if (bin == coarserNear) addCoarser(frame.levels[place(level + 1)].near, x, y, sums);
      if (bin == coarserFar) addCoarser(frame.levels[place(level + 1)].far, x, y, sums);
    }
    if (kind == kindHalf) {
      [[unroll]] for (uint p = 0; p < run; p++) wholes[p] = take(wholes[p], sums[p]);
    }
    if (makesLayers) {
      // What is nearer than these resolutions' bins, and what is farther, is filled here; the two bins go on as sums.
      if (bin == ownNear && isInside) {
        writeLayers(frame.levels[place(level)].front, x, y, pixels);
        writeSums(frame.levels[place(level)].near, x, y, sums);
      }
      if (bin == ownFar && isInside) writeSums(frame.levels[place(level)].far, x, y, sums);
      if (bin == ownNear || bin == ownFar) {
        [[unroll]] for (uint p = 0; p < run; p++) {
          pixels[p].weight += sums[p].w;
          pixels[p].light = vec4(0);
          sums[p] = vec4(0);
        }
      }
      if (bin > ownNear && bin < ownFar) continue;
    }
    [[unroll]] for (uint p = 0; p < run; p++) {
      pixels[p].weight += sums[p].w;
      if (kind == kindPicture && isSharp(keys[p]) && keyBin(keys[p]) == bin && (sharpBins & 1u << bin) != 0) {
        sums[p] += vec4(unpack(lightOf(y * size.x + min(x + p, size.x - 1))).rgb, 1);
      }
      pixels[p].light = take(pixels[p].light, sums[p]);
      if (kind == kindPicture && keyBin(keys[p]) == bin && isInside && x + p < size.x) {
        pixels[p].light = closed(pixels[p].light, x + p, y, keys[p]);
      }
    }
  }
  if (hasCoarser && isInside) takeBack(x, y, pixels, wholes);

  if (kind == kindPicture) {
    if (hiddenFilled != 0 && isInside) {
      vec4 lights[run];
      [[unroll]] for (uint p = 0; p < run; p++) lights[p] = pixels[p].light;
      takeHidden(x, y, lights);
      [[unroll]] for (uint p = 0; p < run; p++) pixels[p].light = lights[p];
    }
    if (isInside) writePicture(x, y, pixels, keys);
    return;
  }
  if (kind == kindHalf && isInside) {
    if (hiddenFilled != 0) takeHidden(x, y, wholes);
    writeHalf(x, y, wholes);
  }
  if (isInside) {
    if (kind == kindWhole) writeLayers(Words(frame.hidden), x, y, pixels);
    else writeLayers(frame.levels[place(level)].back, x, y, pixels);
    float weight = 0;
    [[unroll]] for (uint p = 0; p < run; p++) weight += pixels[p].weight;
    if (weight > 0) atomicOr(isFilled, 1);
  }
  barrier();
  if (gl_LocalInvocationIndex == 0 && isFilled != 0) {
    Tiles(frame.levels[place(level)].tiles).at[gl_WorkGroupID.y * frame.levels[place(level)].tilesX + gl_WorkGroupID.x].isFilled = 1;
  }
}
