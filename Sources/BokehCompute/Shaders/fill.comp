#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Scatter and fill by tiles: each pixel gathers, bin by bin from near to far, the discs that reach it, and fills its
// aperture with them; as the CPU's `BinRow`, `BinSums` and `FillStage`.
#include "frame.glsl"
#include "resolutions.glsl"
#include "marks.glsl"

layout(constant_id = 0) const uint bins = 8;
// What comes out.
layout(constant_id = 1) const uint kind = 0;
layout(constant_id = 2) const uint isLinear = 0;
layout(constant_id = 3) const uint isHidden = 0;
// The curve that brings HDR to SDR, 0 for none, and whether light is a scene's.
layout(constant_id = 4) const uint tone = 0;
layout(constant_id = 5) const uint isSceneLight = 0;
layout(push_constant) uniform Constants { Frame frame; uint level; };

// The picture, a lower resolution's layers, or all bins of the layer behind near objects in one.
const uint kindPicture = 0;
const uint kindLayers = 1;
const uint kindWhole = 2;
// The layers of half resolution, and its picture.
const uint kindHalf = 3;

uint place(uint level) { return isHidden != 0 ? hiddenLevels + level : level; }

// Whether pixels on depth edges have two parts.
layout(constant_id = 6) const uint splits = 0;
// Whether the frame starts at half resolution: of full resolution marked blocks are known.
layout(constant_id = 7) const uint startsAtHalf = 0;
// What discs look like: 0 for plain round ones.
layout(constant_id = 8) const uint look = 0;
#include "tones.glsl"
#include "shapes.glsl"

const uint slotCount = 4;
// Pixels that an invocation fills, side by side: those of a block of 2 x 2 that are in its row.
const uint run = 2;
const uint threads = tileWidth / run * tileHeight;
layout(local_size_x = tileWidth / run, local_size_y = tileHeight) in;
// A row of taps. What a tile needs of shared memory decides how many a device works on at a time, and so how well it hides
// waiting for memory: two are nearly twice as fast as one.
const uint stride = tileWidth + 2 * mostRadius + 1;
const uint rowCount = tileHeight + 2 * mostRadius;
const uint widthCount = mostIndex + 1;
// Keeps light that is divided by the area of a large disc among the half floats with all their digits.
const float areaScale = 128;

// A sample of each tap: its radius here and its bin.
shared uint tapKeys[stride * rowCount];
// For each bin the taps that have a sample of it, a bit each, two words a row.
shared uvec2 taps[bins * rowCount];
shared uint redGreen[stride * rowCount];
shared uint blueWeight[stride * rowCount];
shared uint rowMost[rowCount];
shared uint reach[16];
shared uint isFilled;
shared uint coarserFilled;
shared uint hiddenFilled;
shared uint sharedBins;

struct Pixel {
  vec4 light;
  float weight;
};

// Neighbours of one surface differ by no more than this, in steps of the radius.
const int mostStep = 32;
// Rests of the aperture below this may be gaps between discs of one surface.
const float tolerance = 0.12;

float openPart(float free) {
  float share = min(free * (1 / tolerance), 1);
  return free * share * share;
}

vec4 take(vec4 light, vec4 layer) {
  if (layer.w <= leastWeight || light.w >= 1) return light;
  float free = openPart(1 - light.w);
  return light + (layer.w <= free ? layer : layer * (free / layer.w));
}

uint coarserBin(bool isNear) { return isNear ? frame.circle.nearBin[level + 1] : frame.circle.farBin[level + 1]; }

// What a tile of a lower resolution's layers holds: something nearer than the shared bins, in these, and farther.
const uint frontFilled = 1;
const uint sumsFilled = 2;
const uint backFilled = 4;

