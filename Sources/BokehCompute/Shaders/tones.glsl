// Light to signals, and HDR to SDR; as the CPU's `OctaveTable` and `ToneMapper`. `tone` and `isSceneLight` are defined
// before.

// A function of positive numbers from its table of 128 steps an octave, with the sign of `x`.
float octave(Floats table, float slopeAtZero, float x) {
  float size = clamp(abs(x), 0, 65535);
  uint bits = floatBitsToUint(size);
  uint step = bits >> 16;
  // 2 to the power of -32.
  const uint first = 0x2F80;
  float value = size * slopeAtZero;
  if (step >= first) {
    float low = table.at[step - first];
    value = low + (table.at[step - first + 1] - low) * (float(bits & 0xFFFF) * (1.0 / 65536));
  }
  return x < 0 ? -value : value;
}

const uint toneA = 1;
const vec3 luma2020 = vec3(0.2627, 1 - 0.2627 - 0.0593, 0.0593);
const vec3 luma709 = vec3(0.2126, 0.7152, 0.0722);

float systemGamma(Frame frame, float x) { return octave(frame.tones[0], frame.toneSlopes[0], x); }
float gammaSignal(Frame frame, float x) { return octave(frame.tones[1], frame.toneSlopes[1], x); }
float toneCurve(Frame frame, float x) { return octave(frame.tones[2], frame.toneSlopes[2], x); }

// BT.2020 display light, 1 = peak.
vec3 displayLight(Frame frame, vec3 light) {
  vec3 wide = vec3(
    frame.toBT2020[0] * light.r + frame.toBT2020[1] * light.g + frame.toBT2020[2] * light.b,
    frame.toBT2020[3] * light.r + frame.toBT2020[4] * light.g + frame.toBT2020[5] * light.b,
    frame.toBT2020[6] * light.r + frame.toBT2020[7] * light.g + frame.toBT2020[8] * light.b) * frame.toneScale;
  return isSceneLight != 0 ? wide * systemGamma(frame, max(dot(luma2020, wide), 0)) : wide;
}

// BT.2446-1, 4.2: the curve on luma, and chroma scaled with it.
vec3 mappedByA(Frame frame, vec3 light) {
  vec3 rgb = vec3(gammaSignal(frame, light.r), gammaSignal(frame, light.g), gammaSignal(frame, light.b));
  float luma = dot(luma2020, rgb);
  vec2 factors = 2 * (1 - luma2020.zx);
  vec2 chroma = vec2(rgb.b - luma, rgb.r - luma) / factors;
  luma = max(luma, 1e-6);
  float curved = toneCurve(frame, luma);
  chroma *= curved / (1.1 * luma);
  float y = curved - max(0.1 * chroma.y, 0);
  vec3 signal = vec3(
    y + factors.y * chroma.y,
    y - (factors.y * luma2020.x * chroma.y + factors.x * luma2020.z * chroma.x) / luma2020.y, y + factors.x * chroma.x);
  return pow(max(signal, 0), vec3(2.4));
}

vec3 mappedBy2390(Frame frame, vec3 light) {
  float largest = max(light.r, max(light.g, light.b));
  return largest > 1e-7 ? light * (toneCurve(frame, largest) / largest) : vec3(0);
}

// Colours outside the gamut move towards grey of the same luminance until no component is negative.
vec3 clipped(vec3 light) {
  float luminance = max(dot(luma709, light), 0);
  float least = min(light.r, min(light.g, light.b));
  if (least < 0) light = vec3(luminance) + (light - luminance) * (luminance / (luminance - least));
  return clamp(light, 0, 1);
}

// The BT.709 signal, each component 0…1, of light in units of reference white.
vec3 mapped(Frame frame, vec3 light) {
  vec3 display = displayLight(frame, light);
  vec3 curved = tone == toneA ? mappedByA(frame, display) : mappedBy2390(frame, display);
  vec3 inside = clipped(vec3(
    frame.toBT709[0] * curved.r + frame.toBT709[1] * curved.g + frame.toBT709[2] * curved.b,
    frame.toBT709[3] * curved.r + frame.toBT709[4] * curved.g + frame.toBT709[5] * curved.b,
    frame.toBT709[6] * curved.r + frame.toBT709[7] * curved.g + frame.toBT709[8] * curved.b));
  return vec3(gammaSignal(frame, inside.r), gammaSignal(frame, inside.g), gammaSignal(frame, inside.b));
}
