#version 460
#extension GL_GOOGLE_include_directive : require
// Counts the disparities of a frame in even bins; as the CPU's `DisparityRange`.
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "frame.glsl"

layout(local_size_x = 256) in;
layout(push_constant) uniform Constants { Frame frame; };

shared uint counts[countCount];

void main() {
  for (uint i = gl_LocalInvocationIndex; i < countCount; i += 256) counts[i] = 0;
  barrier();
  float least = leastDisparity(frame);
  float most = mostDisparity(frame);
  float scale = most - least > leastWidth ? float(countCount - 1) / (most - least) : 0;
  uint count = frame.sampleWidth * frame.sampleHeight;
  for (uint i = gl_GlobalInvocationID.x; i < count; i += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
    float value = frame.samples.at[i];
    uint bin = min(uint((value - least) * scale), countCount - 1);
    // Neighbours are mostly alike, and adding to one place is done one after the other.
    if (subgroupAllEqual(bin)) {
      uint alike = subgroupBallotBitCount(subgroupBallot(true));
      if (subgroupElect()) atomicAdd(counts[bin], alike);
    } else {
      atomicAdd(counts[bin], 1);
    }
  }
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < countCount; i += 256) {
    if (counts[i] != 0) atomicAdd(frame.circle.counts[i], counts[i]);
  }
}
