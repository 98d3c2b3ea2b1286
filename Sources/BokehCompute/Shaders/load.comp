#version 460
#extension GL_GOOGLE_include_directive : require
// Load and linearise: a stored picture to linear light; as the CPU's `PictureStage` and
// `HalfReader`.
#include "frame.glsl"
#include "stored.glsl"

layout(local_size_x = 32, local_size_y = 4) in;
layout(push_constant) uniform Constants { Frame frame; };
layout(constant_id = 7) const uint reduction = 1;
// Whether blocks of 2 x 2 pixels are read at once, which have a chroma sample in common.
layout(constant_id = 8) const uint isHalf = 0;
#include "picture.glsl"

// The neighbour in one direction of which what lies in a block's middle has a part.
void beside(float siting, out int step, out float part) {
  step = siting > 0.5 ? -1 : siting < 0.5 ? 1 : 0;
  part = abs(siting - 0.5) / 2;
}

// The chroma in the middle of a block.
vec2 blockChroma(ivec2 at) {
  ivec2 step;
  vec2 part;
  beside(frame.sitingX, step.x, part.x);
  beside(frame.sitingY, step.y, part.y);
  vec2 value = chromaAt(at.x, at.y);
  if (part.y != 0) value = mix(value, chromaAt(at.x, at.y + step.y), part.y);
  if (part.x != 0) {
    vec2 next = chromaAt(at.x + step.x, at.y);
    if (part.y != 0) next = mix(next, chromaAt(at.x + step.x, at.y + step.y), part.y);
    value = mix(value, next, part.x);
  }
  return (value - frame.sourceRange[2]) / frame.sourceRange[3];
}

// A block's light: its colour is that of the mean luma, its brightness that of the mean light.
vec4 blockLight(uvec2 at) {
  uvec2 first = 2 * at;
  uvec2 last = min(first + 1, uvec2(frame.storedWidth, frame.storedHeight) - 1);
  vec4 lumas = vec4(luma(first.x, first.y), luma(last.x, first.y), luma(first.x, last.y), luma(last.x, last.y));
  float mean = dot(lumas, vec4(0.25));
  float plain = 4 * toLight(mean);
  float sum = toLight(lumas.x) + toLight(lumas.y) + toLight(lumas.z) + toLight(lumas.w);
  float brightness = plain > 1e-5 ? sum / plain : 0;
  vec3 signal = colorOf(mean, blockChroma(ivec2(at)));
  vec3 light = vec3(toLight(signal.r), toLight(signal.g), toLight(signal.b));
  return vec4(brightness > 0 ? light * brightness : light, 1);
}

void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  if (at.x >= frame.width || at.y >= frame.height) return;
  vec4 light = vec4(0);
  if (isHalf != 0) {
    light = blockLight(at);
  } else if (reduction == 1) {
    light = lightAt(at.x, at.y);
  } else {
    uvec2 first = at * reduction;
    uvec2 end = min(first + reduction, uvec2(frame.storedWidth, frame.storedHeight));
    for (uint y = first.y; y < end.y; y++) {
      for (uint x = first.x; x < end.x; x++) light += lightAt(x, y);
    }
    light /= float((end.x - first.x) * (end.y - first.y));
  }
  frame.linear.at[at.y * frame.width + at.x] = pack(light);
}
