// The depth bin of a radius in pixels; as the CPU's `CircleOfConfusion`.
uint nearBinOf(Circle circle, float radius) {
  uint last = circle.nearBins - 1;
  return last - uint(min(radius * circle.nearBinsPerPixel, float(last)));
}

uint farBinOf(Circle circle, float radius, uint bins) {
  return circle.nearBins + uint(min(radius * circle.farBinsPerPixel, float(bins - circle.nearBins - 1)));
}

const float maximumRadius = 4096;

uint keyOf(Frame frame, float disparity, uint bins) {
  float radius = min(abs(disparity - frame.focus) * frame.radiusPerDisparity, maximumRadius);
  uint bin = disparity > frame.focus ? nearBinOf(frame.circle, radius) : farBinOf(frame.circle, radius, bins);
  return makeKey(uint(radius * stepsPerPixel + 0.5), bin);
}
