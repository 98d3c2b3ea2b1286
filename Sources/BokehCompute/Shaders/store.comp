#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
// Stores a plane of the picture, a word an invocation (of a preview's luma two), in the orientation in which it is shown;
// as the CPU's `PictureWriter`. Pixels that nothing has touched get the source's own codes.
#include "frame.glsl"
#include "stored.glsl"
#include "marks.glsl"

layout(local_size_x = 64, local_size_y = 2) in;
layout(constant_id = 0) const uint model = 0;
layout(constant_id = 1) const uint kind = 0;
// The components of a block's samples, two bits each, and the plane's pixels in a block.
layout(constant_id = 2) const uint sampleCount = 1;
layout(constant_id = 3) const uint components = 0;
layout(constant_id = 4) const uint blockWidth = 1;
// Pixels for each chroma sample of the target.
layout(constant_id = 5) const uint across = 1;
layout(constant_id = 6) const uint down = 1;
layout(constant_id = 7) const uint isDithered = 0;
layout(constant_id = 8) const uint reduction = 1;
layout(constant_id = 9) const uint isTransposed = 0;
// Whether the frame starts at half resolution; and whether each of the target's chroma samples has a pixel there.
layout(constant_id = 10) const uint startsAtHalf = 0;
layout(constant_id = 11) const uint takesHalf = 0;
// How the source stores its samples, if it has alpha.
layout(constant_id = 12) const uint sourceKind = 255;
layout(push_constant) uniform Constants { Frame frame; uint plane; uint planeHeight; };

const uint modelYCbCr = 0;
const uint modelRGB = 1;
const uint alpha = 3;

// The stored place of the pixel that is shown at (u, v).
ivec2 stored(int u, int v) {
  int x = frame.turnA * u + frame.turnB * v + (frame.turnA + frame.turnB < 0 ? int(frame.storedWidth) - 1 : 0);
  int y = frame.turnC * u + frame.turnD * v + (frame.turnC + frame.turnD < 0 ? int(frame.storedHeight) - 1 : 0);
  return ivec2(x, y);
}

bool isShown(ivec2 block) { return isMarked(markedKey(frame, block), shownBit); }

vec4 fullPixel(ivec2 place) { return unpack(frame.picture.at[place.y * int(frame.storedWidth) + place.x]); }

vec4 halfPixel(int x, int y) { return unpack(frame.halfPicture.at[y * int(frame.width) + x]); }

// Of a frame that starts at half resolution: what full resolution shows, else half resolution enlarged.
vec4 previewAt(ivec2 place) {
  place = clamp(place, ivec2(0), ivec2(frame.storedWidth, frame.storedHeight) - 1);
  ivec2 block = place >> 1;
  if (isShown(block)) return fullPixel(place);
  ivec2 other = clamp(block + 2 * (place & 1) - 1, ivec2(0), ivec2(frame.width, frame.height) - 1);
  vec4 near = mix(halfPixel(block.x, block.y), halfPixel(other.x, block.y), 0.25);
  return mix(near, mix(halfPixel(block.x, other.y), halfPixel(other.x, other.y), 0.25), 0.25);
}

vec4 pixelAt(ivec2 place) {
  if (startsAtHalf != 0) return previewAt(place);
  if (reduction == 1) {
    place = clamp(place, ivec2(0), ivec2(frame.width, frame.height) - 1);
    return unpack(frame.picture.at[place.y * frame.width + place.x]);
  }
  place = clamp(place, ivec2(0), ivec2(frame.storedWidth, frame.storedHeight) - 1);
  vec2 at = max((vec2(place) + 0.5) / float(reduction) - 0.5, 0);
  uvec2 first = min(uvec2(at), uvec2(frame.width, frame.height) - 1);
  uvec2 second = min(uvec2(at) + 1, uvec2(frame.width, frame.height) - 1);
  vec2 part = at - floor(at);
  vec4 top = mix(
    unpack(frame.picture.at[first.y * frame.width + first.x]),
    unpack(frame.picture.at[first.y * frame.width + second.x]), part.x);
  vec4 bottom = mix(
    unpack(frame.picture.at[second.y * frame.width + first.x]),
    unpack(frame.picture.at[second.y * frame.width + second.x]), part.x);
  return mix(top, bottom, part.y);
}

bool isUntouched(ivec2 place) {
  ivec2 size = ivec2(frame.levels[0].width, frame.levels[0].height);
  place = clamp(place, ivec2(0), size - 1);
  if (startsAtHalf != 0 && !isShown(place >> 1)) return false;
  return (frame.untouched.at[place.y * frame.untouchedPitch + (place.x >> 1)] >> (place.x & 1) & 1) != 0;
}

uint original(uint component, uvec2 place) {
  uint offset = frame.sourceOffset[component] + place.y * frame.sourcePitch[component]
    + place.x * frame.sourceStep[component];
  return loadBits(frame.source[component], offset, kind);
}