// What a tile of a lower resolution holds, that one of four which this one's enlargement reads.
uint coarserFill(uint coarser, uint halvings, uint i) {
  ivec2 first = ivec2(gl_WorkGroupID.xy * uvec2(tileWidth, tileHeight) >> halvings) - 1;
  ivec2 last = first + (ivec2(tileWidth, tileHeight) >> int(halvings)) + 1;
  ivec2 corner = ivec2((i & 1) == 0 ? first.x : last.x, (i & 2) == 0 ? first.y : last.y);
  ivec2 most = ivec2(frame.levels[coarser].width, frame.levels[coarser].height) - 1;
  uvec2 tile = uvec2(clamp(corner, ivec2(0), most)) / uvec2(tileWidth, tileHeight);
  return Tiles(frame.levels[coarser].tiles).at[tile.y * frame.levels[coarser].tilesX + tile.x].isFilled;
}

// The largest reach of each bin in this tile and those around it.
void collectReach() {
  uint i = gl_LocalInvocationIndex;
  if (i < 16) reach[i] = 0;
  if (i == 16) isFilled = 0;
  if (i == 17) coarserFilled = 0;
  if (i == 18) hiddenFilled = 0;
  if (i == 19) sharedBins = 0;
  barrier();
  uvec2 tiles = uvec2(frame.levels[place(level)].tilesX, frame.levels[place(level)].tilesY);
  if (i < 9) {
    ivec2 tile = ivec2(gl_WorkGroupID.xy) + ivec2(i % 3, i / 3) - 1;
    if (all(greaterThanEqual(tile, ivec2(0))) && all(lessThan(tile, ivec2(tiles)))) {
      uint number = tile.y * tiles.x + tile.x;
      uvec4 packed = Tiles(frame.levels[place(level)].tiles).at[number].reach;
      if (splits != 0) atomicOr(sharedBins, Tiles(frame.levels[place(level)].tiles).at[number].sharedBins);
      for (uint bin = 0; bin < bins; bin++) {
        uint value = packed[bin / 4] >> (8 * (bin % 4)) & 0xFF;
        if (value > reach[bin]) atomicMax(reach[bin], value);
      }
    }
  }
  if (i >= 32 && i < 36 && level < frame.circle.coarsest) atomicOr(coarserFilled, coarserFill(place(level + 1), 1, i));
  if (i >= 36 && i < 40 && (kind == kindPicture || kind == kindHalf) && frame.circle.hiddenFilled != 0) {
    atomicOr(hiddenFilled, coarserFill(hiddenLevels + frame.hiddenLevel, frame.hiddenLevel - level, i));
  }
  barrier();
}

// The largest reach of all bins, and 1; 0 where none reaches the tile.
int widestReach() {
  uint most = 0;
  for (uint bin = 0; bin < bins; bin++) most = max(most, reach[bin]);
  return int(most);
}

#include "staging.glsl"
#include "gathering.glsl"

// A row of pixels of a plane of half the resolution.
void enlarge(Words plane, uint x, uint y, out vec4 values[run]) {
  Halfs halfs = Halfs(plane);
  ivec2 size = (ivec2(frame.levels[place(level)].width, frame.levels[place(level)].height) + 1) / 2;
  int near = clamp(int(y >> 1), 0, size.y - 1);
  int other = clamp(int(y >> 1) + ((y & 1) == 0 ? -1 : 1), 0, size.y - 1);
  vec4 columns[run / 2 + 2];
  [[unroll]] for (int i = 0; i < int(run) / 2 + 2; i++) {
    int column = clamp(int(x >> 1) + i - 1, 0, size.x - 1);
    columns[i] = unpack(halfs.at[near * size.x + column]) * 0.75 + unpack(halfs.at[other * size.x + column]) * 0.25;
  }
  [[unroll]] for (int p = 0; p < int(run); p++) {
    values[p] = columns[1 + p / 2] * 0.75 + columns[p / 2 + 2 * (p & 1)] * 0.25;
  }
}

void takeCoarser(Words plane, uint x, uint y, inout Pixel pixels[run]) {
  vec4 values[run];
  enlarge(plane, x, y, values);
  [[unroll]] for (uint p = 0; p < run; p++) {
    pixels[p].light = take(pixels[p].light, values[p]);
    pixels[p].weight += values[p].w;
  }
}

