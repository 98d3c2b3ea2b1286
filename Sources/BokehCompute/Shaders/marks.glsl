// Which blocks of 2 x 2 pixels are worked on at full resolution, besides half; as the CPU's `DetailMarks`. They lie in the
// upper bits of half resolution's keys.

// Blocks whose pixels may be drawn at full resolution, those that something drawn there reaches, and those that work on
// these looks at.
const uint drawnBit = 1u << 28;
const uint shownBit = 1u << 29;
const uint readBit = 1u << 30;
// How far in blocks they go beyond nearly sharp ones.
const uint drawnReach = 1;
const uint shownReach = 3;
const uint readReach = 4;

uint markedKey(Frame frame, ivec2 block) { return frame.halfKeys.at[block.y * int(frame.levels[1].width) + block.x]; }
bool isMarked(uint key, uint bit) { return (key & bit) != 0; }
uint plainKey(uint key) { return key & (drawnBit - 1); }
