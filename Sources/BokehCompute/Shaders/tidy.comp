#version 460
#extension GL_GOOGLE_include_directive : require
// Near edges single pixels go with those around them, and the near side grows by a pixel: the third largest of nine; as
// the CPU's `GuidedUpsampler.tidy`.
#include "frame.glsl"
#include "cell.glsl"

layout(local_size_x = 32, local_size_y = 4) in;
layout(push_constant) uniform Constants { Frame frame; };

float thirdLargest(ivec2 at) {
  ivec2 last = ivec2(frame.width, frame.height) - 1;
  float first = -1e30;
  float second = -1e30;
  float third = -1e30;
  for (int i = 0; i < 9; i++) {
    ivec2 place = clamp(at + ivec2(i % 3, i / 3) - 1, ivec2(0), last);
    float value = frame.raw.at[uint(place.y) * frame.width + uint(place.x)];
    third = max(third, min(second, value));
    second = max(second, min(first, value));
    first = max(first, value);
  }
  return third;
}

void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  if (at.x >= frame.width || at.y >= frame.height) return;
  uint place = at.y * frame.width + at.x;
  bool isEdge = isNearEdge(frame, cellOf(frame, at.x, at.y));
  frame.full.at[place] = isEdge ? thirdLargest(ivec2(at)) : frame.raw.at[place];
}
