#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Which blocks of a frame that starts at half resolution are worked on at full resolution, and these pixels' light, radii
// and bins; as the CPU's `DetailMarks` and `PreviewStage.readDetail`.
#include "frame.glsl"
#include "stored.glsl"
#include "bins.glsl"
#include "tiles.glsl"
#include "highlights.glsl"
#include "guide.glsl"
#include "cell.glsl"
#include "marks.glsl"

layout(local_size_x = 8, local_size_y = 16) in;
layout(push_constant) uniform Constants { Frame frame; };
#include "picture.glsl"
#include "upsample.glsl"
layout(constant_id = 7) const uint bins = 8;
// Whether there are at least as many samples of disparity as pixels of half resolution.
layout(constant_id = 8) const uint picks = 0;

const uint blocksAcross = tileWidth / 2;
const uint blocksDown = tileHeight / 2;
const uint rowCount = blocksDown + 2 * readReach;

// Nearly sharp blocks of the tile and its surroundings, a bit each; of them, and of the marks, a row each.
shared uint sharp[rowCount];
shared uint drawn[blocksDown];
shared uint shown[blocksDown];
shared uint isAnyShown;

void findSharp() {
  uint i = gl_LocalInvocationIndex;
  if (i < rowCount) sharp[i] = 0;
  if (i == rowCount) isAnyShown = 0;
  barrier();
  ivec2 size = ivec2(frame.levels[1].width, frame.levels[1].height);
  ivec2 first = ivec2(gl_WorkGroupID.xy * uvec2(blocksAcross, blocksDown)) - int(readReach);
  const uint columns = blocksAcross + 2 * readReach;
  for (uint n = i; n < columns * rowCount; n += 128) {
    ivec2 at = first + ivec2(n % columns, n / columns);
    if (any(lessThan(at, ivec2(0))) || any(greaterThanEqual(at, size))) continue;
    if (keyIndex(plainKey(markedKey(frame, at))) < frame.bandUpper) atomicOr(sharp[n / columns], 1u << (n % columns));
  }
  barrier();
}

// The blocks of a row that are at most so far from nearly sharp ones, the tile's first one in the first bit.
uint near(uint row, uint reach) {
  uint bits = 0;
  for (uint y = row + readReach - reach; y <= row + readReach + reach; y++) bits |= sharp[y];
  uint wide = bits;
  for (uint x = 1; x <= reach; x++) wide |= bits << x | bits >> x;
  return wide >> readReach & ((1u << blocksAcross) - 1);
}

void mark() {
  uint i = gl_LocalInvocationIndex;
  if (i < blocksDown) {
    drawn[i] = near(i, drawnReach);
    shown[i] = near(i, shownReach);
    if (shown[i] != 0) atomicOr(isAnyShown, 1);
  }
  barrier();
  uvec2 own = uvec2(i % blocksAcross, i / blocksAcross);
  uvec2 at = gl_WorkGroupID.xy * uvec2(blocksAcross, blocksDown) + own;
  if (at.x >= frame.levels[1].width || at.y >= frame.levels[1].height) return;
  uint bit = 1u << own.x;
  uint marks = ((drawn[own.y] & bit) != 0 ? drawnBit : 0) | ((shown[own.y] & bit) != 0 ? shownBit : 0)
    | ((near(own.y, readReach) & bit) != 0 ? readBit : 0);
  uint place = at.y * frame.levels[1].width + at.x;
  // Other tiles look at the key only.
  if (marks != 0) atomicOr(frame.halfKeys.at[place], marks);
}

float disparityAt(uvec2 at, vec3 light) {
  uvec2 size = uvec2(frame.levels[0].width, frame.levels[0].height);
  if (picks == 0) return upsampled(cellOf(frame, at, size), light);
  uvec2 samples = uvec2(frame.sampleWidth, frame.sampleHeight);
  uvec2 place = (2 * at + 1) * samples / (2 * size);
  return frame.samples.at[place.y * samples.x + place.x];
}

// Whether no nearly sharp block is in reach.
bool isBlurred() {
  uint all = 0;
  [[unroll]] for (uint row = 0; row < rowCount; row++) all |= sharp[row];
  return all == 0;
}

void main() {
  findSharp();
  uint tile = gl_WorkGroupID.y * frame.levels[0].tilesX + gl_WorkGroupID.x;
  clearTile();
  if (isBlurred()) {
    writeTile(Tiles(frame.levels[0].tiles), tile);
    if (gl_LocalInvocationIndex == 0) Tiles(frame.levels[0].tiles).at[tile].isShown = 0;
    return;
  }
  mark();
  uint y = gl_WorkGroupID.y * tileHeight + gl_LocalInvocationID.y;
  uint row = gl_LocalInvocationID.y / 2;
  for (uint k = 0; k < 4 && y < frame.levels[0].height; k++) {
    // Neighbours in a row are read by neighbouring invocations.
    uint column = gl_LocalInvocationID.x + 8 * k;
    uint x = gl_WorkGroupID.x * tileWidth + column;
    if (x >= frame.levels[0].width) break;
    uint bit = 1u << (column / 2);
    if ((shown[row] & bit) == 0) continue;
    uint number = y * frame.levels[0].width + x;
    vec4 light = lightAt(x, y);
    uint key = plainKey(markedKey(frame, ivec2(x, y) / 2));
    if ((drawn[row] & bit) != 0) {
      key = keyOf(frame, disparityAt(uvec2(x, y), light.rgb), bins);
      if (isSharp(key)) addSharp(keyBin(key));
      else if (keyIndex(key) < frame.bandUpper) addReach(keyBin(key), min(reachOf(frame, keyIndex(key)), mostRadius));
    }
    frame.levels[0].keys.at[number] = key;
    if (frame.highlights > 0) {
      light = recovered(frame, light, keyIndex(key), uvec2(x, y), uvec2(frame.levels[0].width, frame.levels[0].height));
    }
    frame.detail.at[number] = pack(light);
  }
  writeTile(Tiles(frame.levels[0].tiles), tile);
  if (gl_LocalInvocationIndex == 0) Tiles(frame.levels[0].tiles).at[tile].isShown = isAnyShown;
}
