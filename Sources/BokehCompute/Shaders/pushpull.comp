#version 460
#extension GL_GOOGLE_include_directive : require
// Fills what is not valid among samples of disparity from around it; as the CPU's `HoleFiller` and `PushPull`.
#include "frame.glsl"

layout(local_size_x = 16, local_size_y = 8) in;
// Whether means are pulled down into what is empty, in place of being pushed up.
layout(constant_id = 0) const uint isPull = 0;
layout(push_constant) uniform Constants {
  Frame frame;
  // The finer level: its size and its place in the pyramid, 0 for the samples themselves; and the coarser level's place.
  uint width;
  uint height;
  uint fine;
  uint coarse;
  uint isFinest;
};

// Value and weight.
vec2 fineAt(uint x, uint y) {
  uint i = y * width + x;
  if (isFinest == 0) return vec2(frame.holeValues.at[fine + i], frame.holeWeights.at[fine + i]);
  float value = frame.samples.at[i];
  return isnan(value) ? vec2(0) : vec2(value, 1);
}

void push(uvec2 at, uint coarseWidth) {
  float sum = 0;
  float weight = 0;
  uvec2 end = min(2 * at + 2, uvec2(width, height));
  for (uint y = 2 * at.y; y < end.y; y++) {
    for (uint x = 2 * at.x; x < end.x; x++) {
      vec2 value = fineAt(x, y);
      sum += value.x * value.y;
      weight += value.y;
    }
  }
  uint i = coarse + at.y * coarseWidth + at.x;
  frame.holeValues.at[i] = weight > 0 ? sum / weight : 0;
  frame.holeWeights.at[i] = min(weight, 1);
}

void pull(uvec2 at, uvec2 coarseSize) {
  vec2 own = fineAt(at.x, at.y);
  if (own.y >= 1) return;
  ivec2 near = ivec2(at) >> 1;
  ivec2 other = clamp(near + ivec2((at.x & 1) == 0 ? -1 : 1, (at.y & 1) == 0 ? -1 : 1), ivec2(0), ivec2(coarseSize) - 1);
  float sum = 0;
  float weight = 0;
  for (int i = 0; i < 4; i++) {
    ivec2 place = ivec2((i & 1) == 0 ? near.x : other.x, (i & 2) == 0 ? near.y : other.y);
    uint j = coarse + uint(place.y) * coarseSize.x + uint(place.x);
    float share = ((i & 1) == 0 ? 0.75 : 0.25) * ((i & 2) == 0 ? 0.75 : 0.25) * frame.holeWeights.at[j];
    sum += frame.holeValues.at[j] * share;
    weight += share;
  }
  uint i = at.y * width + at.x;
  if (isFinest != 0) {
    frame.samples.at[i] = weight > 0 ? sum / weight : frame.focus;
  } else if (weight > 0) {
    frame.holeValues.at[fine + i] = own.x * own.y + sum * ((1 - own.y) / weight);
    frame.holeWeights.at[fine + i] = own.y + (1 - own.y) * min(weight, 1);
  }
}

void main() {
  if (frame.circle.holes == 0) return;
  uvec2 at = gl_GlobalInvocationID.xy;
  uvec2 coarseSize = (uvec2(width, height) + 1) / 2;
  if (isPull == 0) {
    if (all(lessThan(at, coarseSize))) push(at, coarseSize.x);
  } else if (at.x < width && at.y < height) {
    pull(at, coarseSize);
  }
}
