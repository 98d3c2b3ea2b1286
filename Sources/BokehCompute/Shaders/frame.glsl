// What all shaders of a frame share: where its planes are, and what its numbers mean. `FrameLayout` writes the same.
#extension GL_EXT_buffer_reference : require

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats { float at[]; };
// Four half floats: linear light or R'G'B', and weight or alpha.
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Halfs { uvec2 at[]; };
// The left and right ends of spans.
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Spans { vec2 at[]; };
// The keys of the up to four samples of a block.
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Keys { uvec4 at[]; };

// What a tile holds: for each bin 1 + the reach of its largest disc in pixels, 0 for none; the bins of its sharp pixels;
// whether its layers hold anything; and the bins that have both parts of a divided pixel.
struct Tile {
  uvec4 reach;
  uint sharpBins;
  uint isFilled;
  uint sharedBins;
  // Whether pixels of full resolution are shown, of a frame that starts at half.
  uint isShown;
};
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Tiles { Tile at[]; };

const uint levelCount = 11;
// Where the resolutions of the layer behind near objects follow those of the picture.
const uint hiddenLevels = levelCount;
const uint countCount = 1024;

// What only the device knows of a frame: its range of disparities, and what follows.
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Circle {
  uint least;
  uint most;
  uint holes;
  uint largest;
  float low;
  float high;
  float step;
  uint nearBins;
  float nearBinsPerPixel;
  float farBinsPerPixel;
  uint coarsest;
  uint hiddenFilled;
  // Of the bins that a level shares with the next finer one those with the smallest radii, and those with the largest.
  uint nearBin[levelCount];
  uint farBin[levelCount];
  uint nearEnd[levelCount];
  uint farEnd[levelCount];
  // Groups of the dispatches of each level, of the picture and of the layer behind.
  uint groups[2 * levelCount][4];
  uint counts[countCount];
};

struct Level {
  Words keys;
  Words colors;
  Words tiles;
  Words front;
  Words near;
  Words far;
  Words back;
  uint width;
  uint height;
  uint tilesX;
  uint tilesY;
};

layout(buffer_reference, std430, buffer_reference_align = 16) buffer Frame {
  // The stored picture, by component.
  Words source[4];
  // The stored picture to be, by plane.
  Words target[4];
  Words disparity;
  Floats codes;
  Floats light;
  Floats signal;
  Floats halfWidths;
  // Of discs that are not plain round ones: for each row, the one `mostRadius` above the centre first, and each radius index.
  Spans spans;
  // The mean brightness in each cell of the picture.
  Floats surroundings;
  // What a tone map needs: the display's exponent, its gamma, and the curve.
  Floats tones[3];
  Circle circle;
  Floats samples;
  // Disparity at full resolution.
  Floats raw;
  Halfs linear;
  Halfs picture;
  Words untouched;
  // The two parts of divided pixels.
  Halfs partKeys;
  Keys partColors;
  Halfs guide;
  Floats refined;
  Halfs slopes;
  Words edges;
  Floats past;
  Halfs pastGuide;
  Floats holeValues;
  Floats holeWeights;
  // What lies behind near objects: 0 near depth edges, along rows and all; and the result.
  Floats nearEdgeAcross;
  Floats nearEdge;
  Halfs hidden;
  // Of a frame that starts at half resolution: light of full resolution where it is looked at, keys of half with the
  // marks of `marks.glsl`, and half resolution's R'G'B'.
  Halfs detail;
  Words halfKeys;
  Halfs halfPicture;
  Level levels[2 * levelCount];
  uint sourceOffset[4];
  uint sourcePitch[4];
  uint sourceStep[4];
  uint targetPitch[4];
  // Of the stored picture, and as it is shown.
  uint storedWidth;
  uint storedHeight;
  uint shownWidth;
  uint shownHeight;
  // Of the planes of light and disparity.
  uint width;
  uint height;
  uint sampleWidth;
  uint sampleHeight;
  uint disparityPitch;
  uint untouchedPitch;
  int turnA;
  int turnB;
  int turnC;
  int turnD;
  float sourceRed;
  float sourceBlue;
  float targetRed;
  float targetBlue;
  float sitingX;
  float sitingY;
  float sourceRange[4];
  float targetRange[4];
  float targetLeast;
  float targetMost;
  float lightStepsPerUnit;
  float signalSlopeAtZero;
  float toneSlopes[3];
  float toneScale;
  float toBT2020[9];
  float toBT709[9];
  float focus;
  float radiusPerDisparity;
  float edgeShare;
  float tolerance;
  // The band between full and half resolution, and the upper end of later ones, as radius indices of the finer
  // resolution's own.
  uint bandLower;
  uint bandUpper;
  uint laterUpper;
  uint lastLevel;
  // The resolution of the layer behind near objects.
  uint hiddenLevel;
  uint copies;
  // The resolution of the planes of light and disparity: 1 of a frame that starts at half.
  uint baseLevel;
  // How far a disc of radius 1 reaches, and the largest radius in pixels that a resolution draws.
  float stretch;
  float mostDrawn;
  // How far a lens's rim is shifted in a corner, in radii; and what clipped white is multiplied by where it is blurred, less 1.
  float vignetting;
  float highlights;
};

const uint stepsPerPixel = 32;
const uint sharpIndex = 16;
// The radius in pixels up to which a resolution draws discs.
const uint mostRadius = 8;
const uint mostIndex = mostRadius * stepsPerPixel;
const uint tileWidth = 32;
const uint tileHeight = 16;
const float leastWeight = 1e-5;

vec4 unpack(uvec2 bits) { return vec4(unpackHalf2x16(bits.x), unpackHalf2x16(bits.y)); }

const float mostHalf = 65504;

uvec2 pack(vec4 value) {
  vec4 limited = clamp(value, -mostHalf, mostHalf);
  return uvec2(packHalf2x16(limited.xy), packHalf2x16(limited.zw));
}

// Radius and bin in one number.
uint makeKey(uint index, uint bin) { return index << 8 | bin; }
uint keyIndex(uint key) { return key >> 8; }
uint keyBin(uint key) { return key & 0x7Fu; }
// Marks a pixel of two samples, a near and a far one.
const uint splitBit = 0x80;
bool isSplit(uint key) { return (key & splitBit) != 0; }
bool isSharp(uint key) { return (key >> 8) <= sharpIndex && !isSplit(key); }
// The largest radius index of a disc that hardly reaches beyond its own pixel.
const uint tightIndex = 40;
// The same of a disc that may leave gaps beside such ones.
const uint narrowIndex = 72;
bool isNarrow(uint key) { return keyIndex(key) <= narrowIndex && !isSplit(key); }

// The farthest row that a disc of this index touches.
uint reachOf(Frame frame, uint index) {
  return index <= sharpIndex ? 0 : uint(ceil((float(index) * frame.stretch - 16) / stepsPerPixel));
}

// Where no sample is valid all stand for the focus.
float leastDisparity(Frame frame) {
  return frame.circle.least == 0xFFFFFFFF ? frame.focus : uintBitsToFloat(frame.circle.least);
}
float mostDisparity(Frame frame) {
  return frame.circle.least == 0xFFFFFFFF ? frame.focus : uintBitsToFloat(frame.circle.most);
}
// A range in 1/m below this is a single value: its inverse would not be a number.
const float leastWidth = 1e-30;
