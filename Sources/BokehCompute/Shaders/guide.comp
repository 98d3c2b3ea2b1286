#version 460
#extension GL_GOOGLE_include_directive : require
// The picture's mean colour under each sample of disparity; as the CPU's `GuideStage`.
#include "frame.glsl"
#include "guide.glsl"

layout(local_size_x = 16, local_size_y = 8) in;
layout(push_constant) uniform Constants { Frame frame; };

// How many pixels in each direction are looked at for one sample.
const uint taps = 4;

void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  uvec2 samples = uvec2(frame.sampleWidth, frame.sampleHeight);
  if (any(greaterThanEqual(at, samples))) return;
  uvec2 size = uvec2(frame.width, frame.height);
  uvec2 first = at * size / samples;
  uvec2 end = max(first + 1, (at + 1) * size / samples);
  uvec2 step = max((end - first) / taps, 1u);
  vec3 sum = vec3(0);
  float count = 0;
  for (uint y = first.y + step.y / 2; y < end.y; y += step.y) {
    for (uint x = first.x + step.x / 2; x < end.x; x += step.x) {
      uvec2 place = min(uvec2(x, y), size - 1);
      sum += guideColor(unpack(frame.linear.at[place.y * size.x + place.x]).rgb);
      count += 1;
    }
  }
  frame.guide.at[at.y * samples.x + at.x] = pack(vec4(sum / count, 0));
}
