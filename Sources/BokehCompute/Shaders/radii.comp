#version 460
#extension GL_GOOGLE_include_directive : require
// Each pixel's radius and bin, and the largest radius; and the light of blurred highlights; as the CPU's `BlurStage.findRadii`.
#include "frame.glsl"
#include "bins.glsl"
#include "tiles.glsl"
#include "highlights.glsl"

layout(local_size_x = 8, local_size_y = 16) in;
layout(constant_id = 0) const uint bins = 8;
// Whether the disparity is the samples', of which there are at least as many as pixels.
layout(constant_id = 1) const uint picks = 0;
// Whether the frame starts at half resolution, whose keys go elsewhere and have no tiles.
layout(constant_id = 2) const uint startsAtHalf = 0;
layout(push_constant) uniform Constants { Frame frame; };

shared uint largest;

// The nearest to the camera of the samples that a pixel stands for.
float nearestAt(uvec2 at) {
  uvec2 size = uvec2(frame.width, frame.height);
  uvec2 samples = uvec2(frame.sampleWidth, frame.sampleHeight);
  uvec2 first = at * samples / size;
  uvec2 end = max(first + 1, (at + 1) * samples / size);
  float most = -3e38;
  for (uint y = first.y; y < end.y; y++) {
    for (uint x = first.x; x < end.x; x++) most = max(most, frame.samples.at[y * samples.x + x]);
  }
  return most;
}

float disparityAt(uint x, uint y) {
  return picks != 0 ? nearestAt(uvec2(x, y)) : frame.raw.at[y * frame.width + x];
}

void main() {
  if (gl_LocalInvocationIndex == 127) largest = 0;
  clearTile();
  uint y = gl_WorkGroupID.y * tileHeight + gl_LocalInvocationID.y;
  Words keys = startsAtHalf != 0 ? frame.halfKeys : frame.levels[0].keys;
  uint most = 0;
  for (uint k = 0; k < 4 && y < frame.height; k++) {
    // Neighbours in a row are read by neighbouring invocations.
    uint x = gl_WorkGroupID.x * tileWidth + gl_LocalInvocationID.x + 8 * k;
    if (x >= frame.width) break;
    float disparity = disparityAt(x, y);
    if (picks != 0) frame.raw.at[y * frame.width + x] = disparity;
    uint key = keyOf(frame, disparity, bins);
    keys.at[y * frame.width + x] = key;
    uint index = keyIndex(key);
    most = max(most, index);
    if (frame.highlights > 0) {
      uint place = y * frame.width + x;
      vec4 light = unpack(frame.linear.at[place]);
      frame.linear.at[place] = pack(recovered(frame, light, index, uvec2(x, y), uvec2(frame.width, frame.height)));
    }
    if (startsAtHalf != 0) continue;
    if (isSharp(key)) addSharp(keyBin(key));
    else if (index < frame.bandUpper) addReach(keyBin(key), min(reachOf(frame, index), mostRadius));
  }
  if (most > largest) atomicMax(largest, most);
  if (startsAtHalf == 0) writeTile(Tiles(frame.levels[0].tiles), gl_WorkGroupID.y * frame.levels[0].tilesX + gl_WorkGroupID.x);
  else barrier();
  if (gl_LocalInvocationIndex == 0 && largest > frame.circle.largest) atomicMax(frame.circle.largest, largest);
}
