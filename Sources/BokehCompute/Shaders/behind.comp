#version 460
#extension GL_GOOGLE_include_directive : require
// Fills the layer behind from around: means of ever larger blocks are pushed up a pyramid, and pulled down into what is
// empty; as the CPU's `PushPull`.
#include "frame.glsl"
#include "hidden.glsl"

layout(local_size_x = 16, local_size_y = 8) in;
layout(constant_id = 0) const uint isPull = 0;
layout(push_constant) uniform Constants {
  Frame frame;
  // The finer level's size, both levels' places in the pyramid, and the number of the coarser one.
  uint width;
  uint height;
  uint fine;
  uint coarse;
  uint number;
};

void push(uvec2 at, uint coarseWidth) {
  vec4 sum = vec4(0);
  float weight = 0;
  uvec2 end = min(2 * at + 2, uvec2(width, height));
  for (uint y = 2 * at.y; y < end.y; y++) {
    for (uint x = 2 * at.x; x < end.x; x++) {
      uint i = fine + y * width + x;
      vec4 value = unpack(frame.behind.at[i]);
      sum += vec4(value.rgb, frame.behindDisparity.at[i]) * value.w;
      weight += value.w;
    }
  }
  sum = weight > 0 ? sum / weight : vec4(0);
  uint i = coarse + at.y * coarseWidth + at.x;
  frame.behind.at[i] = pack(vec4(sum.rgb, min(weight, 1)));
  frame.behindDisparity.at[i] = sum.w;
}

void pull(uvec2 at, uvec2 coarseSize) {
  uint i = fine + at.y * width + at.x;
  vec4 own = unpack(frame.behind.at[i]);
  if (own.w >= 1) return;
  ivec2 near = ivec2(at) >> 1;
  ivec2 other = clamp(near + ivec2((at.x & 1) == 0 ? -1 : 1, (at.y & 1) == 0 ? -1 : 1), ivec2(0), ivec2(coarseSize) - 1);
  vec4 sum = vec4(0);
  float weight = 0;
  for (int k = 0; k < 4; k++) {
    ivec2 place = ivec2((k & 1) == 0 ? near.x : other.x, (k & 2) == 0 ? near.y : other.y);
    uint j = coarse + uint(place.y) * coarseSize.x + uint(place.x);
    vec4 value = unpack(frame.behind.at[j]);
    float share = ((k & 1) == 0 ? 0.75 : 0.25) * ((k & 2) == 0 ? 0.75 : 0.25) * value.w;
    sum += vec4(value.rgb, frame.behindDisparity.at[j]) * share;
    weight += share;
  }
  if (weight <= 0) return;
  float rest = (1 - own.w) / weight;
  frame.behind.at[i] = pack(vec4(own.rgb * own.w + sum.rgb * rest, own.w + (1 - own.w) * min(weight, 1)));
  frame.behindDisparity.at[i] = frame.behindDisparity.at[i] * own.w + sum.w * rest;
}

void main() {
  // The middle of a hole that is larger than discs reach stays as it is.
  if (frame.circle.hiddenFilled == 0 || (1u << (number - 1)) >= 2 * hiddenReach(frame)) return;
  uvec2 at = gl_GlobalInvocationID.xy;
  uvec2 coarseSize = (uvec2(width, height) + 1) / 2;
  if (isPull == 0) {
    if (all(lessThan(at, coarseSize))) push(at, coarseSize.x);
  } else if (at.x < width && at.y < height) {
    pull(at, coarseSize);
  }
}
