// What lies behind near objects, at the picture's resolution or a lower one; as the CPU's `HiddenLayer` and `LineFill`.

// How many steps lines are followed in each direction.
const uint maximumSteps = 32;
// The sides of an edge differ by this many pixels of radius.
const float leastDrop = 1.5;

uint hiddenReach(Frame frame) {
  return min((frame.circle.largest / stepsPerPixel >> frame.hiddenLevel) + 2, maximumSteps);
}

uvec2 hiddenSize(Frame frame) {
  return (uvec2(frame.width, frame.height) + (1u << frame.hiddenLevel) - 1) >> frame.hiddenLevel;
}

// The least drop of disparity at an edge.
float hiddenDrop(Frame frame) { return leastDrop / max(frame.radiusPerDisparity, 1.17549435e-38); }