// Within ±0.45 of a code, by the ordered pattern of 8 x 8.
float dither(uint u, uint v) {
  if (isDithered == 0) return 0;
  uint x = u & 7;
  uint y = (v ^ u) & 7;
  uint bits = (y & 1) << 5 | (x & 1) << 4 | (y & 2) << 2 | (x & 2) << 1 | (y & 4) >> 1 | (x & 4) >> 2;
  return (float(bits) - 31.5) * (0.9 / 255 / 64);
}

float limited(float value) { return min(max(frame.targetLeast, value), frame.targetMost); }

float lumaOf(vec4 color) {
  return frame.targetRed * color.r + (1 - frame.targetRed - frame.targetBlue) * color.g + frame.targetBlue * color.b;
}

uint pixelBits(uint component, uint u, uint v) {
  ivec2 place = stored(int(u), int(v));
  if (frame.copies != 0 && isUntouched(place)) return original(component, uvec2(place));
  vec4 color = pixelAt(place);
  if (component == alpha) {
    if (startsAtHalf == 0 || sourceKind == 255) return storedBits(color.a, kind);
    uint offset = frame.sourceOffset[alpha] + place.y * frame.sourcePitch[alpha] + place.x * frame.sourceStep[alpha];
    return storedBits(storedValue(loadBits(frame.source[alpha], offset, sourceKind), sourceKind), kind);
  }
  if (model == modelRGB) return storedBits(color[component] + dither(u, v), kind);
  if (model != modelYCbCr) return storedBits(lumaOf(color) + dither(u, v), kind);
  return storedBits(limited(frame.targetRange[0] + frame.targetRange[1] * lumaOf(color) + dither(u, v)), kind);
}

// Which pixels around a chroma sample it is the mean of, in one direction.
void taps(uint subsampling, float siting, out int first, out int count, out float outer) {
  bool isBetween = siting == 0.5;
  first = subsampling == 1 || isBetween ? 0 : siting == 0 ? -1 : 0;
  count = subsampling == 1 ? 1 : isBetween ? 2 : 3;
  outer = subsampling == 1 ? 1 : isBetween ? 0.5 : 0.25;
}

uvec2 codedChroma(vec4 color) {
  float luma = lumaOf(color);
  vec2 chroma = vec2(color.b - luma, color.r - luma) / (2 * (1 - vec2(frame.targetBlue, frame.targetRed)));
  vec2 value = frame.targetRange[2] + frame.targetRange[3] * chroma;
  return uvec2(storedBits(limited(value.x), kind), storedBits(limited(value.y), kind));
}

// The mean of a block's pixels, which half resolution has unless full resolution shows them.
vec4 blockPixel(ivec2 block) {
  block = clamp(block, ivec2(0), ivec2(frame.width, frame.height) - 1);
  if (!isShown(block)) return halfPixel(block.x, block.y);
  ivec2 first = 2 * block;
  ivec2 last = min(first + 1, ivec2(frame.storedWidth, frame.storedHeight) - 1);
  return (fullPixel(first) + fullPixel(ivec2(last.x, first.y)) + fullPixel(ivec2(first.x, last.y)) + fullPixel(last)) / 4;
}

// As the CPU's `HalfWriter.writeChroma`.
uvec2 halfChromaBits(ivec2 block) {
  ivec2 step = ivec2(sign(vec2(frame.sitingX, frame.sitingY) - 0.5));
  vec2 part = abs(vec2(frame.sitingX, frame.sitingY) - 0.5) / 2;
  bool isKept = frame.copies != 0 && isShown(block);
  if (isKept) {
    ivec2 first = 2 * block + min(step, 0);
    ivec2 last = 2 * block + 1 + max(step, 0);
    for (int y = first.y; y <= last.y; y++) {
      for (int x = first.x; x <= last.x; x++) isKept = isKept && isUntouched(ivec2(x, y));
    }
  }
  if (isKept) return uvec2(original(1, uvec2(block)), original(2, uvec2(block)));
  vec4 color = blockPixel(block);
  if (part.y != 0) color = mix(color, blockPixel(block + ivec2(0, step.y)), part.y);
  if (part.x != 0) {
    vec4 other = blockPixel(block + ivec2(step.x, 0));
    if (part.y != 0) other = mix(other, blockPixel(block + step), part.y);
    color = mix(color, other, part.x);
  }
  return codedChroma(color);
}

// Both chroma samples as bits.
uvec2 chromaBits(uint i, uint j) {
  if (takesHalf != 0) return halfChromaBits(ivec2(i, j));
  uvec2 storedSampling = isTransposed != 0 ? uvec2(down, across) : uvec2(across, down);
  vec2 siting = isTransposed != 0 && across != down ? vec2(0.5) : vec2(frame.sitingX, frame.sitingY);
  ivec2 first;
  ivec2 count;
  vec2 outer;
  taps(storedSampling.x, siting.x, first.x, count.x, outer.x);
  taps(storedSampling.y, siting.y, first.y, count.y, outer.y);
  ivec2 one = stored(int(i * across), int(j * down));
  ivec2 other = stored(int(i * across + across) - 1, int(j * down + down) - 1);
  ivec2 corner = min(one, other);

  bool isKept = frame.copies != 0 && all(greaterThanEqual(corner, ivec2(0)))
    && all(equal(uvec2(corner) % storedSampling, uvec2(0)));
  vec4 sum = vec4(0);
  for (int y = 0; y < count.y; y++) {
    for (int x = 0; x < count.x; x++) {
      ivec2 place = corner + first + ivec2(x, y);
      isKept = isKept && isUntouched(place);
      float across_ = count.x == 3 && x == 1 ? 0.5 : outer.x;
      float down_ = count.y == 3 && y == 1 ? 0.5 : outer.y;
      sum += pixelAt(place) * (across_ * down_);
    }
  }
  if (isKept) {
    uvec2 place = uvec2(corner) / storedSampling;
    return uvec2(original(1, place), original(2, place));
  }
  return codedChroma(sum);
}

