// Which samples are drawn at which resolution; as the CPU's `Resolutions`, with bands at what a device gathers.

uvec2 band(Frame frame, uint level) {
  uint most = frame.laterUpper << level;
  return level == 0 ? uvec2(frame.bandLower, frame.bandUpper) : uvec2(most / 8 * 7, most);
}

// The part of an index that `level` leaves to coarser ones.
float passed(Frame frame, uint level, uint index, uint coarsest) {
  if (level >= coarsest) return 0;
  uvec2 limits = band(frame, level);
  return clamp((float(index) - float(limits.x)) / float(limits.y - limits.x), 0, 1);
}

// The radius index in a picture reduced by 2 to the power of `level`: the square of a disc's radius is four times its
// variance, so what the reduction and the enlargement blur by themselves is taken off.
uint reducedIndex(Frame frame, uint index, uint level) {
  if (level == 0) return index;
  float scale = float(1u << level);
  float radius = float(index) / stepsPerPixel;
  float rest = sqrt(max(radius * radius - scale * scale + 1.0 / 3, 0)) / scale;
  return max(uint(min(rest, frame.mostDrawn) * stepsPerPixel + 0.5), 1u);
}
