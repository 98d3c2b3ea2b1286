#version 460
#extension GL_GOOGLE_include_directive : require
// Brings disparity to the resolution of the planes; as the CPU's `GuidedUpsampler`.
#include "frame.glsl"
#include "guide.glsl"
#include "cell.glsl"

layout(local_size_x = 32, local_size_y = 4) in;
layout(push_constant) uniform Constants { Frame frame; };

#include "upsample.glsl"

void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  if (at.x >= frame.width || at.y >= frame.height) return;
  uint place = at.y * frame.width + at.x;
  Cell cell = cellOf(frame, at, uvec2(frame.width, frame.height));
  frame.raw.at[place] = upsampled(cell, unpack(frame.linear.at[place]).rgb);
}
