#version 460
#extension GL_GOOGLE_include_directive : require
// Marks the samples that have a depth edge near them; as the CPU's `EdgeMap`.
#include "frame.glsl"

layout(local_size_x = 16, local_size_y = 8) in;
layout(constant_id = 0) const int reach = 3;
layout(push_constant) uniform Constants { Frame frame; };

float sampleAt(int x, int y) {
  return frame.samples.at[uint(y) * frame.sampleWidth + uint(x)];
}

// The range of what is left of the samples when the best slanted plane is taken off.
float deviation(ivec2 first, ivec2 last) {
  vec2 middle = vec2(first + last) / 2;
  vec2 along = vec2(0);
  vec2 squares = vec2(0);
  for (int y = first.y; y <= last.y; y++) {
    for (int x = first.x; x <= last.x; x++) {
      vec2 offset = vec2(x, y) - middle;
      along += offset * sampleAt(x, y);
      squares += offset * offset;
    }
  }
  vec2 slope = along / max(squares, 1);
  float least = 1e30;
  float most = -1e30;
  for (int y = first.y; y <= last.y; y++) {
    for (int x = first.x; x <= last.x; x++) {
      float rest = sampleAt(x, y) - dot(slope, vec2(x, y) - middle);
      least = min(least, rest);
      most = max(most, rest);
    }
  }
  return most - least;
}

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = ivec2(frame.sampleWidth, frame.sampleHeight);
  if (any(greaterThanEqual(at, size))) return;
  ivec2 first = max(at - reach, 0);
  ivec2 last = min(at + reach, size - 1);
  float least = 1e30;
  float most = -1e30;
  for (int y = first.y; y <= last.y; y++) {
    for (int x = first.x; x <= last.x; x++) {
      float value = sampleAt(x, y);
      least = min(least, value);
      most = max(most, value);
    }
  }
  float step = frame.circle.step;
  bool isEdge = most - least > step && deviation(first, last) > step;
  frame.edges.at[at.y * size.x + at.x] = isEdge ? 1 : 0;
}
