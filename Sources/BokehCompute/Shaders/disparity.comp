#version 460
#extension GL_GOOGLE_include_directive : require
// Reads disparity as 1/m, and finds its least and greatest; as the CPU's `DisparityReader`.
#include "frame.glsl"
#include "stored.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 0) const uint kind = 0;
layout(constant_id = 1) const uint isCoded = 0;
layout(constant_id = 2) const uint isDepth = 0;
layout(constant_id = 3) const uint shift = 0;
layout(push_constant) uniform Constants { Frame frame; };

shared uint least;
shared uint most;
shared uint holes;

const float largestValid = 10000;

float read(uint x, uint y) {
  uint bits = loadBits(frame.disparity, y * frame.disparityPitch + x * sampleBytes(kind), kind);
  if (isCoded != 0) return frame.codes.at[bits >> shift];
  float value = storedValue(bits, kind);
  return isDepth != 0 ? 1 / value : value;
}

void main() {
  if (gl_LocalInvocationIndex == 0) {
    least = 0xFFFFFFFF;
    most = 0;
    holes = 0;
  }
  barrier();
  uint count = frame.sampleWidth * frame.sampleHeight;
  for (uint i = gl_GlobalInvocationID.x; i < count; i += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    float value = read(i % frame.sampleWidth, i / frame.sampleWidth);
    bool isValid = value >= 0 && value <= largestValid;
    // Zero has two signs; numbers that are not negative are ordered as their bits.
    frame.samples.at[i] = isValid ? abs(value) : uintBitsToFloat(0x7FC00000);
    if (isValid) {
      uint bits = floatBitsToUint(abs(value));
      if (bits < least) atomicMin(least, bits);
      if (bits > most) atomicMax(most, bits);
    } else if (holes == 0) {
      atomicOr(holes, 1);
    }
  }
  barrier();
  if (gl_LocalInvocationIndex == 0) {
    atomicMin(frame.circle.least, least);
    atomicMax(frame.circle.most, most);
    if (holes != 0) atomicOr(frame.circle.holes, 1);
  }
}
