#version 460
#extension GL_GOOGLE_include_directive : require
// Writes planes in the layout that was asked for, two pixels an invocation (six of v210); as the CPU's `DecodedSlice`.
#include "batch.glsl"

layout(local_size_x = 64, local_size_y = 4) in;
// As `ProResLayout.shaderKind` numbers them.
layout(constant_id = 0) const uint kind = 0;
layout(constant_id = 1) const uint isFullChroma = 0;
layout(constant_id = 2) const uint hasAlpha = 0;
// How far samples are shifted up, and whether there is a plane of alpha.
layout(constant_id = 3) const uint shift = 0;
layout(constant_id = 4) const uint writesAlpha = 0;
layout(push_constant) uniform Constants { Batch batch; };

const uint y416 = 0;
const uint v216 = 1;
const uint v210 = 2;
const uint biPlanarHalved = 3;
const uint biPlanarFull = 4;
const uint b64a = 5;
const uint bgra = 6;
const uint rgbaHalf = 7;

uint sampleAt(uint plane, uint x, uint y) {
  return uint(batch.frames.at[gl_WorkGroupID.z].planes[plane].at[y * (batch.pitches[plane] >> 1) + x]);
}

uint luma(uint x, uint y) { return sampleAt(0, min(x, batch.width - 1), y); }

uint alpha(uint x, uint y) { return hasAlpha != 0 ? sampleAt(3, min(x, batch.width - 1), y) : 0xFFFF; }

// Chroma of every pixel.
uint fullChroma(uint plane, uint x, uint y) {
  x = min(x, batch.width - 1);
  if (isFullChroma != 0) return sampleAt(plane, x, y);
  uint last = batch.width - 1 >> 1;
  return sampleAt(plane, x >> 1, y) + sampleAt(plane, min(x + 1 >> 1, last), y) + 1 >> 1;
}

// Chroma of every other pixel; `x` is the pixel's, which is even.
uint halvedChroma(uint plane, uint x, uint y) {
  if (isFullChroma == 0) return sampleAt(plane, x >> 1, y);
  uint before = max(x, 1) - 1;
  uint after = min(x + 1, batch.width - 1);
  return sampleAt(plane, before, y) + 2 * sampleAt(plane, x, y) + sampleAt(plane, after, y) + 2 >> 2;
}

vec4 colorOf(uint x, uint y) {
  float grey = (float(luma(x, y)) - batch.lumaOffset) * batch.lumaScale;
  float blue = float(fullChroma(1, x, y)) - 32768;
  float red = float(fullChroma(2, x, y)) - 32768;
  return vec4(
    grey + red * batch.redOfRed, grey + blue * batch.greenOfBlue + red * batch.greenOfRed,
    grey + blue * batch.blueOfBlue, float(alpha(x, y)) / 65535);
}

uvec4 codesOf(uint x, uint y, float most) { return uvec4(clamp(colorOf(x, y) * most, 0, most) + 0.5); }

uint swapped(uint code) { return code << 8 & 0xFF00 | code >> 8; }

uvec2 pixelOf(uint x, uint y) {
  if (kind == y416) {
    return uvec2(alpha(x, y) | luma(x, y) << 16, fullChroma(1, x, y) | fullChroma(2, x, y) << 16);
  }
  if (kind == rgbaHalf) {
    vec4 color = colorOf(x, y);
    return uvec2(packHalf2x16(color.rg), packHalf2x16(color.ba));
  }
  uvec4 codes = codesOf(x, y, 65535);
  return uvec2(swapped(codes.a) | swapped(codes.r) << 16, swapped(codes.g) | swapped(codes.b) << 16);
}

uint bgraOf(uint x, uint y) {
  uvec4 codes = codesOf(x, y, 255);
  return codes.b | codes.g << 8 | codes.r << 16 | codes.a << 24;
}

void put(uint target, uint place, uint word) { batch.frames.at[gl_WorkGroupID.z].targets[target].at[place] = word; }

void writeV210(uint group, uint y) {
  uint x = 6 * group;
  uint last = batch.width - 1;
  uint blue[3];
  uint red[3];
  for (uint pair = 0; pair < 3; pair++) {
    uint at = min(x + 2 * pair, last) & ~1;
    blue[pair] = halvedChroma(1, at, y);
    red[pair] = halvedChroma(2, at, y);
  }
  uint place = y * (batch.targetPitches[0] >> 2) + 4 * group;
  put(0, place, blue[0] | luma(x, y) << 10 | red[0] << 20);
  put(0, place + 1, luma(x + 1, y) | blue[1] << 10 | luma(x + 2, y) << 20);
  put(0, place + 2, red[1] | luma(x + 3, y) << 10 | blue[2] << 20);
  put(0, place + 3, luma(x + 4, y) | red[2] << 10 | luma(x + 5, y) << 20);
}

void writeBiPlanar(uint pair, uint y) {
  uint x = 2 * pair;
  put(0, y * (batch.targetPitches[0] >> 2) + pair, (luma(x, y) | luma(x + 1, y) << 16) << shift);
  uint place = y * (batch.targetPitches[1] >> 2);
  if (kind == biPlanarHalved) {
    put(1, place + pair, (halvedChroma(1, x, y) | halvedChroma(2, x, y) << 16) << shift);
  } else {
    put(1, place + x, (fullChroma(1, x, y) | fullChroma(2, x, y) << 16) << shift);
    if (x + 1 < batch.width) {
      put(1, place + x + 1, (fullChroma(1, x + 1, y) | fullChroma(2, x + 1, y) << 16) << shift);
    }
  }
  if (writesAlpha != 0) put(2, y * (batch.targetPitches[2] >> 2) + pair, alpha(x, y) | alpha(x + 1, y) << 16);
}

void main() {
  uint y = gl_GlobalInvocationID.y;
  uint unit = gl_GlobalInvocationID.x;
  uint x = (kind == v210 ? 6 : 2) * unit;
  if (y >= batch.height || x >= batch.width) return;
  uint row = y * (batch.targetPitches[0] >> 2);
  if (kind == v210) {
    writeV210(unit, y);
  } else if (kind == biPlanarHalved || kind == biPlanarFull) {
    writeBiPlanar(unit, y);
  } else if (kind == v216) {
    put(0, row + x, halvedChroma(1, x, y) | luma(x, y) << 16);
    put(0, row + x + 1, halvedChroma(2, x, y) | luma(x + 1, y) << 16);
  } else if (kind == bgra) {
    put(0, row + x, bgraOf(x, y));
    if (x + 1 < batch.width) put(0, row + x + 1, bgraOf(x + 1, y));
  } else {
    for (uint at = x; at < min(x + 2, batch.width); at++) {
      uvec2 pixel = pixelOf(at, y);
      put(0, row + 2 * at, pixel.x);
      put(0, row + 2 * at + 1, pixel.y);
    }
  }
}
