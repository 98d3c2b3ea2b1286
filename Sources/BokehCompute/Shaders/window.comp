#version 460
#extension GL_GOOGLE_include_directive : require
// The smallest disparity around each block of pixels, along rows or along columns; as the CPU's `WindowMinimum`:
// each value becomes the least of a run of 2ⁿ, and a window is covered by a few runs.
#include "frame.glsl"
#include "hidden.glsl"

layout(local_size_x = 256) in;
// Whether this is the pass along columns, which follows that along rows.
layout(constant_id = 0) const uint isDown = 0;
layout(push_constant) uniform Constants { Frame frame; };

// A group brings out `lengthwise` values of each of `lines` rows or columns.
const uint lengthwise = isDown != 0 ? 64 : 256;
const uint lines = isDown != 0 ? 16 : 1;
const float far = 3e38;

// One line after the other; columns lie side by side. Half resolution is the finest.
shared float values[16 * (64 + maximumReach)];

float block(uint x, uint y) {
  if (isDown != 0) return frame.leastAcross.at[y * hiddenSize(frame).x + x];
  uvec4 pixels = hiddenBlock(frame, x, y);
  float least = far;
  for (uint row = pixels.y; row < pixels.w; row++) {
    for (uint column = pixels.x; column < pixels.z; column++) {
      least = min(least, frame.raw.at[row * frame.width + column]);
    }
  }
  return least;
}

void main() {
  uvec2 size = hiddenSize(frame);
  uint count = isDown != 0 ? size.y : size.x;
  uint reach = min(hiddenReach(frame), count - 1);
  uint total = lengthwise + 2 * reach;
  uint firstLine = isDown != 0 ? gl_WorkGroupID.x * lines : gl_WorkGroupID.y;
  int first = int((isDown != 0 ? gl_WorkGroupID.y : gl_WorkGroupID.x) * lengthwise) - int(reach);
  uint lineCount = isDown != 0 ? size.x : size.y;

  for (uint i = gl_LocalInvocationIndex; i < total * lines; i += 256) {
    uint line = firstLine + i % lines;
    int along = first + int(i / lines);
    bool isInside = line < lineCount && along >= 0 && along < int(count);
    values[i] = !isInside ? far : isDown != 0 ? block(line, uint(along)) : block(uint(along), line);
  }
  barrier();
  uint run = 1;
  while (run * 2 <= reach + 1) {
    // Read before anyone writes: each invocation has at most so many values.
    float next[16];
    for (uint k = 0; k < 16; k++) {
      uint i = gl_LocalInvocationIndex + 256 * k;
      if (i < total * lines) next[k] = i + run * lines < total * lines ? min(values[i], values[i + run * lines]) : values[i];
    }
    barrier();
    for (uint k = 0; k < 16; k++) {
      uint i = gl_LocalInvocationIndex + 256 * k;
      if (i < total * lines) values[i] = next[k];
    }
    barrier();
    run *= 2;
  }
  for (uint i = gl_LocalInvocationIndex; i < lengthwise * lines; i += 256) {
    uint line = firstLine + i % lines;
    uint along = uint(first + int(reach)) + i / lines;
    if (line >= lineCount || along >= count) continue;
    uint start = i / lines;
    uint last = start + 2 * reach + 1 - run;
    float least = values[last * lines + i % lines];
    for (; start < last; start += run) least = min(least, values[start * lines + i % lines]);
    uvec2 at = isDown != 0 ? uvec2(line, along) : uvec2(along, line);
    if (isDown != 0) frame.least.at[at.y * size.x + at.x] = least;
    else frame.leastAcross.at[at.y * size.x + at.x] = least;
  }
}
