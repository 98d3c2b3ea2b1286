#version 460
#extension GL_EXT_buffer_reference : require
// Writes how many groups a later dispatch has.
layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Numbers { uint values[]; };
layout(push_constant) uniform Constants { Numbers numbers; uint count; uint offset; };

void main() {
  numbers.values[0] = count;
  numbers.values[1] = 1;
  numbers.values[2] = 1;
}
