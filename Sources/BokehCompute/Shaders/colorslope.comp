#version 460
#extension GL_GOOGLE_include_directive : require
// How disparity goes with colour around a sample near a depth edge, and wide ramps brought to where the picture has their
// edge; as the CPU's `ColorSlope`.
#include "frame.glsl"

layout(local_size_x = 16, local_size_y = 8) in;
// Whether the slopes of the refined samples are wanted, in place of the refined samples.
layout(constant_id = 0) const uint isSlopes = 0;
layout(constant_id = 1) const int reach = 3;
layout(push_constant) uniform Constants { Frame frame; };

// Variances of colour below this (square roots of light) say nothing.
const float leastVariance = 0.0005;

struct Fit {
  vec3 slope;
  vec3 color;
  float disparity;
  float least;
  float most;
};

ivec2 size() { return ivec2(frame.sampleWidth, frame.sampleHeight); }

float sampleAt(int x, int y) {
  uint i = uint(y) * frame.sampleWidth + uint(x);
  return isSlopes != 0 ? frame.refined.at[i] : frame.samples.at[i];
}

vec3 guideAt(int x, int y) { return unpack(frame.guide.at[uint(y) * frame.sampleWidth + uint(x)]).rgb; }

// Solves the symmetric system by Cramer's rule.
vec3 solve(vec3 squares, vec3 products, vec3 right) {
  float ab = products.x;
  float bc = products.y;
  float ca = products.z;
  vec3 first = vec3(squares.y * squares.z - bc * bc, ca * bc - ab * squares.z, ab * bc - squares.y * ca);
  vec3 second = vec3(first.y, squares.x * squares.z - ca * ca, ab * ca - squares.x * bc);
  vec3 third = vec3(first.z, second.z, squares.x * squares.y - ab * ab);
  float determinant = squares.x * first.x + ab * first.y + ca * first.z;
  if (!(determinant > 0)) return vec3(0);
  return (first * right.x + second * right.y + third * right.z) / determinant;
}

Fit fit(ivec2 at) {
  ivec2 first = max(at - reach, 0);
  ivec2 last = min(at + reach, size() - 1);
  float count = float((last.x - first.x + 1) * (last.y - first.y + 1));
  Fit result = Fit(vec3(0), vec3(0), 0, 3e38, -3e38);
  for (int y = first.y; y <= last.y; y++) {
    for (int x = first.x; x <= last.x; x++) {
      float value = sampleAt(x, y);
      result.color += guideAt(x, y);
      result.disparity += value;
      result.least = min(result.least, value);
      result.most = max(result.most, value);
    }
  }
  result.color /= count;
  result.disparity /= count;
  vec3 squares = vec3(0);
  vec3 products = vec3(0);
  vec3 together = vec3(0);
  for (int y = first.y; y <= last.y; y++) {
    for (int x = first.x; x <= last.x; x++) {
      vec3 way = guideAt(x, y) - result.color;
      squares += way * way;
      products += way * way.yzx;
      together += way * (sampleAt(x, y) - result.disparity);
    }
  }
  result.slope = solve(squares / count + leastVariance, products / count, together / count);
  return result;
}

// 1 for a sample in the middle of a wide ramp, 0 for one beside a step or on one side.
float rampShare(ivec2 at, Fit around) {
  float spread = around.most - around.least;
  if (!(spread > 0)) return 0;
  float least = 3e38;
  float most = -3e38;
  for (int i = 0; i < 9; i++) {
    ivec2 place = clamp(at + ivec2(i % 3, i / 3) - 1, ivec2(0), size() - 1);
    least = min(least, sampleAt(place.x, place.y));
    most = max(most, sampleAt(place.x, place.y));
  }
  float steepness = (most - least) / spread;
  float near = (sampleAt(at.x, at.y) - around.least) / spread;
  return clamp((0.9 - steepness) / 0.3, 0, 1) * min(5 * min(near, 1 - near), 1);
}

float refined(ivec2 at) {
  float own = sampleAt(at.x, at.y);
  Fit around = fit(at);
  float ramp = rampShare(at, around);
  if (ramp <= 0) return own;
  float expected = around.disparity + dot(around.slope, guideAt(at.x, at.y) - around.color);
  return own + (clamp(expected, around.least, around.most) - own) * ramp;
}

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, size()))) return;
  uint i = uint(at.y) * frame.sampleWidth + uint(at.x);
  bool isEdge = frame.edges.at[i] != 0;
  if (isSlopes != 0) frame.slopes.at[i] = pack(vec4(isEdge ? fit(at).slope : vec3(0), 0));
  else frame.refined.at[i] = isEdge ? refined(at) : sampleAt(at.x, at.y);
}
