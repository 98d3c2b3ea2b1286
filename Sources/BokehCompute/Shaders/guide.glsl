// Colours as guides of disparity; as the CPU's `GuideStage` and `Likeness`.

// A colour of linear light in steps that look about even.
vec3 guideColor(vec3 light) { return sqrt(clamp(light, 0, 1.5)); }

// How alike two colours are, from `leastLikeness` to 1.
const float leastLikeness = 0.03;

float likeness(vec3 a, vec3 b) {
  vec3 difference = a - b;
  float distance = dot(difference, difference) * (1 / (2 * 0.08 * 0.08));
  float base = 1 / (1 + distance * 0.25);
  float square = base * base;
  return leastLikeness + (1 - leastLikeness) * square * square;
}
