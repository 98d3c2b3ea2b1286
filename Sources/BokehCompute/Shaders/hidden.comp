#version 460
#extension GL_GOOGLE_include_directive : require
// What is known of the layer behind: for each block of pixels the mean of those that are not nearer than what is
// around; as the CPU's `HiddenBlocks`.
#include "frame.glsl"
#include "hidden.glsl"

layout(local_size_x = 32, local_size_y = 4) in;
layout(push_constant) uniform Constants { Frame frame; };

void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  uvec2 size = hiddenSize(frame);
  if (any(greaterThanEqual(at, size))) return;
  uint place = at.y * size.x + at.x;
  // An occluder is nearer by what makes a pixel of radius.
  float limit = frame.least.at[place] + 1 / max(frame.radiusPerDisparity, 1.17549435e-38);
  vec4 sum = vec4(0);
  float total = 0;
  uint hasOccluder = 0;
  uvec4 pixels = hiddenBlock(frame, at.x, at.y);
  for (uint y = pixels.y; y < pixels.w; y++) {
    for (uint x = pixels.x; x < pixels.z; x++) {
      uint pixel = y * frame.width + x;
      float disparity = frame.raw.at[pixel];
      if (!(disparity <= limit)) {
        hasOccluder = 1;
        continue;
      }
      vec3 light = unpack(frame.linear.at[pixel]).rgb;
      // Bright ones count less, so that lights do not bleed into the layer.
      float share = 1 / (1 + max(0, max(light.r, max(light.g, light.b))));
      sum += vec4(light, disparity) * share;
      total += share;
    }
  }
  sum = total > 0 ? sum / total : vec4(0);
  // Half of a whole block of dark pixels is as good as all of it.
  float weight = min(1, total * 2 / float(1u << (2 * frame.hiddenLevel)));
  frame.behind.at[place] = pack(vec4(sum.rgb, weight));
  frame.behindDisparity.at[place] = sum.w;
  frame.occluders.at[place] = hasOccluder;
  if (hasOccluder != 0 && frame.circle.hiddenFilled == 0) atomicOr(frame.circle.hiddenFilled, 1);
}
