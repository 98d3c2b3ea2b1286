// What lies behind near objects, at half resolution; as the CPU's `HiddenLayer`.

// The longest way in pixels of half resolution from which the layer is filled.
const uint maximumReach = 96;

uint hiddenReach(Frame frame) {
  float radius = float(frame.circle.largest) / stepsPerPixel;
  return min(uint(radius / 2) + 2, maximumReach);
}

uvec2 hiddenSize(Frame frame) { return (uvec2(frame.width, frame.height) + 1) / 2; }
