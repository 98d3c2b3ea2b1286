/// A four-character code, the type of an atom, a handler, a sample entry or a brand.
///
/// The code is kept as the big-endian integer in the file: `"moov"` is `0x6D6F6F76`. In a literal each character stands for its
/// Latin-1 byte, so `"©xyz"` starts with `0xA9`, as user data in files does.
package struct FourCC: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  package init(_ rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// A literal of exactly four Latin-1 characters.
  package init(stringLiteral value: String) {
    guard let code = FourCC(value) else { preconditionFailure("'\(value)' is not four Latin-1 characters") }
    self = code
  }

  /// Nil unless `text` has exactly four Latin-1 characters.
  package init?(_ text: String) {
    let scalars = text.unicodeScalars
    guard scalars.count == 4, scalars.allSatisfy({ $0.value <= 0xFF }) else { return nil }
    rawValue = scalars.reduce(0) { $0 << 8 | $1.value }
  }

  /// The four characters; bytes that do not print are written as `\x00`.
  package var description: String {
    stride(from: UInt32(24), through: 0, by: -8)
      .map { shift in
        let byte = rawValue >> shift & 0xFF
        let prints = (0x20...0x7E).contains(byte) || byte >= 0xA1
        return prints ? String(Character(Unicode.Scalar(UInt8(byte)))) : "\\x" + hexadecimal(byte)
      }
      .joined()
  }

  private func hexadecimal(_ byte: UInt32) -> String {
    let digits = String(byte, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }
}
