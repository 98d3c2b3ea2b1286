// What lies behind near objects, at half resolution or a lower one; as the CPU's `HiddenLayer`.

// The longest way in pixels of full resolution from which the layer is filled.
const uint maximumReach = 192;

uint hiddenReach(Frame frame) {
  float radius = float(frame.circle.largest) / stepsPerPixel;
  return min(uint(radius / float(1u << frame.hiddenLevel)) + 2, maximumReach >> frame.hiddenLevel);
}

uvec2 hiddenSize(Frame frame) {
  return (uvec2(frame.width, frame.height) + (1u << frame.hiddenLevel) - 1) >> frame.hiddenLevel;
}

// The pixels of a block: from the first up to, not including, the last.
uvec4 hiddenBlock(Frame frame, uint x, uint y) {
  uvec2 first = uvec2(x, y) << frame.hiddenLevel;
  return uvec4(first, min(first + (1u << frame.hiddenLevel), uvec2(frame.width, frame.height)));
}
