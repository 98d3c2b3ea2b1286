// Numbers as pixel formats store them; as the CPU's `StoredSample`, in the order of `PixelFormat.Sample`.
const uint sampleUInt8 = 0;
const uint sampleUInt16 = 1;
const uint sampleUInt16BigEndian = 2;
const uint sampleUInt10 = 3;
const uint sampleUInt12 = 4;
const uint sampleHalf = 5;
const uint sampleFloat = 6;

uint sampleBytes(uint kind) { return kind == sampleUInt8 ? 1 : kind == sampleFloat ? 4 : 2; }

// The bits of the sample at a place in bytes, which is a multiple of the sample's size.
uint loadBits(Words words, uint place, uint kind) {
  uint word = words.at[place >> 2];
  if (kind == sampleFloat) return word;
  return kind == sampleUInt8 ? word >> (8 * (place & 3)) & 0xFF : word >> (8 * (place & 2)) & 0xFFFF;
}

uint swapped(uint bits) { return (bits >> 8 | bits << 8) & 0xFFFF; }

float storedValue(uint bits, uint kind) {
  switch (kind) {
    case sampleUInt8: return float(bits) * (1.0 / 255);
    case sampleUInt16: return float(bits) * (1.0 / 65535);
    case sampleUInt16BigEndian: return float(swapped(bits)) * (1.0 / 65535);
    case sampleUInt10: return float(bits >> 6) * (1.0 / 1023);
    case sampleUInt12: return float(bits >> 4) * (1.0 / 4095);
    case sampleHalf: return unpackHalf2x16(bits).x;
    default: return uintBitsToFloat(bits);
  }
}

uint storedCode(float value, float most) { return uint(max(0, min(value * most + 0.5, most))); }

uint storedBits(float value, uint kind) {
  switch (kind) {
    case sampleUInt8: return storedCode(value, 255);
    case sampleUInt16: return storedCode(value, 65535);
    case sampleUInt16BigEndian: return swapped(storedCode(value, 65535));
    case sampleUInt10: return storedCode(value, 1023) << 6;
    case sampleUInt12: return storedCode(value, 4095) << 4;
    case sampleHalf: return isnan(value) ? 0 : packHalf2x16(vec2(clamp(value, -mostHalf, mostHalf), 0)) & 0xFFFF;
    default: return floatBitsToUint(value);
  }
}
