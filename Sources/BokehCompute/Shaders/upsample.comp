#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Brings disparity to the resolution of the planes; as the CPU's `GuidedUpsampler`, or `DisparityStage.pick`.
#include "frame.glsl"
#include "guide.glsl"
#include "cell.glsl"

// A square of pixels for each few invocations that run together: most squares have no edge, or one throughout.
layout(local_size_x = 8, local_size_y = 16) in;
// Whether there are at least as many samples as pixels, of which the nearest is taken.
layout(constant_id = 0) const uint picks = 0;
layout(push_constant) uniform Constants { Frame frame; };

#include "upsample.glsl"

void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  if (at.x >= frame.width || at.y >= frame.height) return;
  uint place = at.y * frame.width + at.x;
  if (picks != 0) {
    uvec2 samples = uvec2(frame.sampleWidth, frame.sampleHeight);
    uvec2 nearest = (2 * at + 1) * samples / (2 * uvec2(frame.width, frame.height));
    frame.raw.at[place] = frame.samples.at[nearest.y * samples.x + nearest.x];
    return;
  }
  Cell cell = cellOf(frame, at, uvec2(frame.width, frame.height));
  frame.raw.at[place] = upsampled(cell, unpack(frame.linear.at[place]).rgb);
}
