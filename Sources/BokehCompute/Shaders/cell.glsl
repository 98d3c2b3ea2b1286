// The four samples around a place of the picture; as the CPU's `Cell`.
struct Cell {
  ivec2 at;
  vec2 part;
};

Cell cellOf(Frame frame, uvec2 at, uvec2 size) {
  ivec2 samples = ivec2(frame.sampleWidth, frame.sampleHeight);
  vec2 scale = vec2(samples) / vec2(size);
  vec2 place = max((vec2(at) + 0.5) * scale - 0.5, 0);
  Cell cell;
  cell.at = min(ivec2(place), samples - 1);
  cell.part = min(place - vec2(cell.at), 1);
  return cell;
}

bool isNearEdge(Frame frame, Cell cell) { return frame.edges.at[cell.at.y * int(frame.sampleWidth) + cell.at.x] != 0; }
