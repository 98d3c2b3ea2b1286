package import Foundation

/// `disc`: how the 10-bit codes of a disparity track stand for disparities, and the 13 bytes that say so.
///
/// The code is logarithmic: with R = max − min + 1, disparity(c) = min − 1 + R^(c / 1023). Larger is nearer.
package struct DisparityCoding: Hashable, Sendable {
  /// 0 ≤ minimum < maximum ≤ 32768, in steps of 1/65536.
  package let minimum: Double
  package let maximum: Double

  /// What holds where a track has no `disc`: (0, 16).
  package static let standard = DisparityCoding(uncheckedMinimum: 0, maximum: 16)
  /// The largest code.
  package static let maximumCode: UInt16 = 1023
  package static let payloadBytes = 13

  /// Nil unless 0 ≤ minimum < maximum ≤ 32768 after rounding to 16.16 fixed point.
  package init?(minimum: Double, maximum: Double) {
    let scaled = [minimum, maximum].map { ($0 * 65_536).rounded() }
    guard scaled[0] >= 0, scaled[0] < scaled[1], scaled[1] <= 32_768 * 65_536 else { return nil }
    self.init(uncheckedMinimum: scaled[0] / 65_536, maximum: scaled[1] / 65_536)
  }

  private init(uncheckedMinimum: Double, maximum: Double) {
    minimum = uncheckedMinimum
    self.maximum = maximum
  }

  /// Reads the payload: u32 0, u8 1, u32 min, u32 max, both 16.16 fixed point. Throws `.malformed` for an impossible range.
  package init(payload: Data) throws(QuickTimeError) {
    var reader = ByteReader(payload, path: "dish/disc")
    try reader.skip(5)
    let range = reader
    let low = try reader.u32()
    let high = try reader.u32()
    guard let coding = DisparityCoding(minimum: Double(low) / 65_536, maximum: Double(high) / 65_536) else {
      throw range.malformed("says a disparity range of \(Double(low) / 65_536) to \(Double(high) / 65_536)")
    }
    self = coding
  }

  package var payload: Data {
    var writer = ByteWriter()
    writer.u32(0)
    writer.u8(1)
    writer.u32(UInt32(minimum * 65_536))
    writer.u32(UInt32(maximum * 65_536))
    return writer.data
  }

  private var ratio: Double { maximum - minimum + 1 }

  /// The disparity of a code; codes above 1023 count as 1023.
  package func disparity(code: UInt16) -> Float {
    Float(minimum - 1 + pow(ratio, Double(min(code, Self.maximumCode)) / 1023))
  }

  /// The disparity of a code of any number of bits, as its share of the largest, 0…1.
  package func disparity(share: Float) -> Float { Float(minimum - 1 + pow(ratio, Double(share))) }

  /// The nearest code. Below the minimum 0; at or above the maximum, infinite or NaN 1023.
  package func code(disparity: Float) -> UInt16 {
    let value = Double(disparity)
    guard value < maximum, !value.isNaN else { return Self.maximumCode }
    guard value > minimum else { return 0 }
    return UInt16((1023 * log(value - minimum + 1) / log(ratio)).rounded())
  }

  /// The disparity of each of the 1024 codes.
  package var table: [Float] { (0...Self.maximumCode).map(disparity(code:)) }
}
