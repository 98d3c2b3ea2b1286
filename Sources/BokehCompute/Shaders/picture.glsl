// Pixels of the stored picture as linear light; as the CPU's `PictureReader`. `frame` is defined before.

layout(constant_id = 0) const uint model = 0;
layout(constant_id = 1) const uint kind = 0;
layout(constant_id = 2) const uint hasAlpha = 0;
layout(constant_id = 3) const uint across = 1;
layout(constant_id = 4) const uint down = 1;
layout(constant_id = 5) const uint transfer = 0;
layout(constant_id = 6) const float gammaPower = 2.2;

const uint modelYCbCr = 0;
const uint modelGrey = 2;
const float largestSignal = 1.25;

float component(uint i, uint x, uint y) {
  uint place = frame.sourceOffset[i] + y * frame.sourcePitch[i] + x * frame.sourceStep[i];
  return storedValue(loadBits(frame.source[i], place, kind), kind);
}

vec2 chromaAt(int x, int y) {
  uvec2 most = uvec2((frame.storedWidth - 1) / across, (frame.storedHeight - 1) / down);
  uint column = min(uint(max(x, 0)), most.x);
  uint row = min(uint(max(y, 0)), most.y);
  return vec2(component(1, column, row), component(2, column, row));
}

// The chroma sample before luma position `x`, and how far `x` is on the way to the next.
void place(uint x, float siting, out int first, out float part) {
  first = int(x >> 1);
  part = 0;
  if ((x & 1) == 1) {
    part = 0.5 - siting / 2;
  } else if (siting != 0) {
    first -= 1;
    part = 1 - siting / 2;
  }
}

vec2 chroma(uint x, uint y) {
  int column = int(x);
  int row = int(y);
  vec2 part = vec2(0);
  if (across == 2) place(x, frame.sitingX, column, part.x);
  if (down == 2) place(y, frame.sitingY, row, part.y);
  vec2 value = chromaAt(column, row);
  if (part.y != 0) value = mix(value, chromaAt(column, row + 1), part.y);
  if (part.x != 0) {
    vec2 next = chromaAt(column + 1, row);
    if (part.y != 0) next = mix(next, chromaAt(column + 1, row + 1), part.y);
    value = mix(value, next, part.x);
  }
  return (value - frame.sourceRange[2]) / frame.sourceRange[3];
}

vec3 colorOf(float luma, vec2 c) {
  float red = frame.sourceRed;
  float blue = frame.sourceBlue;
  float green = 1 - red - blue;
  return vec3(
    luma + 2 * (1 - red) * c.y, luma - (2 * (1 - red) * red * c.y + 2 * (1 - blue) * blue * c.x) / green,
    luma + 2 * (1 - blue) * c.x);
}

float luma(uint x, uint y) { return (component(0, x, y) - frame.sourceRange[0]) / frame.sourceRange[1]; }

vec3 readYCbCr(uint x, uint y) { return colorOf(luma(x, y), chroma(x, y)); }

vec4 read(uint x, uint y) {
  vec4 signal = vec4(0, 0, 0, 1);
  if (model == modelYCbCr) signal.rgb = readYCbCr(x, y);
  else if (model == modelGrey) signal.rgb = vec3(component(0, x, y));
  else signal.rgb = vec3(component(0, x, y), component(1, x, y), component(2, x, y));
  if (hasAlpha != 0) signal.a = component(3, x, y);
  return signal;
}

const uint transferLinear = 0;
const uint transferBT709 = 1;
const uint transferSMPTE240M = 2;
const uint transferSRGB = 3;
const uint transferHLG = 4;
const uint transferPQ = 5;

// Signals beyond the table, of floating-point pictures only; as the CPU's `TransferFunction`.
float computedLight(float v) {
  switch (transfer) {
    case transferBT709: return pow((v + 0.09929682680944) / 1.09929682680944, 1 / 0.45);
    case transferSMPTE240M: return pow((v + 0.111572196) / 1.111572196, 1 / 0.45);
    case transferSRGB: return pow((v + 0.055) / 1.055, 2.4);
    case transferHLG: return (exp((v - 0.55991073) / 0.17883277) + 0.28466892) / 12 / 0.26496256;
    case transferPQ: return 10000.0 / 203;
    default: return pow(v, gammaPower);
  }
}

float finite(float x) { return isnan(x) ? 0 : clamp(x, -mostHalf, mostHalf); }

float toLight(float signal) {
  if (transfer == transferLinear) return finite(signal);
  float size = abs(signal);
  float value;
  if (size <= largestSignal) {
    float position = size * frame.lightStepsPerUnit;
    uint index = uint(position);
    float low = frame.light.at[index];
    value = low + (frame.light.at[index + 1] - low) * (position - float(index));
  } else {
    value = isnan(signal) ? 0 : min(computedLight(min(size, mostHalf)), mostHalf);
  }
  return signal < 0 ? -value : value;
}

vec4 lightAt(uint x, uint y) {
  vec4 signal = read(x, y);
  return vec4(toLight(signal.r), toLight(signal.g), toLight(signal.b), signal.a);
}
