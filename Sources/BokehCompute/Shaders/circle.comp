#version 460
#extension GL_GOOGLE_include_directive : require
// The frame's range without its rarest disparities, and the depth bins; as the CPU's `DisparityRange` and
// `CircleOfConfusion`.
#include "frame.glsl"

layout(local_size_x = 1024) in;
layout(constant_id = 0) const uint bins = 8;
layout(push_constant) uniform Constants { Frame frame; };

shared uint sums[countCount];

const float tail = 0.002;

// The sums of the counts up to each, from one end.
void sumUp(uint i, uint count) {
  sums[i] = count;
  barrier();
  for (uint step = 1; step < countCount; step *= 2) {
    uint other = i >= step ? sums[i - step] : 0;
    barrier();
    sums[i] += other;
    barrier();
  }
}

shared uint lower;
shared uint upper;

void main() {
  uint i = gl_LocalInvocationIndex;
  Circle circle = frame.circle;
  uint spare = uint(float(frame.sampleWidth * frame.sampleHeight) * tail);
  if (i == 0) {
    lower = countCount - 1;
    upper = 0;
  }
  sumUp(i, circle.counts[i]);
  if (sums[i] > spare) atomicMin(lower, i);
  barrier();
  sumUp(i, circle.counts[countCount - 1 - i]);
  if (sums[i] > spare) atomicMax(upper, countCount - 1 - i);
  barrier();
  if (i != 0) return;
  float least = leastDisparity(frame);
  float most = mostDisparity(frame);
  float low = least;
  float high = least;
  if (most - least > leastWidth) {
    float scale = float(countCount - 1) / (most - least);
    low = least + float(lower) / scale;
    high = max(low, least + float(upper) / scale);
  }
  float near = max(0, high - frame.focus) * frame.radiusPerDisparity;
  float far = max(0, frame.focus - low) * frame.radiusPerDisparity;
  float share = near / max(near + far, 1.17549435e-38);
  uint nearBins = clamp(uint(floor(float(bins) * share + 0.5)), 1u, bins - 1);
  circle.low = low;
  circle.high = high;
  circle.step = max(frame.tolerance, (high - low) * frame.edgeShare);
  circle.nearBins = nearBins;
  circle.nearBinsPerPixel = float(nearBins) / max(near, 0.5);
  circle.farBinsPerPixel = float(bins - nearBins) / max(far, 0.5);
}
