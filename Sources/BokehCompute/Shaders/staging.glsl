// Brings the samples that may reach a tile to shared memory; `fill.comp` defines what they are kept in.

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

// Where a tap lies: across maybe beyond the picture, up and down where its mirror image is.
vec2 placeOf(uvec2 cell, int widest) {
  ivec2 at = ivec2(gl_WorkGroupID.xy * uvec2(tileWidth, tileHeight) + cell) - widest;
  ivec2 most = ivec2(frame.levels[place(level)].width, frame.levels[place(level)].height) - 1;
  return vec2(at.x, mirrored(at, most).y);
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
  // Sixteen columns of as many rows at a time.
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