// The same of what lies farther than all bins, which half resolution's picture takes too.
void takeBack(uint x, uint y, inout Pixel pixels[run], inout vec4 wholes[run]) {
  vec4 values[run];
  enlarge(frame.levels[place(level + 1)].back, x, y, values);
  [[unroll]] for (uint p = 0; p < run; p++) {
    pixels[p].light = take(pixels[p].light, values[p]);
    pixels[p].weight += values[p].w;
    if (kind == kindHalf) wholes[p] = take(wholes[p], values[p]);
  }
}

vec4 hiddenAt(uint x, uint y) {
  uint hiddenPlace = hiddenLevels + frame.hiddenLevel;
  ivec2 last = ivec2(frame.levels[hiddenPlace].width, frame.levels[hiddenPlace].height) - 1;
  vec2 at = (vec2(x, y) + 0.5) / float(1u << (frame.hiddenLevel - level)) - 0.5;
  ivec2 first = ivec2(floor(at));
  vec2 part = at - vec2(first);
  ivec2 low = clamp(first, ivec2(0), last);
  ivec2 high = clamp(first + 1, ivec2(0), last);
  int stride = last.x + 1;
  vec4 top = mix(unpack(frame.hidden.at[low.y * stride + low.x]), unpack(frame.hidden.at[low.y * stride + high.x]), part.x);
  vec4 bottom =
    mix(unpack(frame.hidden.at[high.y * stride + low.x]), unpack(frame.hidden.at[high.y * stride + high.x]), part.x);
  return mix(top, bottom, part.y);
}

// What lies behind gets what all else leaves over.
void takeHidden(uint x, uint y, inout vec4 lights[run]) {
  bool isOpen = false;
  [[unroll]] for (uint p = 0; p < run; p++) isOpen = isOpen || lights[p].w < 1;
  if (!isOpen) return;
  [[unroll]] for (uint p = 0; p < run; p++) lights[p] = take(lights[p], hiddenAt(x + p, y));
}

void addCoarser(Words plane, uint x, uint y, inout vec4 sums[run]) {
  vec4 values[run];
  enlarge(plane, x, y, values);
  [[unroll]] for (uint p = 0; p < run; p++) sums[p] += values[p];
}

vec4 encode(vec4 light) {
  if (tone != 0) return vec4(mapped(frame, light.rgb), light.a);
  if (isLinear != 0) return light;
  return vec4(
    octave(frame.signal, frame.signalSlopeAtZero, light.r), octave(frame.signal, frame.signalSlopeAtZero, light.g),
    octave(frame.signal, frame.signalSlopeAtZero, light.b), light.a);
}

// A bit for each of the invocation's pixels that is there, and that full resolution looks at if it is half resolution's.
uint readBits(uint x, uint y) {
  uint width = frame.levels[place(level)].width;
  uint read = 0;
  [[unroll]] for (uint p = 0; p < run; p++) {
    if (x + p >= width) continue;
    if (kind != kindHalf || isMarked(markedKey(frame, ivec2(x + p, y)), readBit)) read |= 1u << p;
  }
  return read;
}

// Writes values of a plane of the present resolution.
void write(Words plane, uint x, uint y, uint read, vec4 values[run]) {
  uint width = frame.levels[place(level)].width;
  [[unroll]] for (uint p = 0; p < run; p++) {
    if ((read & 1u << p) != 0) Halfs(plane).at[y * width + x + p] = pack(values[p]);
  }
}

void writePicture(uint x, uint y, Pixel pixels[run], uint keys[run]) {
  uint flags = 0;
  [[unroll]] for (uint p = 0; p < run; p++) {
    if (x + p >= frame.levels[0].width) continue;
    uint number = y * frame.levels[0].width + x + p;
    vec4 own = unpack(lightOf(number));
    bool isUntouched = isSharp(keys[p]) && pixels[p].weight < leastWeight;
    vec4 light = pixels[p].light;
    vec4 result = isUntouched || light.w <= 1e-3 ? own : vec4(light.rgb / light.w, own.a);
    if (isUntouched) flags |= 1u << p;
    frame.picture.at[number] = pack(encode(result));
  }
  frame.untouched.at[y * frame.untouchedPitch + x / run] = flags;
}

