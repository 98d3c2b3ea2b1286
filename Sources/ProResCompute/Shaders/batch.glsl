// What all shaders of a batch of frames share: where its data is, and what its numbers mean. `BatchLayout` writes the
// same.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_16bit_storage : require

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Numbers { int at[]; };
layout(buffer_reference, std430, buffer_reference_align = 2) buffer Samples { uint16_t at[]; };
// Eight samples, or levels.
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Eights { uvec4 at[]; };

// A coded picture: a frame, or one of its fields. Slices and macroblocks are counted through the batch.
struct Picture {
  uint firstSlice;
  uint sliceCount;
  // Where its slices begin, in `sliceOffsets`: one more than there are.
  uint firstOffset;
  uint firstMacroblock;
  // Rows of the frame that it holds: the first, every so many after it, and how many.
  uint firstRow;
  uint rowStep;
  uint rows;
  uint frame;
  // How many slices of a row there are, and have the full width, which is 2 to this power of macroblocks.
  uint slicesAcross;
  uint wideSlices;
  uint log2Width;
};
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Pictures { Picture at[]; };

struct Frame {
  // Planes of Y', Cb, Cr and alpha.
  Samples planes[4];
  // The picture in the layout that was asked for, where that is not those planes.
  Words targets[3];
  uint dcWeights[2];
  // Of luma and of chroma, column after column, at a quantiser scale of 1.
  float weights[2][64];
};
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Frames { Frame at[]; };

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Batch {
  Words bytes;
  Words sliceOffsets;
  // Of each slice its quantiser scale, and `damagedBit`.
  Words slices;
  // Of each slice its levels as they are coded: a position of the scan of all blocks, then the next. Luma, Cb and Cr.
  Samples levels[3];
  Numbers dcs[3];
  Pictures pictures;
  Frames frames;
  uint width;
  uint height;
  uint macroblocksAcross;
  // Bytes from row to row of the planes, and of the targets.
  uint pitches[4];
  uint targetPitches[3];
  uint depth;
  float lumaOffset;
  float lumaScale;
  float redOfRed;
  float greenOfBlue;
  float greenOfRed;
  float blueOfBlue;
  // Where each position of the scan is in a block, column after column.
  uint scan[64];
};

const uint damagedBit = 0x80000000;

struct Column {
  uint firstMacroblock;
  uint log2Width;
};

// The place of slice `index` of a row: as many of the full width as fit, then halving widths.
Column columnOf(Batch batch, Picture picture, uint index) {
  if (index < picture.wideSlices) return Column(index << picture.log2Width, picture.log2Width);
  uint first = picture.wideSlices << picture.log2Width;
  uint rest = batch.macroblocksAcross - first;
  for (uint skipped = index - picture.wideSlices; skipped > 0; skipped--) {
    uint width = 1 << findMSB(rest);
    first += width;
    rest -= width;
  }
  return Column(first, findMSB(rest));
}
