/// The lossless code of alpha: differences and runs over the rows of a slice (RDD 36, 7.1.2).
enum AlphaCode {
  /// Reads `count` samples of 16 bits; 8-bit ones are spread over the whole range.
  ///
  /// `bytes` is followed by `CoefficientLane.padding` zero bytes. False where the data is damaged.
  static func read(
    _ bytes: UnsafeRawPointer, byteCount: Int, isSixteenBits: Bool, into samples: UnsafeMutablePointer<UInt16>,
    count: Int
  ) -> Bool {
    isSixteenBits
      ? read(bytes, byteCount * 8, bits: 16, shortBits: 7, samples, count) { $0 }
      : read(bytes, byteCount * 8, bits: 8, shortBits: 4, samples, count) { $0 &* 257 }
  }

  @inline(__always)
  private static func read(
    _ bytes: UnsafeRawPointer, _ bitCount: Int, bits: Int, shortBits: Int, _ samples: UnsafeMutablePointer<UInt16>,
    _ count: Int, _ spread: (UInt16) -> UInt16
  ) -> Bool {
    let mask = UInt16(truncatingIfNeeded: 1 << bits - 1)
    var value = mask
    var bit = 0
    var index = 0
    while index < count, bit < bitCount {
      let window = window(bytes, bit)
      let (difference, used) = difference(window, bits: bits, shortBits: shortBits)
      value = (value &+ difference) & mask
      samples[index] = spread(value)
      index &+= 1
      bit &+= used
      let rest = window &<< UInt64(used)
      guard index < count else {
        // Some encoders end with a run of none.
        bit &+= Int(truncatingIfNeeded: rest &>> 63)
        break
      }
      if rest &>> 63 == 1 {
        bit &+= 1
        continue
      }
      let short = Int(truncatingIfNeeded: rest &>> 59)
      let run = short > 0 ? short : Int(truncatingIfNeeded: rest &>> 48)
      bit &+= short > 0 ? 5 : 16
      guard run <= count - index else { return false }
      (samples + index).update(repeating: spread(value), count: run)
      index &+= run
    }
    let left = bitCount - bit
    guard index == count, left >= 0, left < CoefficientLane.mostFilling else { return false }
    return window(bytes, bit) == 0
  }

  /// At least 57 bits from bit `bit` on, and zeros below them.
  @inline(__always)
  private static func window(_ bytes: UnsafeRawPointer, _ bit: Int) -> UInt64 {
    bytes.loadUnaligned(fromByteOffset: bit &>> 3, as: UInt64.self).bigEndian &<< UInt64(bit & 7)
  }

  @inline(__always)
  private static func difference(_ window: UInt64, bits: Int, shortBits: Int) -> (value: UInt16, used: Int) {
    if window &>> 63 == 1 {
      return (UInt16(truncatingIfNeeded: (window &<< 1) &>> UInt64(64 - bits)), 1 + bits)
    }
    let code = UInt16(truncatingIfNeeded: window &>> UInt64(63 - shortBits))
    let magnitude = (code &+ 2) &>> 1
    return (code & 1 == 1 ? 0 &- magnitude : magnitude, 1 + shortBits)
  }
}