bool hasLight(Pixel pixels[run]) {
  bool found = false;
  [[unroll]] for (uint p = 0; p < run; p++) found = found || pixels[p].light.w > 0;
  return found;
}

// Half resolution's picture; `wholes` is the light of all layers.
void writeHalf(uint x, uint y, vec4 wholes[run]) {
  [[unroll]] for (uint p = 0; p < run; p++) {
    if (x + p >= frame.width) continue;
    uint number = y * frame.width + x + p;
    vec4 light = wholes[p].w <= 1e-3 ? unpack(frame.linear.at[number]) : vec4(wholes[p].rgb / wholes[p].w, 1);
    frame.halfPicture.at[number] = pack(encode(light));
  }
}

// Whether an invocation's pixels of full resolution, which are of one block, are shown.
bool isShown(uint x, uint y) { return isMarked(markedKey(frame, ivec2(x, y) / 2), shownBit); }

// In steps, negative for what lies beyond the focus.
int signedRadius(uint key) { return isNear(keyBin(key)) ? int(keyIndex(key)) : -int(keyIndex(key)); }

// Whether the pixels around are of the same surface, and some of them, or this one, of next to no blur; as the CPU's `Surface`.
bool closesGap(uint x, uint y, uint key) {
  uint least = keyIndex(key);
  bool isOne = true;
  ivec2 most = ivec2(frame.levels[0].width, frame.levels[0].height) - 1;
  // All nine are on their way at a time; beyond the border lies one of them again.
  [[unroll]] for (int i = 0; i < 9; i++) {
    ivec2 at = clamp(ivec2(x, y) + ivec2(i % 3, i / 3) - 1, ivec2(0), most);
    uint other = frame.levels[0].keys.at[at.y * (most.x + 1) + at.x];
    isOne = isOne && !isSplit(other) && abs(signedRadius(other) - signedRadius(key)) <= mostStep;
    least = min(least, keyIndex(other));
  }
  return isOne && least <= tightIndex;
}

// What is filled at least this far has no gap that anyone sees.
const float leastWhole = 0.98;

// Closes the gap that a pixel of little blur leaves where its surface goes on.
vec4 closed(vec4 light, uint x, uint y, uint key) {
  if (light.w >= (keyIndex(key) <= tightIndex ? 1 : leastWhole) || !closesGap(x, y, key)) return light;
  vec4 own = vec4(unpack(lightOf(y * frame.levels[0].width + x)).rgb, 1);
  return light + own * (1 - light.w);
}

const bool makesLayers = kind == kindLayers || kind == kindHalf;

// An invocation's pixels: where the first is, and whether they are wanted.
uint x;
uint y;
bool isInside;
uint keys[run];
Pixel pixels[run];
// A bit for each whose gap may be closed, and has not been yet.
uint gaps = 0;
// A bit for each whose layers are wanted.
uint read = 0;
// The light of all layers, which half resolution's picture is made of.
vec4 wholes[run];
// Of the layers: sums of the present shared bins, the part of the aperture that is filled before what is farther than
// these, and what all of them hold.
vec4 shares[run];
float occupied[run];
uint filled = 0;

vec4[run] lights() {
  vec4 values[run];
  [[unroll]] for (uint p = 0; p < run; p++) values[p] = pixels[p].light;
  return values;
}

uint tileNumber() { return gl_WorkGroupID.y * frame.levels[place(level)].tilesX + gl_WorkGroupID.x; }

// Whether nothing is to be done here.
bool isIdle() {
  if (isHidden != 0 && frame.circle.hiddenFilled == 0) return true;
  return kind == kindPicture && startsAtHalf != 0 && Tiles(frame.levels[0].tiles).at[tileNumber()].isShown == 0;
}

