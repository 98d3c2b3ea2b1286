// What lies behind near objects, at the picture's resolution or a lower one; as the CPU's `HiddenLayer` and `LineFill`.

// `maximumSteps`, how many steps lines are followed in each direction at most, is defined before.

// The sides of an edge differ by this many pixels of radius, of the planes.
const float leastDrop = 1.5;

// How many halvings the layer is from the planes of light and disparity.
uint hiddenShift(Frame frame) { return frame.hiddenLevel - frame.baseLevel; }

uint hiddenReach(Frame frame) {
  return min((frame.circle.largest / stepsPerPixel >> frame.hiddenLevel) + 2, maximumSteps);
}

uvec2 hiddenSize(Frame frame) {
  return (uvec2(frame.width, frame.height) + (1u << hiddenShift(frame)) - 1) >> hiddenShift(frame);
}

// The least drop of disparity at an edge.
float hiddenDrop(Frame frame) { return leastDrop * float(1u << frame.baseLevel) / max(frame.radiusPerDisparity, 1.17549435e-38); }
