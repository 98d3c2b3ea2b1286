// Gives clipped highlights more light where they are blurred; as the CPU's `HighlightRecovery`.
const float highlightThreshold = 0.8;
const float highlightHalfRadius = 2.5;
const uint highlightCells = 12;

// The brightness around a place, 0…1 in each direction.
float surroundingBrightness(Frame frame, vec2 place) {
  vec2 at = max(place * float(highlightCells) - 0.5, 0);
  uvec2 first = min(uvec2(at), highlightCells - 1);
  uvec2 second = min(first + 1, highlightCells - 1);
  vec2 part = at - vec2(first);
  Floats cells = frame.surroundings;
  float upper =
    mix(cells.at[first.y * highlightCells + first.x], cells.at[first.y * highlightCells + second.x], part.x);
  float lower =
    mix(cells.at[second.y * highlightCells + first.x], cells.at[second.y * highlightCells + second.x], part.x);
  return mix(upper, lower, part.y);
}

// The light of pixel `at` of a picture of `size`.
vec4 recovered(Frame frame, vec4 light, uint index, uvec2 at, uvec2 size) {
  float most = max(light.r, max(light.g, light.b));
  if (index <= sharpIndex || most <= highlightThreshold) return light;
  float bright = surroundingBrightness(frame, (vec2(at) + 0.5) / vec2(size));
  float dark = (1 - bright) * (1 - bright);
  float way = min((most - highlightThreshold) / (1 - highlightThreshold), 1);
  float blur = float(index - sharpIndex) / stepsPerPixel;
  float halfBlur = highlightHalfRadius - 0.5;
  float share = way * way * (blur * blur / (blur * blur + halfBlur * halfBlur)) * dark * dark;
  return vec4(light.rgb * (1 + frame.highlights * share), light.a);
}