void begin() {
  uvec2 size = uvec2(frame.levels[place(level)].width, frame.levels[place(level)].height);
  x = gl_WorkGroupID.x * tileWidth + gl_LocalInvocationID.x * run;
  y = gl_WorkGroupID.y * tileHeight + gl_LocalInvocationID.y;
  isInside = x < size.x && y < size.y;
  if (kind == kindPicture && startsAtHalf != 0) isInside = isInside && isShown(x, y);
  if (kind != kindPicture && isInside) read = readBits(x, y);
  [[unroll]] for (uint p = 0; p < run; p++) {
    keys[p] = kind == kindPicture && isInside ? frame.levels[0].keys.at[y * size.x + min(x + p, size.x - 1)] : 0;
    if (kind == kindPicture && isInside && x + p < size.x && isNarrow(keys[p]) && !isSharp(keys[p])) gaps |= 1u << p;
    pixels[p] = Pixel(vec4(0), 0);
    shares[p] = vec4(0);
    occupied[p] = 0;
  }
  if ((coarserFilled & frontFilled) != 0 && isInside) takeCoarser(frame.levels[place(level + 1)].front, x, y, pixels);
  [[unroll]] for (uint p = 0; p < run; p++) wholes[p] = pixels[p].light;
}

// Adds what the discs of a bin give to each pixel.
void gatherBin(uint bin, int widest, inout vec4 sums[run]) {
  int radius = int(reach[bin]) - 1;
  if ((extras & 1u << bin) != 0) stageExtras(bin, widest, frame.circle.coarsest);
  if (isInside) gatherAny(bin, radius, widest, sums);
  if (splits != 0 && (sharedBins & 1u << bin) != 0) {
    stageSeconds(bin, widest, frame.circle.coarsest);
    if (isInside) gatherAny(bin, radius, widest, sums);
  }
  [[unroll]] for (uint p = 0; p < run; p++) sums[p] *= 1 / areaScale;
}

// Takes a bin's sums to the layers: those of the bins that go on as sums, `near` and `far`, are used up; what is nearer, and
// what is farther, is filled afterwards.
void addToLayers(uint bin, uvec2 near, uvec2 far, inout vec4 sums[run]) {
  if (bin == near.x) {
    write(frame.levels[place(level)].front, x, y, read, lights());
    if (hasLight(pixels)) filled |= frontFilled;
    [[unroll]] for (uint p = 0; p < run; p++) occupied[p] = pixels[p].light.w;
  }
  if (bin >= near.x && bin <= near.y || bin >= far.x && bin <= far.y) {
    [[unroll]] for (uint p = 0; p < run; p++) {
      occupied[p] += sums[p].w;
      pixels[p].light = vec4(0);
      shares[p] += sums[p];
      sums[p] = vec4(0);
    }
  }
  if (bin == near.y || bin == far.y) {
    if (bin == near.y) write(frame.levels[place(level)].near, x, y, read, shares);
    if (bin == far.y) write(frame.levels[place(level)].far, x, y, read, shares);
    [[unroll]] for (uint p = 0; p < run; p++) {
      if (shares[p].w > 0) filled |= sumsFilled;
      shares[p] = vec4(0);
    }
  }
  if (bin == far.y) {
    [[unroll]] for (uint p = 0; p < run; p++) {
      occupied[p] = min(occupied[p], 1);
      pixels[p].light.w = occupied[p];
    }
  }
}

// Fills each pixel's aperture with a bin's sums, and with the pixel itself where it is in that bin and in focus.
void take(uint bin, uint sharpBins, vec4 sums[run]) {
  uint width = frame.levels[place(level)].width;
  [[unroll]] for (uint p = 0; p < run; p++) {
    pixels[p].weight += sums[p].w;
    if (kind == kindPicture && isInside && isSharp(keys[p]) && keyBin(keys[p]) == bin && (sharpBins & 1u << bin) != 0) {
      sums[p] += vec4(unpack(lightOf(y * width + min(x + p, width - 1))).rgb, 1);
    }
    pixels[p].light = take(pixels[p].light, sums[p]);
  }
}

