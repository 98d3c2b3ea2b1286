#version 460
#extension GL_GOOGLE_include_directive : require
// Gives the pixels of a lamp's rim the lamp's disparity; as the CPU's `LampRims`.
#include "frame.glsl"

layout(local_size_x = 8, local_size_y = 16) in;
layout(push_constant) uniform Constants { Frame frame; };

// Rims of lamps are brighter than this, and lamps so many times brighter than their rims, which lie so near to them.
const float leastLight = 1;
const float contrast = 1.5;
const int rimReach = 2;

float brightnessAt(ivec2 at) {
  vec3 light = unpack(frame.linear.at[uint(at.y) * frame.width + uint(at.x)]).rgb;
  return max(light.r, max(light.g, light.b));
}

// The brightest pixel around one, if it is so much brighter.
bool findBrighter(ivec2 at, out ivec2 place) {
  float most = brightnessAt(at) * contrast;
  bool found = false;
  ivec2 first = max(at - rimReach, 0);
  ivec2 last = min(at + rimReach, ivec2(frame.width, frame.height) - 1);
  for (int y = first.y; y <= last.y; y++) {
    for (int x = first.x; x <= last.x; x++) {
      float light = brightnessAt(ivec2(x, y));
      if (light > most) {
        most = light;
        place = ivec2(x, y);
        found = true;
      }
    }
  }
  return found;
}

void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  if (any(greaterThanEqual(at, ivec2(frame.width, frame.height))) || !(brightnessAt(at) > leastLight)) return;
  ivec2 lamp;
  ivec2 brighter;
  if (!findBrighter(at, lamp) || findBrighter(lamp, brighter)) return;
  // Lamps are no rims, so what is read here is never written.
  frame.raw.at[uint(at.y) * frame.width + uint(at.x)] = frame.raw.at[uint(lamp.y) * frame.width + uint(lamp.x)];
}
