#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Moves the edges of coarse disparity to where the picture has them; as the CPU's `EdgeSnap`.
#include "frame.glsl"
#include "guide.glsl"

const uint candidateCount = 49;
#define CANDIDATES [[dont_unroll]]
#include "chooser.glsl"

layout(local_size_x = 16, local_size_y = 8) in;
layout(push_constant) uniform Constants { Frame frame; };

const int reach = 3;
const int smoothReach = 2;

ivec2 size() { return ivec2(frame.sampleWidth, frame.sampleHeight); }

float sampleAt(int x, int y) { return frame.samples.at[uint(y) * frame.sampleWidth + uint(x)]; }

vec3 guideAt(int x, int y) { return unpack(frame.guide.at[uint(y) * frame.sampleWidth + uint(x)]).rgb; }

// Less than 1 for a sample on a ramp, which belongs to neither side.
float flatness(int x, int y, float step) {
  ivec2 last = size() - 1;
  float across = sampleAt(min(x + 1, last.x), y) - sampleAt(max(x - 1, 0), y);
  float down = sampleAt(x, min(y + 1, last.y)) - sampleAt(x, max(y - 1, 0));
  return 1 / (1 + (across * across + down * down) / (step * step));
}

// The sample that is looked at.
ivec2 middle;

float candidateValue(uint i) {
  ivec2 place = middle + ivec2(int(i) % 7, int(i) / 7) - reach;
  return sampleAt(place.x, place.y);
}

float snapped(ivec2 at) {
  middle = at;
  ivec2 last = size() - 1;
  float step = frame.circle.step;
  float least = 1e30;
  float most = -1e30;
  for (int y = max(at.y - reach, 0); y <= min(at.y + reach, last.y); y++) {
    for (int x = max(at.x - reach, 0); x <= min(at.x + reach, last.x); x++) {
      least = min(least, sampleAt(x, y));
      most = max(most, sampleAt(x, y));
    }
  }
  vec3 own = guideAt(at.x, at.y);
  Chooser chooser = begin(step, least, most);
  CANDIDATES for (int i = 0; i < int(candidateCount); i++) {
    ivec2 offset = ivec2(i % 7, i / 7) - reach;
    ivec2 place = at + offset;
    if (any(lessThan(place, ivec2(0))) || any(greaterThan(place, last))) continue;
    float distance = float(offset.x * offset.x + offset.y * offset.y);
    float nearness = flatness(place.x, place.y, step) / (1 + distance * 0.25);
    setCandidate(
      chooser, i, sampleAt(place.x, place.y), nearness, likeness(own, guideAt(place.x, place.y)));
  }
  float chosen = choose(chooser);
  return chosen < 0 ? sampleAt(at.x, at.y) : chosen;
}

// The mean of the samples around by nearness in place; here all lie near one slanted surface.
float smoothed(ivec2 at) {
  ivec2 last = size() - 1;
  float sum = 0;
  float total = 0;
  for (int y = max(at.y - smoothReach, 0); y <= min(at.y + smoothReach, last.y); y++) {
    for (int x = max(at.x - smoothReach, 0); x <= min(at.x + smoothReach, last.x); x++) {
      ivec2 offset = ivec2(x, y) - at;
      float nearness = max(0, 1 - float(offset.x * offset.x + offset.y * offset.y) * (1.0 / 9));
      sum += sampleAt(x, y) * nearness;
      total += nearness;
    }
  }
  return sum / total;
}

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, size()))) return;
  uint i = uint(at.y) * frame.sampleWidth + uint(at.x);
  frame.refined.at[i] = frame.edges.at[i] == 0 ? smoothed(at) : snapped(at);
}
