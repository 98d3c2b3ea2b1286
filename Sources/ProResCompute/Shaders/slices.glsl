// Slice headers (RDD 36, 5.3.1), and bits.

struct Slice {
  bool isSound;
  uint quantiserScale;
  // Byte offsets of Y', Cb, Cr, alpha, and the end.
  uint ends[5];
};

uint byteAt(Batch batch, uint place) { return batch.bytes.at[place >> 2] >> (8 * (place & 3)) & 0xFF; }

uint shortAt(Batch batch, uint place) { return byteAt(batch, place) << 8 | byteAt(batch, place + 1); }

// As the CPU's `SliceParts`.
Slice sliceOf(Batch batch, Picture picture, uint index, bool hasAlpha) {
  Slice slice;
  uint start = batch.sliceOffsets.at[picture.firstOffset + index];
  uint end = batch.sliceOffsets.at[picture.firstOffset + index + 1];
  uint least = hasAlpha ? 8 : 6;
  uint headerSize = byteAt(batch, start) >> 3;
  uint quantiser = byteAt(batch, start + 1);
  slice.quantiserScale = quantiser > 128 ? (quantiser - 96) * 4 : quantiser;
  slice.ends[0] = start + headerSize;
  slice.ends[1] = slice.ends[0] + shortAt(batch, start + 2);
  slice.ends[2] = slice.ends[1] + shortAt(batch, start + 4);
  slice.ends[3] = hasAlpha ? slice.ends[2] + shortAt(batch, start + 6) : end;
  slice.ends[4] = end;
  slice.isSound = headerSize >= least && start + headerSize <= end && quantiser >= 1 && quantiser <= 224
    && slice.ends[2] <= slice.ends[3] && slice.ends[3] <= end;
  return slice;
}

// The next 32 bits, and what follows them. Beyond the end there are zeros.
struct Bits {
  uint high;
  uint low;
  // Bits of `low`.
  int kept;
  // The word that comes next, and the byte at which the data ends.
  uint next;
  uint end;
};

uint nextWord(Batch batch, inout Bits bits) {
  int left = int(bits.end - bits.next * 4);
  // A code that runs over the end finds zeros, and memory beyond is not looked at.
  uint word = batch.bytes.at[left > 0 ? bits.next : 0];
  bits.next++;
  word = word << 24 | (word & 0xFF00) << 8 | word >> 8 & 0xFF00 | word >> 24;
  uint mask = left >= 4 ? 0xFFFFFFFFu : left > 0 ? ~(0xFFFFFFFFu >> (8 * left)) : 0;
  return word & mask;
}

// Takes up to 31 bits.
void take(Batch batch, inout Bits bits, uint count) {
  bits.high = bits.high << count | (bits.low >> 1) >> (31 - count);
  bits.low <<= count;
  bits.kept -= int(count);
  if (bits.kept < 0) {
    uint word = nextWord(batch, bits);
    bits.high |= word >> (32 + bits.kept);
    bits.low = word << -bits.kept;
    bits.kept += 32;
  }
}

Bits bitsOf(Batch batch, uint start, uint end) {
  Bits bits;
  bits.next = start >> 2;
  bits.end = end;
  bits.high = nextWord(batch, bits);
  bits.low = nextWord(batch, bits);
  bits.kept = 32;
  take(batch, bits, 8 * (start & 3));
  return bits;
}

// How many bits are left before the end; less than 0 beyond it.
int left(Bits bits) { return int(bits.end - bits.next * 4) * 8 + 32 + bits.kept; }

uint zeros(uint word) { return word == 0 ? 32 : 31 - findMSB(word); }

// Fewer zero bits than this may fill up the end, as for the CPU.
const int mostFilling = 32;

bool isAtSoundEnd(Bits bits) {
  int rest = left(bits);
  return bits.high == 0 && rest >= 0 && rest < mostFilling;
}