// The lumas of a block's pixels, the upper two first: what full resolution shows of it, else half resolution enlarged, beside
// shown blocks with what half resolution itself has for these.
vec4 blockLumas(ivec2 block) {
  ivec2 last = ivec2(frame.storedWidth, frame.storedHeight) - 1;
  if (isShown(block)) {
    vec4 lumas;
    [[unroll]] for (int i = 0; i < 4; i++) lumas[i] = lumaOf(fullPixel(min(2 * block + ivec2(i & 1, i >> 1), last)));
    return lumas;
  }
  ivec2 end = ivec2(frame.width, frame.height) - 1;
  // Of three columns, in the block's upper and lower row.
  vec2 columns[3];
  [[unroll]] for (int i = 0; i < 3; i++) {
    int x = clamp(block.x + i - 1, 0, end.x);
    float own = lumaOf(halfPixel(x, block.y));
    columns[i].x = mix(own, lumaOf(halfPixel(x, max(block.y - 1, 0))), 0.25);
    columns[i].y = mix(own, lumaOf(halfPixel(x, min(block.y + 1, end.y))), 0.25);
  }
  vec2 left = mix(columns[1], columns[0], 0.25);
  vec2 right = mix(columns[1], columns[2], 0.25);
  return vec4(left.x, right.x, left.y, right.y);
}

// A block's luma samples as bits; as the CPU's `HalfWriter.write`.
uvec4 blockLumaBits(uvec2 block) {
  vec4 lumas = blockLumas(ivec2(block));
  bool mayKeep = frame.copies != 0 && isShown(ivec2(block));
  uvec4 bits = uvec4(0);
  [[unroll]] for (uint i = 0; i < 4; i++) {
    uvec2 at = 2 * block + uvec2(i & 1, i >> 1);
    if (at.x >= frame.shownWidth || at.y >= frame.shownHeight) continue;
    float value = frame.targetRange[0] + frame.targetRange[1] * lumas[i] + dither(at.x, at.y);
    bits[i] = mayKeep && isUntouched(ivec2(at)) ? original(0, at) : storedBits(limited(value), kind);
  }
  return bits;
}

// Stores a word of luma in each row of a row of blocks.
void storeLumas(uint word, uint blockRow) {
  uint bytes = sampleBytes(kind);
  uvec2 bits = uvec2(0);
  for (uint i = 0; i < 2 / bytes; i++) {
    uvec2 block = uvec2(word * (2 / bytes) + i, blockRow);
    if (2 * block.x >= frame.shownWidth) break;
    uvec4 pixels = blockLumaBits(block);
    bits |= (pixels.xz | pixels.yw << (8 * bytes)) << (16 * i);
  }
  uint pitch = frame.targetPitch[plane] / 4;
  frame.target[plane].at[2 * blockRow * pitch + word] = bits.x;
  if (2 * blockRow + 1 < planeHeight) frame.target[plane].at[(2 * blockRow + 1) * pitch + word] = bits.y;
}

void main() {
  uint word = gl_GlobalInvocationID.x;
  uint row = gl_GlobalInvocationID.y;
  uint bytes = sampleBytes(kind);
  if (row >= planeHeight || word * 4 >= frame.targetPitch[plane]) return;
  if (takesHalf != 0 && sampleCount == 1) {
    if (2 * row < planeHeight) storeLumas(word, row);
    return;
  }
  uint bits = 0;
  uint knownBlock = 0xFFFFFFFF;
  uvec2 chroma = uvec2(0);
  for (uint i = 0; i < 4 / bytes; i++) {
    uint number = word * (4 / bytes) + i;
    uint block = number / sampleCount;
    uint k = number % sampleCount;
    uint component = components >> (2 * k) & 3;
    uint value = 0;
    if (model == modelYCbCr && (component == 1 || component == 2)) {
      if (block * across >= frame.shownWidth) continue;
      if (block != knownBlock) chroma = chromaBits(block, row);
      knownBlock = block;
      value = component == 1 ? chroma.x : chroma.y;
    } else {
      uint u = block * blockWidth;
      for (uint before = 0; before < k; before++) {
        if ((components >> (2 * before) & 3) == component) u++;
      }
      if (u >= frame.shownWidth) continue;
      value = pixelBits(component, u, row);
    }
    bits |= value << (8 * bytes * i);
  }
  frame.target[plane].at[row * (frame.targetPitch[plane] / 4) + word] = bits;
}
