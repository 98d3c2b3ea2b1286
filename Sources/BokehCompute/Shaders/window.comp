#version 460
#extension GL_GOOGLE_include_directive : require
// The surroundings of depth edges, along rows or along columns: 0 where an edge is near; as the CPU's `HiddenLayer.mark`
// and `WindowMinimum`: each value becomes the least of a run of 2ⁿ, and a window is covered by a few runs.
#include "frame.glsl"

layout(local_size_x = 256) in;
// Whether this is the pass along columns, which follows that along rows.
layout(constant_id = 0) const uint isDown = 0;
layout(constant_id = 1) const uint maximumSteps = 32;
layout(push_constant) uniform Constants { Frame frame; };
#include "hidden.glsl"

// A group brings out `lengthwise` values of each of `lines` rows or columns.
const uint lengthwise = isDown != 0 ? 64 : 256;
const uint lines = isDown != 0 ? 16 : 1;
const uint most = 16 * (64 + 2 * maximumSteps);

// One line after the other; columns lie side by side.
shared float values[most];

float disparityAt(uint x, uint y) {
  return frame.raw.at[min(y, frame.height - 1) * frame.width + min(x, frame.width - 1)];
}

// 0 where the disparity jumps to the next pixel of the layer to the right or below.
float edgeAt(uint x, uint y) {
  if (isDown != 0) return frame.nearEdgeAcross.at[y * hiddenSize(frame).x + x];
  uint scale = 1u << hiddenShift(frame);
  uvec2 at = uvec2(x, y) * scale;
  float own = disparityAt(at.x, at.y);
  float drop = hiddenDrop(frame);
  bool isEdge = abs(disparityAt(at.x + scale, at.y) - own) > drop || abs(disparityAt(at.x, at.y + scale) - own) > drop;
  if (isEdge && frame.circle.hiddenFilled == 0) atomicOr(frame.circle.hiddenFilled, 1);
  return isEdge ? 0 : 1;
}

void main() {
  if (isDown != 0 && frame.circle.hiddenFilled == 0) return;
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
    values[i] = !isInside ? 1 : isDown != 0 ? edgeAt(line, uint(along)) : edgeAt(uint(along), line);
  }
  barrier();
  uint run = 1;
  while (run * 2 <= reach + 1) {
    // Read before anyone writes: each invocation has at most so many values.
    float next[most / 256];
    for (uint k = 0; k < most / 256; k++) {
      uint i = gl_LocalInvocationIndex + 256 * k;
      if (i < total * lines) next[k] = i + run * lines < total * lines ? min(values[i], values[i + run * lines]) : values[i];
    }
    barrier();
    for (uint k = 0; k < most / 256; k++) {
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
    if (isDown != 0) frame.nearEdge.at[at.y * size.x + at.x] = least;
    else frame.nearEdgeAcross.at[at.y * size.x + at.x] = least;
  }
}
