#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
// Copies memory, to see how fast that can be.

layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Blocks { uvec4 at[]; };
layout(push_constant) uniform Constants { Blocks source; Blocks target; uint count; };

const uint atOnce = 4;

void main() {
  uint threads = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  uint i = gl_GlobalInvocationID.x;
  for (; i + (atOnce - 1) * threads < count; i += atOnce * threads) {
    uvec4 blocks[atOnce];
    [[unroll]] for (uint k = 0; k < atOnce; k++) blocks[k] = source.at[i + k * threads];
    [[unroll]] for (uint k = 0; k < atOnce; k++) target.at[i + k * threads] = blocks[k];
  }
  for (; i < count; i += threads) target.at[i] = source.at[i];
}
