#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Divides pixels on depth edges into a near and a far part; as the CPU's `EdgeSplitter`.
#include "frame.glsl"
#include "bins.glsl"
#include "tiles.glsl"

layout(local_size_x = 8, local_size_y = 16) in;
layout(constant_id = 0) const uint bins = 8;
// Discs larger than this (radius index) are not divided.
layout(constant_id = 1) const uint largestIndex = 3840;
layout(push_constant) uniform Constants { Frame frame; };

// An edge's sides differ in radius by more pixels than this.
const float leastRadius = 1.5;
// The standard deviation of a surface's colours around an edge: a fixed part, and one of the pixel's own brightness.
const float noise = 0.005;
const float relativeNoise = 0.03;
// What is held against a pixel for each of the four beside it that lies on the other side, and against the pixel itself,
// which may be a little of a lamp where it is bright.
const float mixedCost = 0.5;
const float ownCost = 6;
const float brightOwnCost = 60;
// Pixels of each side at most; the last place is the brightest's.
const uint candidateCount = 7;
// The places around a pixel, the nearest first.
const ivec2 places[81] = ivec2[81](
  ivec2(0, 0), ivec2(0, -1), ivec2(-1, 0), ivec2(1, 0), ivec2(0, 1), ivec2(-1, -1), ivec2(1, -1), ivec2(-1, 1),
  ivec2(1, 1), ivec2(0, -2), ivec2(-2, 0), ivec2(2, 0), ivec2(0, 2), ivec2(-1, -2), ivec2(1, -2), ivec2(-2, -1),
  ivec2(2, -1), ivec2(-2, 1), ivec2(2, 1), ivec2(-1, 2), ivec2(1, 2), ivec2(-2, -2), ivec2(2, -2), ivec2(-2, 2),
  ivec2(2, 2), ivec2(0, -3), ivec2(-3, 0), ivec2(3, 0), ivec2(0, 3), ivec2(-1, -3), ivec2(1, -3), ivec2(-3, -1),
  ivec2(3, -1), ivec2(-3, 1), ivec2(3, 1), ivec2(-1, 3), ivec2(1, 3), ivec2(-2, -3), ivec2(2, -3), ivec2(-3, -2),
  ivec2(3, -2), ivec2(-3, 2), ivec2(3, 2), ivec2(-2, 3), ivec2(2, 3), ivec2(0, -4), ivec2(-4, 0), ivec2(4, 0),
  ivec2(0, 4), ivec2(-1, -4), ivec2(1, -4), ivec2(-4, -1), ivec2(4, -1), ivec2(-4, 1), ivec2(4, 1), ivec2(-1, 4),
  ivec2(1, 4), ivec2(-3, -3), ivec2(3, -3), ivec2(-3, 3), ivec2(3, 3), ivec2(-2, -4), ivec2(2, -4), ivec2(-4, -2),
  ivec2(4, -2), ivec2(-4, 2), ivec2(4, 2), ivec2(-2, 4), ivec2(2, 4), ivec2(-3, -4), ivec2(3, -4), ivec2(-4, -3),
  ivec2(4, -3), ivec2(-4, 3), ivec2(4, 3), ivec2(-3, 4), ivec2(3, 4), ivec2(-4, -4), ivec2(4, -4), ivec2(-4, 4),
  ivec2(4, 4));

float disparityAt(ivec2 at) {
  at = clamp(at, ivec2(0), ivec2(frame.width, frame.height) - 1);
  return frame.raw.at[uint(at.y) * frame.width + uint(at.x)];
}

vec3 lightAt(ivec2 at) { return unpack(frame.linear.at[uint(at.y) * frame.width + uint(at.x)]).rgb; }

float brightness(vec3 light) { return max(light.r, max(light.g, light.b)); }

// Light and disparity of the nearest pixels of one side, what is held against each, and how bright the brightest is.
struct Side {
  vec4 lights[candidateCount];
  float costs[candidateCount];
  uint count;
  float brightest;
};

void consider(inout Side side, vec4 light, float cost) {
  float own = brightness(light.rgb);
  if (side.count >= candidateCount - 1 && own <= max(1, 2 * side.brightest)) return;
  uint place = min(side.count, candidateCount - 1);
  side.lights[place] = light;
  side.costs[place] = cost;
  side.count = min(side.count + 1, candidateCount);
  side.brightest = max(side.brightest, own);
}

float others(ivec2 at, float middle, bool isNear) {
  uint count = 0;
  if ((disparityAt(at + ivec2(-1, 0)) > middle) != isNear) count++;
  if ((disparityAt(at + ivec2(1, 0)) > middle) != isNear) count++;
  if ((disparityAt(at + ivec2(0, -1)) > middle) != isNear) count++;
  if ((disparityAt(at + ivec2(0, 1)) > middle) != isNear) count++;
  return float(count);
}

// The other side's share in a pixel, for how many of those around are of that side.
const float shares[13] = float[13](0, 0, 0, 0.01, 0.05, 0.14, 0.3, 0.3, 0.3, 0.35, 0.35, 0.4, 0.4);
// Below this the share is as good as known.
const float leastShare = 0.03;
// 1 / variance of the share, and of one as good as known.
const float plainTrust = 8;
const float sureTrust = 64;

