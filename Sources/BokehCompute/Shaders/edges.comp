#version 460
#extension GL_GOOGLE_include_directive : require
// Marks the samples that have a depth edge near them; as the CPU's `EdgeMap`.
#include "frame.glsl"

layout(local_size_x = 16, local_size_y = 8) in;
layout(constant_id = 0) const int reach = 3;
layout(push_constant) uniform Constants { Frame frame; };

const ivec2 groupSize = ivec2(16, 8);
const ivec2 roomSize = groupSize + 2 * reach;

// The samples under the group and around it.
shared float room[roomSize.x * roomSize.y];
// Of each row of a window: least, most, sum, and the sum of values times their distance from the middle column.
shared vec4 rows[groupSize.x * roomSize.y];

ivec2 size() { return ivec2(frame.sampleWidth, frame.sampleHeight); }

void stage() {
  ivec2 origin = ivec2(gl_WorkGroupID.xy) * groupSize - reach;
  for (int i = int(gl_LocalInvocationIndex); i < roomSize.x * roomSize.y; i += groupSize.x * groupSize.y) {
    ivec2 at = clamp(origin + ivec2(i % roomSize.x, i / roomSize.x), ivec2(0), size() - 1);
    room[i] = frame.samples.at[uint(at.y) * frame.sampleWidth + uint(at.x)];
  }
  barrier();
  for (int i = int(gl_LocalInvocationIndex); i < groupSize.x * roomSize.y; i += groupSize.x * groupSize.y) {
    ivec2 cell = ivec2(i % groupSize.x, i / groupSize.x);
    int column = int(gl_WorkGroupID.x) * groupSize.x + cell.x;
    vec4 row = vec4(1e30, -1e30, 0, 0);
    for (int dx = max(-column, -reach); dx <= min(size().x - 1 - column, reach); dx++) {
      float value = room[cell.y * roomSize.x + cell.x + reach + dx];
      row = vec4(min(row.x, value), max(row.y, value), row.z + value, row.w + float(dx) * value);
    }
    rows[i] = row;
  }
  barrier();
}

// Whether the samples of a window, `first` to `last` from its own one, differ by more than `step` from the best slanted plane.
bool isBroken(ivec2 first, ivec2 last, float step) {
  ivec2 own = ivec2(gl_LocalInvocationID.xy) + ivec2(0, reach);
  vec2 range = vec2(1e30, -1e30);
  vec2 along = vec2(0);
  float sum = 0;
  for (int dy = first.y; dy <= last.y; dy++) {
    vec4 row = rows[(own.y + dy) * groupSize.x + own.x];
    range = vec2(min(range.x, row.x), max(range.y, row.y));
    along += vec2(row.w, float(dy) * row.z);
    sum += row.z;
  }
  if (!(range.y - range.x > step)) return false;
  vec2 middle = vec2(first + last) / 2;
  vec2 count = vec2(last - first + 1);
  vec2 slope = (along - middle * sum) / max((count * count - 1) * (count.x * count.y / 12), 1);
  vec2 rest = vec2(1e30, -1e30);
  for (int dy = first.y; dy <= last.y; dy++) {
    for (int dx = first.x; dx <= last.x; dx++) {
      float value = room[(own.y + dy) * roomSize.x + own.x + reach + dx] - dot(slope, vec2(dx, dy));
      rest = vec2(min(rest.x, value), max(rest.y, value));
    }
    // More rows would not make it less.
    if (rest.y - rest.x > step) return true;
  }
  return false;
}

void main() {
  stage();
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, size()))) return;
  bool isEdge = isBroken(max(-at, -reach), min(size() - 1 - at, reach), frame.circle.step);
  frame.edges.at[at.y * size().x + at.x] = isEdge ? 1 : 0;
}
