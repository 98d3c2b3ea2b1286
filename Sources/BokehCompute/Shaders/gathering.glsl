// Sums what the staged samples of a bin give to an invocation's pixels.

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
      // Most discs cover all of the pixels, or none: a sum for all is cheaper than one each.
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
