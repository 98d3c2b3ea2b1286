import Foundation
import ProRes
import ProResFuzz
import Testing

/// How alpha's data may end.
@Suite struct AlphaTests {
  /// 255 samples by a difference and a run, and the last by a difference of its own.
  private static let lastIsADifference =
    "1" + String(repeating: "0", count: 16) + "00000" + "00011111110" + "1" + String(repeating: "0", count: 16)
  private static let lastIsARun = "1" + String(repeating: "0", count: 16) + "00000" + "00011111111"

  private func isSound(_ bits: String) throws -> Bool {
    let alpha = Data(SmallFrame.bytes(bits))
    return try decodePlanes([UInt8](SmallFrame.withAlpha(alpha, isSixteenBits: true)), depth: 16).report.isSound
  }

  private func padded(_ bits: String, _ filling: Int) -> String { bits + String(repeating: "0", count: filling) }

  /// The last byte is filled up, so that the filling grows by whole bytes.
  @Test(arguments: [lastIsADifference, lastIsADifference + "1", lastIsARun])
  func fewZerosMayFollow(bits: String) throws {
    let least = (8 - bits.count % 8) % 8
    for filling in stride(from: least, through: 64, by: 8) {
      #expect(try isSound(padded(bits, filling)) == (filling < 32))
    }
  }

  @Test(arguments: [lastIsADifference + "1", lastIsARun])
  func nothingElseMayFollow(bits: String) throws {
    let whole = Array(padded(bits, 24 + (8 - bits.count % 8) % 8))
    for place in bits.count..<whole.count {
      var damaged = whole
      damaged[place] = "1"
      #expect(try !isSound(String(damaged)))
    }
  }

  /// Data that ends before its samples do.
  @Test func missingSamplesAreSeen() throws {
    #expect(try !isSound("1" + String(repeating: "0", count: 16) + "00000" + "00011111110"))
    #expect(try !isSound(String(Self.lastIsADifference.dropLast(8))))
  }
}
