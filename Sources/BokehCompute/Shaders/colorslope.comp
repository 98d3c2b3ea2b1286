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

float disparityAt(uint place) { return isSlopes != 0 ? frame.refined.at[place] : frame.samples.at[place]; }

const ivec2 groupSize = ivec2(16, 8);
const ivec2 roomSize = groupSize + 2 * reach;

// Colour and disparity of the samples under the group and around it; what lies beyond the picture is not looked at.
shared vec4 room[roomSize.x * roomSize.y];

ivec2 sampleSize() { return ivec2(frame.sampleWidth, frame.sampleHeight); }

void stage() {
  ivec2 first = ivec2(gl_WorkGroupID.xy) * groupSize - reach;
  for (int i = int(gl_LocalInvocationIndex); i < roomSize.x * roomSize.y; i += groupSize.x * groupSize.y) {
    ivec2 at = clamp(first + ivec2(i % roomSize.x, i / roomSize.x), ivec2(0), sampleSize() - 1);
    uint place = uint(at.y) * frame.sampleWidth + uint(at.x);
    room[i] = vec4(unpack(frame.guide.at[place]).rgb, disparityAt(place));
  }
  barrier();
}

// The neighbour of an invocation's own sample that is `step` away.
vec4 neighbour(ivec2 step) {
  ivec2 cell = ivec2(gl_LocalInvocationID.xy) + reach + step;
  return room[cell.y * roomSize.x + cell.x];
}

// How disparity goes with colour around a sample; means are of differences from it.
struct Fit {
  vec3 slope;
  vec4 mean;
  float least;
  float most;
};

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

// The plane through the samples around `at` over their colours. Sums are of differences from the sample itself, which
// keeps them exact.
Fit fit(ivec2 at) {
  ivec2 first = max(-at, -reach);
  ivec2 last = min(sampleSize() - 1 - at, reach);
  vec4 own = neighbour(ivec2(0));
  vec4 sum = vec4(0);
  vec3 squares = vec3(0);
  vec3 products = vec3(0);
  vec3 together = vec3(0);
  float least = own.w;
  float most = own.w;
  for (int y = first.y; y <= last.y; y++) {
    for (int x = first.x; x <= last.x; x++) {
      vec4 value = neighbour(ivec2(x, y));
      vec4 way = value - own;
      sum += way;
      squares += way.rgb * way.rgb;
      products += way.rgb * way.gbr;
      together += way.rgb * way.w;
      least = min(least, value.w);
      most = max(most, value.w);
    }
  }
  float share = 1 / float((last.x - first.x + 1) * (last.y - first.y + 1));
  vec4 mean = sum * share;
  squares = max(squares * share - mean.rgb * mean.rgb, 0) + leastVariance;
  products = products * share - mean.rgb * mean.gbr;
  together = together * share - mean.rgb * mean.w;
  return Fit(solve(squares, products, together), mean, least, most);
}

// 1 for a sample in the middle of a wide ramp, 0 for one beside a step or on one side.
float rampShare(ivec2 at, Fit around) {
  float spread = around.most - around.least;
  if (!(spread > 0)) return 0;
  ivec2 first = max(-at, -1);
  ivec2 last = min(sampleSize() - 1 - at, 1);
  float own = neighbour(ivec2(0)).w;
  float least = own;
  float most = own;
  for (int y = first.y; y <= last.y; y++) {
    for (int x = first.x; x <= last.x; x++) {
      float value = neighbour(ivec2(x, y)).w;
      least = min(least, value);
      most = max(most, value);
    }
  }
  float steepness = (most - least) / spread;
  float near = (own - around.least) / spread;
  return clamp((0.9 - steepness) / 0.3, 0, 1) * min(5 * min(near, 1 - near), 1);
}

float refined(ivec2 at) {
  float own = neighbour(ivec2(0)).w;
  Fit around = fit(at);
  float ramp = rampShare(at, around);
  if (ramp <= 0) return own;
  float expected = own + around.mean.w - dot(around.slope, around.mean.rgb);
  return own + (clamp(expected, around.least, around.most) - own) * ramp;
}

shared uint hasEdge;

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  bool isInside = all(lessThan(at, sampleSize()));
  uint i = uint(at.y) * frame.sampleWidth + uint(at.x);
  bool isEdge = isInside && frame.edges.at[i] != 0;
  if (gl_LocalInvocationIndex == 0) hasEdge = 0;
  barrier();
  if (isEdge) atomicOr(hasEdge, 1);
  barrier();
  if (hasEdge != 0) stage();
  if (!isInside) return;
  if (isSlopes != 0) frame.slopes.at[i] = pack(vec4(isEdge ? fit(at).slope : vec3(0), 0));
  else frame.refined.at[i] = isEdge ? refined(at) : disparityAt(i);
}
