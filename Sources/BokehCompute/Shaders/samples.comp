#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// The samples of a lower resolution, near to far: for each block of 2 x 2 and each bin the mean of what the finer resolution
// leaves to this one; as the CPU's `SampleStage.reduced`.
#include "frame.glsl"
#include "resolutions.glsl"
#include "tiles.glsl"
#include "marks.glsl"

layout(local_size_x = 8, local_size_y = 16) in;
// Whether the finer resolution is that of pixels; 2 where these are known in parts only, and half resolution besides.
layout(constant_id = 0) const uint isFirst = 0;
layout(constant_id = 1) const uint isHidden = 0;
layout(push_constant) uniform Constants { Frame frame; uint level; };

uint place(uint level) { return isHidden != 0 ? hiddenLevels + level : level; }

const uint slotCount = 4;

struct Slots {
  uint bins[slotCount];
  vec4 colors[slotCount];
  float indices[slotCount];
  uint count;
};

// Adds to the slot of that bin; where all are taken, to that of the nearest bin.
void add(inout Slots slots, uint bin, uint index, vec4 color) {
  uint own = slotCount;
  uint nearest = 0;
  uint distance = 256;
  [[unroll]] for (uint i = 0; i < slotCount; i++) {
    if (i >= slots.count) continue;
    if (slots.bins[i] == bin) own = i;
    uint away = uint(abs(int(slots.bins[i]) - int(bin)));
    if (away < distance) {
      distance = away;
      nearest = i;
    }
  }
  if (own == slotCount) {
    own = slots.count < slotCount ? slots.count : nearest;
    if (slots.count < slotCount) slots.count++;
  }
  [[unroll]] for (uint i = 0; i < slotCount; i++) {
    if (i != own) continue;
    if (slots.colors[i].w == 0) slots.bins[i] = bin;
    slots.colors[i] += color;
    slots.indices[i] += float(index) * color.w;
  }
}

bool isFilled(Slots slots, uint i) { return i < slots.count && slots.colors[i].w > 0; }

// A slot's place among the filled ones, near to far.
uint rank(Slots slots, uint own) {
  uint before = 0;
  [[unroll]] for (uint i = 0; i < slotCount; i++) {
    if (isFilled(slots, i) && slots.bins[i] < slots.bins[own]) before++;
  }
  return before;
}

void addPart(inout Slots slots, uint key, vec4 color, uint coarsest) {
  float part = passed(frame, 0, keyIndex(key), coarsest);
  if (part > 0) add(slots, keyBin(key), keyIndex(key), color * part);
}

void addPixel(inout Slots slots, uint x, uint y, uint coarsest) {
  uint pixel = y * frame.levels[0].width + x;
  uint key = frame.levels[0].keys.at[pixel];
  if (isSplit(key)) {
    uvec2 keys = frame.partKeys.at[pixel];
    uvec4 colors = frame.partColors.at[pixel];
    addPart(slots, keys.x, unpack(colors.xy), coarsest);
    addPart(slots, keys.y, unpack(colors.zw), coarsest);
  } else if (keyIndex(key) > frame.bandLower) {
    addPart(slots, key, vec4(unpack(isFirst == 2 ? frame.detail.at[pixel] : frame.linear.at[pixel]).rgb, 1), coarsest);
  }
}

void addBlock(inout Slots slots, uint x, uint y, uint coarsest) {
  uint width = frame.levels[place(level - 1)].width;
  uint count = width * frame.levels[place(level - 1)].height;
  uint block = y * width + x;
  uvec4 keys = Keys(frame.levels[place(level - 1)].keys).at[block];
  for (uint slot = 0; slot < slotCount; slot++) {
    uint key = keys[slot];
    if (key == 0) break;
    float part = passed(frame, level - 1, keyIndex(key), coarsest);
    if (part > 0) {
      vec4 color = unpack(Halfs(frame.levels[place(level - 1)].colors).at[slot * count + block]);
      add(slots, keyBin(key), keyIndex(key), color * part);
    }
  }
}

// A block that is one pixel of half resolution.
void writeWhole(uint block, uint key, uint coarsest) {
  Keys(frame.levels[1].keys).at[block] = uvec4(key, 0, 0, 0);
  Halfs(frame.levels[1].colors).at[block] = pack(vec4(unpack(frame.linear.at[block]).rgb, 1));
  if (passed(frame, 1, keyIndex(key), coarsest) < 1) addReach(keyBin(key), reachOf(frame, reducedIndex(frame, keyIndex(key), 1)));
}

void main() {
  if (isHidden != 0 && frame.circle.hiddenFilled == 0) return;
  clearTile();
  uint coarsest = frame.circle.coarsest;
  uvec2 finer = uvec2(frame.levels[place(level - 1)].width, frame.levels[place(level - 1)].height);
  uvec2 size = uvec2(frame.levels[place(level)].width, frame.levels[place(level)].height);
  uint y = gl_WorkGroupID.y * tileHeight + gl_LocalInvocationID.y;
  for (uint k = 0; k < 4 && y < size.y; k++) {
    // Neighbours in a row are read by neighbouring invocations.
    uint x = gl_WorkGroupID.x * tileWidth + gl_LocalInvocationID.x + 8 * k;
    if (x >= size.x) break;
    Slots slots;
    slots.count = 0;
    [[unroll]] for (uint i = 0; i < slotCount; i++) {
      slots.colors[i] = vec4(0);
      slots.indices[i] = 0;
      slots.bins[i] = 0;
    }
    if (isFirst == 2) {
      uint key = markedKey(frame, ivec2(x, y));
      if (!isMarked(key, drawnBit)) {
        writeWhole(y * size.x + x, plainKey(key), coarsest);
        continue;
      }
    }
    uvec2 end = min(2 * uvec2(x, y) + 2, finer);
    for (uint row = 2 * y; row < end.y; row++) {
      for (uint column = 2 * x; column < end.x; column++) {
        if (isFirst != 0) addPixel(slots, column, row, coarsest);
        else addBlock(slots, column, row, coarsest);
      }
    }
    float share = 1 / float((end.x - 2 * x) * (end.y - 2 * y));
    uint block = y * size.x + x;
    uvec4 keys = uvec4(0);
    [[unroll]] for (uint i = 0; i < slotCount; i++) {
      if (!isFilled(slots, i)) continue;
      uint index = uint(slots.indices[i] / slots.colors[i].w);
      uint own = rank(slots, i);
      [[unroll]] for (uint k = 0; k < slotCount; k++) if (own == k) keys[k] = makeKey(index, slots.bins[i]);
      Halfs(frame.levels[place(level)].colors).at[own * size.x * size.y + block] = pack(slots.colors[i] * share);
      if (passed(frame, level, index, coarsest) < 1) {
        addReach(slots.bins[i], reachOf(frame, reducedIndex(frame, index, level)));
      }
    }
    Keys(frame.levels[place(level)].keys).at[block] = keys;
  }
  writeTile(Tiles(frame.levels[place(level)].tiles), gl_WorkGroupID.y * frame.levels[place(level)].tilesX + gl_WorkGroupID.x);
}
