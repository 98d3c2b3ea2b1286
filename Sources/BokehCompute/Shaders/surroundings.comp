#version 460
#extension GL_GOOGLE_include_directive : require
// How bright the picture is in each of its cells, a group each; as the CPU's `HighlightRecovery.measure`.
#include "frame.glsl"
#include "highlights.glsl"

layout(local_size_x = 128) in;
layout(push_constant) uniform Constants { Frame frame; };

shared float sums[128];

void main() {
  uvec2 size = uvec2(frame.width, frame.height);
  uvec2 first = gl_WorkGroupID.xy * size / highlightCells;
  uvec2 end = max(first + 1, (gl_WorkGroupID.xy + 1) * size / highlightCells);
  uint wide = end.x - first.x;
  uint count = wide * (end.y - first.y);
  uint i = gl_LocalInvocationIndex;
  float sum = 0;
  for (uint n = i; n < count; n += 128) {
    vec4 light = unpack(frame.linear.at[(first.y + n / wide) * size.x + first.x + n % wide]);
    sum += clamp(max(light.r, max(light.g, light.b)), 0, 1);
  }
  sums[i] = sum;
  for (uint step = 64; step > 0; step /= 2) {
    barrier();
    if (i < step) sums[i] += sums[i + step];
  }
  if (i == 0) frame.surroundings.at[gl_WorkGroupID.y * highlightCells + gl_WorkGroupID.x] = sums[0] / float(count);
}