// Closes gaps once all has been taken up to the pixels' own bins, or to the next if more of their surfaces may lie there.
void closeGaps(uint bin) {
  [[unroll]] for (uint p = 0; p < run; p++) {
    uint closing = keyIndex(keys[p]) <= tightIndex ? keyBin(keys[p]) : keyBin(keys[p]) + 1;
    if ((gaps & 1u << p) == 0 || bin < closing) continue;
    gaps &= ~(1u << p);
    pixels[p].light = closed(pixels[p].light, x + p, y, keys[p]);
  }
}

// Fills the apertures from near to far.
void fillBins(int widest) {
  bool hasSums = (coarserFilled & sumsFilled) != 0;
  uint coarserNear = hasSums ? coarserBin(true) : bins;
  uint coarserFar = hasSums ? coarserBin(false) : bins;
  // The bins that go on as sums, on either side of the focus.
  uvec2 near = !makesLayers ? uvec2(bins) : uvec2(frame.circle.nearEnd[level], frame.circle.nearBin[level]);
  uvec2 far = !makesLayers ? uvec2(bins) : uvec2(frame.circle.farBin[level], frame.circle.farEnd[level]);
  uint sharpBins = kind != kindPicture ? 0 : Tiles(frame.levels[0].tiles).at[tileNumber()].sharpBins;
  for (uint bin = 0; bin < bins; bin++) {
    bool isReached = reach[bin] > 0 && ((present | sharedBins) & 1u << bin) != 0;
    bool isCoarser = bin == coarserNear || bin == coarserFar;
    bool goesOn = bin >= near.x && bin <= near.y || bin >= far.x && bin <= far.y;
    if (!isReached && !isCoarser && !goesOn && (sharpBins & 1u << bin) == 0) continue;
    vec4 sums[run];
    [[unroll]] for (uint p = 0; p < run; p++) sums[p] = vec4(0);
    if (isReached) gatherBin(bin, widest, sums);
    if (bin == coarserNear && isInside) addCoarser(frame.levels[place(level + 1)].near, x, y, sums);
    if (bin == coarserFar && isInside) addCoarser(frame.levels[place(level + 1)].far, x, y, sums);
    if (kind == kindHalf) {
      [[unroll]] for (uint p = 0; p < run; p++) wholes[p] = take(wholes[p], sums[p]);
    }
    if (makesLayers) {
      addToLayers(bin, near, far, sums);
      if (bin > near.y && bin < far.x) continue;
    }
    take(bin, sharpBins, sums);
    if (kind == kindPicture) closeGaps(bin);
  }
  if (kind == kindPicture) closeGaps(bins);
}

void finishPicture() {
  if (!isInside) return;
  vec4 lights[run] = lights();
  if (hiddenFilled != 0) takeHidden(x, y, lights);
  [[unroll]] for (uint p = 0; p < run; p++) pixels[p].light = lights[p];
  writePicture(x, y, pixels, keys);
}

void finishLayers() {
  if (isInside) {
    if (kind == kindHalf) {
      if (hiddenFilled != 0) takeHidden(x, y, wholes);
      writeHalf(x, y, wholes);
    }
    [[unroll]] for (uint p = 0; p < run; p++) pixels[p].light.w -= occupied[p];
    write(kind == kindWhole ? Words(frame.hidden) : frame.levels[place(level)].back, x, y, read, lights());
    if (hasLight(pixels)) filled |= kind == kindWhole ? frontFilled : backFilled;
    if (filled != 0) atomicOr(isFilled, filled);
  }
  barrier();
  if (gl_LocalInvocationIndex == 0) Tiles(frame.levels[place(level)].tiles).at[tileNumber()].isFilled = isFilled;
}

void main() {
  if (isIdle()) return;
  collectReach();
  begin();
  int widest = widestReach() - 1;
  // Where everything is in focus and nothing else reaches in, the picture is what it was.
  if (kind != kindPicture || coarserFilled != 0 || widest >= 0) {
    if (widest >= 0) stage(widest, frame.circle.coarsest);
    fillBins(widest);
    if ((coarserFilled & backFilled) != 0 && isInside) takeBack(x, y, pixels, wholes);
    if (kind == kindPicture) finishPicture();
    else finishLayers();
  } else if (isInside) {
    writePicture(x, y, pixels, keys);
  }
}
