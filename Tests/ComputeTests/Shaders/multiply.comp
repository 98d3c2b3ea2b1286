#version 460
#extension GL_EXT_buffer_reference : require
// Multiplies numbers by a constant of the shader, and adds one of the dispatch.
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint factor = 1;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Numbers { uint values[]; };
layout(push_constant) uniform Constants { Numbers numbers; uint count; uint offset; };

void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < count) numbers.values[i] = numbers.values[i] * factor + offset;
}
