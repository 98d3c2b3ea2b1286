#version 460
#extension GL_GOOGLE_include_directive : require
// The samples of the layer behind: what is behind occluders; as the CPU's `HiddenBlocks.write`.
#include "frame.glsl"
#include "resolutions.glsl"
#include "bins.glsl"
#include "tiles.glsl"

layout(local_size_x = 8, local_size_y = 16) in;
layout(constant_id = 0) const uint bins = 8;
layout(push_constant) uniform Constants { Frame frame; };

void main() {
  if (frame.circle.hiddenFilled == 0) return;
  uint level = hiddenLevels + frame.hiddenLevel;
  clearTile();
  uint coarsest = frame.circle.coarsest;
  uvec2 size = uvec2(frame.levels[level].width, frame.levels[level].height);
  uint y = gl_WorkGroupID.y * tileHeight + gl_LocalInvocationID.y;
  for (uint k = 0; k < 4 && y < size.y; k++) {
    uint x = gl_WorkGroupID.x * tileWidth + gl_LocalInvocationID.x + 8 * k;
    if (x >= size.x) break;
    uint place = y * size.x + x;
    vec4 behind = unpack(frame.behind.at[place]);
    uint key = 0;
    if (frame.occluders.at[place] != 0 && behind.w > 0) {
      key = keyOf(frame, frame.behindDisparity.at[place], bins);
      // 0 means that there is no sample.
      uint index = max(keyIndex(key), 1u);
      key = makeKey(index, keyBin(key));
      Halfs(frame.levels[level].colors).at[place] = pack(vec4(behind.rgb, 1));
      if (passed(frame, frame.hiddenLevel, index, coarsest) < 1) {
        addReach(keyBin(key), reachOf(reducedIndex(index, frame.hiddenLevel)));
      };
    }
    Keys(frame.levels[level].keys).at[place] = uvec4(key, 0, 0, 0);
  }
  writeTile(Tiles(frame.levels[level].tiles), gl_WorkGroupID.y * frame.levels[level].tilesX + gl_WorkGroupID.x);
}
