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
      let window = bytes.loadUnaligned(fromByteOffset: bit &>> 3, as: UInt64.self).bigEndian &<< UInt64(bit & 7)
      let (difference, used) = difference(window, bits: bits, shortBits: shortBits)
      value = (value &+ difference) & mask
      samples[index] = spread(value)
      index &+= 1
      bit &+= used
      // Nothing follows the last sample but, for some encoders, a run of none.
      guard index < count else { break }
      let rest = window &<< UInt64(used)
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
    return index == count && bit <= bitCount && bitCount - bit <= mostFilling
  }

  /// A last run of none, and as many zeros as a plane may have.
  private static let mostFilling = 32

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
