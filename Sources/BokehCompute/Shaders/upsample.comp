#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Brings disparity to full resolution: linear where samples are alike, else the mean of those on one side of the edge,
// which the picture's colour chooses; as the CPU's `GuidedUpsampler`.
#include "frame.glsl"
#include "guide.glsl"
#include "cell.glsl"

const uint candidateCount = 16;
#define CANDIDATES [[unroll]]
#include "chooser.glsl"

layout(local_size_x = 32, local_size_y = 4) in;
layout(push_constant) uniform Constants { Frame frame; };

float sampleAt(ivec2 place) { return frame.refined.at[place.y * int(frame.sampleWidth) + place.x]; }

float linear(Cell cell) {
  ivec2 next = min(cell.at + 1, ivec2(frame.sampleWidth, frame.sampleHeight) - 1);
  float top = mix(sampleAt(cell.at), sampleAt(ivec2(next.x, cell.at.y)), cell.part.x);
  float bottom = mix(sampleAt(ivec2(cell.at.x, next.y)), sampleAt(next), cell.part.x);
  return mix(top, bottom, cell.part.y);
}

// The first of the four samples around the pixel.
ivec2 middle;

float candidateValue(uint i) { return sampleAt(middle + ivec2(int(i) & 3, int(i) >> 2) - 1); }

float chosen(Cell cell, vec3 color) {
  middle = cell.at;
  ivec2 last = ivec2(frame.sampleWidth, frame.sampleHeight) - 1;
  float least = 1e30;
  float most = -1e30;
  for (int y = max(cell.at.y - 1, 0); y <= min(cell.at.y + 2, last.y); y++) {
    for (int x = max(cell.at.x - 1, 0); x <= min(cell.at.x + 2, last.x); x++) {
      float value = sampleAt(ivec2(x, y));
      least = min(least, value);
      most = max(most, value);
    }
  }
  Chooser chooser = begin(frame.circle.step, least, most);
  CANDIDATES for (int i = 0; i < int(candidateCount); i++) {
    ivec2 place = cell.at + ivec2(i & 3, i >> 2) - 1;
    if (any(lessThan(place, ivec2(0))) || any(greaterThan(place, last))) continue;
    vec2 offset = vec2(place - cell.at) - cell.part;
    // Falls to nothing where samples enter and leave the window.
    vec2 fall = max(1 - offset * offset * 0.25, 0);
    float nearness = fall.x * fall.y;
    vec3 guide = unpack(frame.guide.at[place.y * int(frame.sampleWidth) + place.x]).rgb;
    setCandidate(chooser, i, sampleAt(place), nearness * nearness, likeness(color, guide));
  }
  float value = choose(chooser);
  return value < 0 ? sampleAt(cell.at) : value;
}

void main() {
  uvec2 at = gl_GlobalInvocationID.xy;
  if (at.x >= frame.width || at.y >= frame.height) return;
  uint place = at.y * frame.width + at.x;
  Cell cell = cellOf(frame, at.x, at.y);
  frame.raw.at[place] =
    isNearEdge(frame, cell) ? chosen(cell, guideColor(unpack(frame.linear.at[place]).rgb)) : linear(cell);
}