// The near side's share of a pixel, as the pixels around let expect it, and how far that is to be trusted.
vec2 expectedShare(ivec2 at, float middle) {
  int around = 0;
  for (int i = 0; i < 9; i++) {
    ivec2 offset = ivec2(i % 3, i / 3) - 1;
    if (i != 4 && disparityAt(at + offset) > middle) around += (2 - abs(offset.x)) * (2 - abs(offset.y));
  }
  bool isNear = disparityAt(at) > middle;
  float other = shares[isNear ? 12 - around : around];
  return vec2(isNear ? 1 - other : other, other < leastShare ? sureTrust : plainTrust);
}

struct Mix {
  vec4 near;
  vec4 far;
  float share;
};

// The pair of pixels around that explains the pixel best; false where one side shows nothing.
bool findMix(ivec2 at, float middle, out Mix best) {
  Side near;
  Side far;
  near.count = 0;
  near.brightest = 0;
  far.count = 0;
  far.brightest = 0;
  [[dont_unroll]] for (int i = 0; i < 81; i++) {
    ivec2 place = at + places[i];
    if (any(lessThan(place, ivec2(1))) || any(greaterThanEqual(place, ivec2(frame.width, frame.height) - 1))) continue;
    vec4 light = vec4(lightAt(place), disparityAt(place));
    bool isNear = light.w > middle;
    float cost = i == 0 ? (brightness(light.rgb) > 1 ? brightOwnCost : ownCost) : others(place, middle, isNear) * mixedCost;
    if (isNear) consider(near, light, cost);
    else consider(far, light, cost);
  }
  best = Mix(vec4(0), vec4(0), 0);
  if (near.count == 0 || far.count == 0) return false;
  vec3 own = lightAt(at);
  float deviation = noise + relativeNoise * brightness(own);
  float certainty = 1 / (deviation * deviation);
  vec2 guess = expectedShare(at, middle);
  float expected = guess.x;
  float trust = guess.y;
  float least = 3e38;
  for (uint i = 0; i < near.count; i++) {
    for (uint j = 0; j < far.count; j++) {
      vec3 way = near.lights[i].rgb - far.lights[j].rgb;
      vec3 rest = own - far.lights[j].rgb;
      float along = dot(way, rest) * certainty + expected * trust;
      float share = clamp(along / (dot(way, way) * certainty + trust), 0, 1);
      vec3 error = rest - way * share;
      float surprise = share - expected;
      float cost = near.costs[i] + far.costs[j] + dot(error, error) * certainty + surprise * surprise * trust;
      if (cost < least) {
        least = cost;
        best = Mix(near.lights[i], far.lights[j], share);
      }
    }
  }
  return true;
}

// The part of what a mixture leaves unexplained that both sides keep.
const float restShare = 0.5;

// A side's colour with what the mixture leaves unexplained, but no further than the pixel's own.
vec4 partOf(vec3 light, vec3 rest, vec3 own, float share) {
  return vec4(clamp(light + rest, min(light, own), max(light, own)), 1) * share;
}

// The key of a pixel, which may have become that of a part or of two.
uint judge(ivec2 at, uint key) {
  float least = 3e38;
  float most = -3e38;
  for (int i = 0; i < 9; i++) {
    float value = disparityAt(at + ivec2(i % 3, i / 3) - 1);
    least = min(least, value);
    most = max(most, value);
  }
  if (!(most - least > leastRadius / frame.radiusPerDisparity)) return key;
  Mix best;
  if (!findMix(at, (least + most) / 2, best)) return key;
  uint near = keyOf(frame, best.near.w, bins);
  uint far = keyOf(frame, best.far.w, bins);
  if (max(keyIndex(near), keyIndex(far)) > largestIndex) return key;
  if (best.share <= 0) return far;
  if (best.share >= 1) return near;
  vec3 own = lightAt(at);
  vec3 rest = (own - best.near.rgb * best.share - best.far.rgb * (1 - best.share)) * restShare;
  uint place = uint(at.y) * frame.width + uint(at.x);
  frame.partKeys.at[place] = uvec2(near, far);
  frame.partColors.at[place] = uvec4(
    pack(partOf(best.near.rgb, rest, own, best.share)), pack(partOf(best.far.rgb, rest, own, 1 - best.share)));
  return key | splitBit;
}

void addPart(uint key) {
  if (keyIndex(key) < frame.bandUpper) addReach(keyBin(key), min(reachOf(frame, keyIndex(key)), mostRadius));
}

void main() {
  clearTile();
  uint y = gl_WorkGroupID.y * tileHeight + gl_LocalInvocationID.y;
  for (uint k = 0; k < 4 && y < frame.height; k++) {
    uint x = gl_WorkGroupID.x * tileWidth + gl_LocalInvocationID.x + 8 * k;
    if (x >= frame.width) break;
    uint place = y * frame.width + x;
    uint key = judge(ivec2(x, y), frame.levels[0].keys.at[place]);
    frame.levels[0].keys.at[place] = key;
    if (isSplit(key)) {
      uvec2 parts = frame.partKeys.at[place];
      addPart(parts.x);
      addPart(parts.y);
      if (keyBin(parts.x) == keyBin(parts.y)) addShared(keyBin(parts.x));
    } else if (isSharp(key)) {
      addSharp(keyBin(key));
    } else {
      addPart(key);
    }
  }
  writeTile(Tiles(frame.levels[0].tiles), gl_WorkGroupID.y * frame.levels[0].tilesX + gl_WorkGroupID.x);
}
