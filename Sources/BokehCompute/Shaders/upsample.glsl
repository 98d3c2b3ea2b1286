// The disparity of a place between samples: linear where they are alike, else the value of one side of the edge, which the
// linear value and the pixel's colour tell; as the CPU's `GuidedUpsampler`. `frame` is defined before.

// The least share of a blurred near side in a pixel that goes with it.
const float blurredShare = 0.35;

uint number(ivec2 place) { return uint(place.y) * frame.sampleWidth + uint(place.x); }

float sampleAt(ivec2 place) { return frame.refined.at[number(place)]; }

ivec2 following(Cell cell) { return min(cell.at + 1, ivec2(frame.sampleWidth, frame.sampleHeight) - 1); }

float linear(Cell cell) {
  ivec2 next = following(cell);
  float top = mix(sampleAt(cell.at), sampleAt(ivec2(next.x, cell.at.y)), cell.part.x);
  float bottom = mix(sampleAt(ivec2(cell.at.x, next.y)), sampleAt(next), cell.part.x);
  return mix(top, bottom, cell.part.y);
}

vec3 linear(Cell cell, Halfs plane) {
  ivec2 next = following(cell);
  vec3 top = mix(
    unpack(plane.at[number(cell.at)]).rgb, unpack(plane.at[number(ivec2(next.x, cell.at.y))]).rgb, cell.part.x);
  vec3 bottom =
    mix(unpack(plane.at[number(ivec2(cell.at.x, next.y))]).rgb, unpack(plane.at[number(next)]).rgb, cell.part.x);
  return mix(top, bottom, cell.part.y);
}

// The value of the side on which a pixel lies.
float side(Cell cell, vec3 color) {
  ivec2 end = ivec2(frame.sampleWidth, frame.sampleHeight) - 1;
  // The samples around the cell; at the border the last ones again.
  float values[16];
  float least = 3e38;
  float most = -3e38;
  [[unroll]] for (int i = 0; i < 16; i++) {
    values[i] = sampleAt(clamp(cell.at + ivec2(i % 4, i / 4) - 1, ivec2(0), end));
    least = min(least, values[i]);
    most = max(most, values[i]);
  }
  float spread = most - least;
  float plain = linear(cell);
  if (!(spread > frame.circle.step)) return plain;
  float expected = plain + dot(linear(cell, frame.slopes), color - linear(cell, frame.guide));
  bool isNearBlurred = most - frame.focus > abs(frame.focus - least);
  bool isNear = expected - least > spread * (isNearBlurred ? blurredShare : 0.5);
  float sum = 0;
  float total = 0;
  [[unroll]] for (int i = 0; i < 16; i++) {
    ivec2 step = ivec2(i % 4, i / 4) - 1;
    ivec2 place = cell.at + step;
    if (place != clamp(place, ivec2(0), end)) continue;
    float near = (values[i] - least) / spread;
    vec2 offset = vec2(step) - cell.part;
    // Falls to nothing where samples enter and leave the window.
    vec2 fall = max(1 - offset * offset * 0.25, 0);
    float own = isNear ? near : 1 - near;
    float weight = fall.x * fall.y * own * own * own * own;
    sum += values[i] * weight;
    total += weight;
  }
  return total > 1e-6 ? sum / total : isNear ? most : least;
}

float upsampled(Cell cell, vec3 light) { return isNearEdge(frame, cell) ? side(cell, guideColor(light)) : linear(cell); }
