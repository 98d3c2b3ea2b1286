/// A number as pixel formats store it; integers stand for 0…1.
protocol StoredSample {
  associatedtype Bits: BitwiseCopyable
  static func value(_ bits: Bits) -> Float
  /// The nearest representable number; what is not a number becomes 0.
  static func bits(_ value: Float) -> Bits
}

/// A code of 8 bits, or of 10 in the upper ones of 16.
protocol PlainSample: StoredSample where Bits: FixedWidthInteger & SIMDScalar {
  /// How many bits below a code hold nothing.
  static var shift: Bits { get }
}

enum UInt8Sample: PlainSample {
  static var shift: UInt8 { 0 }
  @inline(__always) static func value(_ bits: UInt8) -> Float { Float(bits) * (1 / 255) }
  @inline(__always) static func bits(_ value: Float) -> UInt8 { UInt8(truncatingIfNeeded: code(value, 255)) }
}

enum UInt16Sample: StoredSample {
  @inline(__always) static func value(_ bits: UInt16) -> Float { Float(bits) * (1 / 65_535) }
  @inline(__always) static func bits(_ value: Float) -> UInt16 { UInt16(truncatingIfNeeded: code(value, 65_535)) }
}

enum UInt16BigEndianSample: StoredSample {
  @inline(__always) static func value(_ bits: UInt16) -> Float { UInt16Sample.value(bits.byteSwapped) }
  @inline(__always) static func bits(_ value: Float) -> UInt16 { UInt16Sample.bits(value).byteSwapped }
}

/// Ten bits in the upper bits of sixteen.
enum UInt10Sample: PlainSample {
  static var shift: UInt16 { 6 }
  @inline(__always) static func value(_ bits: UInt16) -> Float { Float(bits >> 6) * (1 / 1023) }
  @inline(__always) static func bits(_ value: Float) -> UInt16 { UInt16(truncatingIfNeeded: code(value, 1023) << 6) }
}

/// Twelve bits in the upper bits of sixteen.
enum UInt12Sample: StoredSample {
  @inline(__always) static func value(_ bits: UInt16) -> Float { Float(bits >> 4) * (1 / 4095) }
  @inline(__always) static func bits(_ value: Float) -> UInt16 { UInt16(truncatingIfNeeded: code(value, 4095) << 4) }
}

enum FloatSample: StoredSample {
  @inline(__always) static func value(_ bits: UInt32) -> Float { Float(bitPattern: bits) }
  @inline(__always) static func bits(_ value: Float) -> UInt32 { value.bitPattern }
}

/// IEEE 754 half precision, converted with integer arithmetic: the compiler's own conversion is a call on processors
/// whose features are not known.
enum HalfSample: StoredSample {
  @inline(__always)
  static func value(_ bits: UInt16) -> Float {
    let sign = UInt32(bits & 0x8000) << 16
    let size = UInt32(bits & 0x7FFF)
    if size >= 0x7C00 { return Float(bitPattern: sign | 0x7F80_0000 | (size & 0x3FF) << 13) }
    // The exponent's bias changes from 15 to 127 by a multiplication, which also makes subnormal numbers right.
    let scaled = Float(bitPattern: size << 13) * Float(sign: .plus, exponent: 112, significand: 1)
    return Float(bitPattern: scaled.bitPattern | sign)
  }

  @inline(__always)
  static func bits(_ value: Float) -> UInt16 {
    let sign = UInt16(truncatingIfNeeded: value.bitPattern >> 16) & 0x8000
    guard !value.isNaN else { return 0 }
    let size = min(abs(value), 65_504)
    if size < Float(sign: .plus, exponent: -14, significand: 1) {
      // Added to ½ the number's steps of 2⁻²⁴ are the sum's last bits.
      return sign | UInt16(truncatingIfNeeded: (size + 0.5).bitPattern & 0x7FF)
    }
    let odd = size.bitPattern >> 13 & 1
    let rounded = size.bitPattern &+ 0xFFF &+ odd
    return sign | UInt16(truncatingIfNeeded: (rounded &- (112 << 23)) >> 13)
  }
}

/// The code 0…`most` nearest to a value 0…1.
@inline(__always)
private func code(_ value: Float, _ most: Float) -> Int32 { Int32(max(0, min(value * most + 0.5, most))) }
