#version 460
#extension GL_GOOGLE_include_directive : require
// Steadies disparity over time; as the CPU's `DisparityHistory`.
#include "frame.glsl"
#include "guide.glsl"

layout(local_size_x = 256) in;
layout(push_constant) uniform Constants { Frame frame; uint isKnown; };

// How much the past counts where nothing has changed.
const float share = 0.6;

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i >= frame.sampleWidth * frame.sampleHeight) return;
  float value = frame.samples.at[i];
  uvec2 guide = frame.guide.at[i];
  if (isKnown != 0) {
    float change = frame.past.at[i] - value;
    float relative = change / frame.circle.step;
    float alike = likeness(unpack(guide).rgb, unpack(frame.pastGuide.at[i]).rgb);
    value += change * (share * alike * max(0, 1 - relative * relative));
    frame.samples.at[i] = value;
  }
  frame.past.at[i] = value;
  frame.pastGuide.at[i] = guide;
}
