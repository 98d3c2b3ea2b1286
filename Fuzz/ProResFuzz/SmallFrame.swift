package import Foundation

/// Sound frames of a few bytes: one macroblock, or some, whose planes are DCs and little else.
package enum SmallFrame {
  /// The first DC as code 5 (`100101`), and all others unchanged: the book after that code is of order 3 (`1000`), then of
  /// order 0 (`1`).
  private static func plane(blocks: Int) -> [UInt8] {
    var bits = "100101"
    for block in 1..<blocks { bits += block == 1 ? "1000" : "1" }
    // A run of 2, a level of 1, and its sign.
    return bytes(bits + "011" + "1" + "0")
  }

  /// The alpha of one macroblock, 33 bits: a difference of 0 to opaque, and a run of 255.
  static let opaque = Data(bytes("1" + String(repeating: "0", count: 16) + "00000" + "00011111111"))

  package static func bytes(_ bits: String) -> [UInt8] {
    var rest = bits[...]
    var bytes: [UInt8] = []
    while !rest.isEmpty {
      let digits = rest.prefix(8)
      bytes.append(UInt8(digits, radix: 2)! << UInt8(8 - digits.count))
      rest = rest.dropFirst(8)
    }
    return bytes
  }

  static var all: [Data] {
    [
      frame(width: 16, height: 16), frame(width: 40, height: 33, isFull: true), frame(width: 33, height: 40, fields: 1),
      frame(width: 16, height: 16, isFull: true, alpha: opaque, alphaType: 2),
    ]
  }

  package static func withAlpha(_ alpha: Data, isSixteenBits: Bool) -> Data {
    frame(width: 16, height: 16, isFull: true, alpha: alpha, alphaType: isSixteenBits ? 2 : 1)
  }

  private static func frame(
    width: Int, height: Int, isFull: Bool = false, fields: UInt8 = 0, alpha: Data = Data(), alphaType: UInt8 = 0
  ) -> Data {
    var header = Data("icpf".utf8) + number(20) + number(1) + Data("fuzz".utf8) + number(width) + number(height)
    header += [(isFull ? 0xC0 : 0x80) | fields << 2, 0, 1, 1, 1, alphaType, 0, 0]
    for field in 0..<(fields == 0 ? 1 : 2) {
      let rows = fields == 0 ? height : (height + 1 - field) / 2
      header += picture(columns: (width + 15) / 16, rows: (rows + 15) / 16, isFull, alpha, alphaType > 0)
    }
    return Data([0, 0]) + number(header.count + 4) + header
  }

  /// A slice for each macroblock.
  private static func picture(columns: Int, rows: Int, _ isFull: Bool, _ alpha: Data, _ hasAlpha: Bool) -> Data {
    let luma = plane(blocks: 4)
    let chroma = plane(blocks: isFull ? 4 : 2)
    var slice = Data([hasAlpha ? 8 << 3 : 6 << 3, 4]) + number(luma.count) + number(chroma.count)
    if hasAlpha { slice += number(chroma.count) }
    slice += luma + chroma + chroma + alpha
    let count = columns * rows
    var table = Data()
    for _ in 0..<count { table += number(slice.count) }
    var all = table
    for _ in 0..<count { all += slice }
    return Data([8 << 3, 0, 0]) + number(all.count + 8) + number(count) + Data([0]) + all
  }

  private static func number(_ value: Int) -> Data {
    Data([UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)])
  }
}
