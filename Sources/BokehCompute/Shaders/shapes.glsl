// Discs that are not plain round ones; as the CPU's `DiscSpans` and `LensRim`. `frame`, `level` and `look` are defined
// before.

// Discs are of an aperture's form; and cut off by a lens's rim besides.
const uint lookShaped = 1;
const uint lookCut = 2;

// The rim's shift in radii, for a sample at `at` of a resolution of so many pixels.
vec2 rimShift(vec2 at, vec2 size) {
  vec2 shift = ((size - 1) / 2 - at) * (2 * frame.vignetting / length(size));
  float square = dot(shift, shift);
  return square > 1 ? shift / sqrt(square) : shift;
}

// The ends of a whole disc's span in the row `dy` below its centre, seen from there.
vec2 wholeEnds(uint index, int dy, bool isNear) {
  vec2 ends = frame.spans.at[uint((isNear ? -dy : dy) + int(mostRadius)) * (mostIndex + 1) + index];
  return isNear ? -ends.yx : ends;
}

// The same at any height.
vec2 wholeEndsAt(uint index, float height, bool isNear) {
  float upper = floor(height);
  if (abs(upper) > float(mostRadius)) return vec2(0);
  vec2 above = wholeEnds(index, int(upper), isNear);
  vec2 below = int(upper) == int(mostRadius) ? above.xx * 0.5 + above.yy * 0.5 : wholeEnds(index, int(upper) + 1, isNear);
  return mix(above, below, height - upper);
}

// Half the length of the rim's span at a distance from its centre.
float rimHalfWidth(float distance, uint index) {
  uint stretched = min(uint(float(index) * frame.stretch + 0.5), mostIndex);
  uint row = uint(distance);
  if (row > mostRadius) return 0;
  float near = frame.halfWidths.at[row * (mostIndex + 1) + stretched];
  float far = row == mostRadius ? 0 : frame.halfWidths.at[(row + 1) * (mostIndex + 1) + stretched];
  return mix(near, far, distance - float(row));
}

// The ends of what is seen of a disc in the row `dy` below its centre.
vec2 discEnds(uint index, int dy, bool isNear, vec2 shift) {
  if (look != lookCut || index <= sharpIndex) return wholeEnds(index, dy, isNear);
  float single = float(sharpIndex) / float(index);
  shift *= float(index) * (frame.stretch / stepsPerPixel) * (1 - single * single) * (isNear ? -0.5 : 0.5);
  vec2 ends = wholeEndsAt(index, float(dy) + shift.y, isNear) - shift.x;
  float wide = rimHalfWidth(abs(float(dy) - shift.y), index);
  return vec2(max(ends.x, shift.x - wide), min(ends.y, shift.x + wide));
}

// 1 / the area of a disc that is cut, as its spans add up to it.
float inverseCutArea(uint index, bool isNear, vec2 shift) {
  int reach = min(int(reachOf(frame, index)), int(mostRadius));
  float area = 0;
  for (int dy = -reach; dy <= reach; dy++) {
    vec2 ends = discEnds(index, dy, isNear, shift);
    area += max(ends.y - ends.x, 0);
  }
  return 1 / area;
}
