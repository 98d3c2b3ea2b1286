import Foundation

/// Decompresses DEFLATE (RFC 1951), bare or inside zlib's wrapper (RFC 1950).
package struct Inflate {
  /// The most bytes that may come out.
  package static let maximumBytes = 1 << 24

  private let input: [UInt8]
  private var position: Int
  private var bits: UInt32 = 0
  private var bitCount: UInt32 = 0
  private var output: [UInt8] = []

  private struct Damaged: Error {}

  /// Nil for data that is not DEFLATE, is cut off, or becomes too large. The checksum of the wrapper is not looked at.
  package static func data(_ data: Data) -> Data? {
    let bytes = [UInt8](data)
    // The wrapper's first two bytes are a multiple of 31 and name method 8.
    let isWrapped =
      bytes.count > 2 && bytes[0] & 0x0F == 8 && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
      && bytes[1] & 0x20 == 0
    for start in isWrapped ? [2, 0] : [0] {
      var inflate = Inflate(input: bytes, position: start)
      if (try? inflate.run()) != nil { return Data(inflate.output) }
    }
    return nil
  }

  private init(input: [UInt8], position: Int) {
    self.input = input
    self.position = position
  }

  private mutating func run() throws(Damaged) {
    var isLast = false
    while !isLast {
      isLast = try take(1) == 1
      switch try take(2) {
      case 0: try stored()
      case 1: try compressed(.fixedLiterals, .fixedDistances)
      case 2:
        let (literals, distances) = try tables()
        try compressed(literals, distances)
      default: throw Damaged()
      }
    }
  }

  private mutating func take(_ count: UInt32) throws(Damaged) -> Int {
    while bitCount < count {
      guard position < input.count else { throw Damaged() }
      bits |= UInt32(input[position]) << bitCount
      position += 1
      bitCount += 8
    }
    let value = bits & (1 << count - 1)
    bits >>= count
    bitCount -= count
    return Int(value)
  }

  private mutating func put(_ byte: UInt8) throws(Damaged) {
    guard output.count < Self.maximumBytes else { throw Damaged() }
    output.append(byte)
  }

  private mutating func stored() throws(Damaged) {
    (bits, bitCount) = (0, 0)
    let length = try take(8) | take(8) << 8
    guard try take(8) | take(8) << 8 == ~length & 0xFFFF, length <= input.count - position else { throw Damaged() }
    guard output.count + length <= Self.maximumBytes else { throw Damaged() }
    output += input[position..<position + length]
    position += length
  }

  private mutating func compressed(_ literals: HuffmanTable, _ distances: HuffmanTable) throws(Damaged) {
    while true {
      let symbol = try decode(literals)
      if symbol < 256 {
        try put(UInt8(symbol))
      } else if symbol == 256 {
        return
      } else {
        try copy(symbol, distances)
      }
    }
  }

  private mutating func copy(_ symbol: Int, _ distances: HuffmanTable) throws(Damaged) {
    guard symbol - 257 < Self.lengths.count else { throw Damaged() }
    let (length, lengthBits) = Self.lengths[symbol - 257]
    let count = length + (try take(UInt32(lengthBits)))
    let code = try decode(distances)
    guard code < Self.distances.count else { throw Damaged() }
    let (near, distanceBits) = Self.distances[code]
    let distance = near + (try take(UInt32(distanceBits)))
    guard distance <= output.count else { throw Damaged() }
    for _ in 0..<count { try put(output[output.count - distance]) }
  }

  private mutating func decode(_ table: HuffmanTable) throws(Damaged) -> Int {
    var code = 0
    var first = 0
    var index = 0
    for count in table.counts.dropFirst() {
      code |= try take(1)
      if code - count < first { return table.symbols[index + code - first] }
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    throw Damaged()
  }

  /// The code lengths of a block with its own tables, which are compressed themselves.
  private mutating func tables() throws(Damaged) -> (HuffmanTable, HuffmanTable) {
    let literalCount = try take(5) + 257
    let distanceCount = try take(5) + 1
    let lengthCount = try take(4) + 4
    var codeLengths = [Int](repeating: 0, count: 19)
    for place in Self.lengthOrder.prefix(lengthCount) { codeLengths[place] = try take(3) }
    let table = try table(codeLengths)
    var lengths: [Int] = []
    while lengths.count < literalCount + distanceCount { try appendLength(table, &lengths) }
    guard lengths.count == literalCount + distanceCount, lengths[256] > 0 else { throw Damaged() }
    return (try self.table(Array(lengths[..<literalCount])), try self.table(Array(lengths[literalCount...])))
  }

  private mutating func appendLength(_ table: HuffmanTable, _ lengths: inout [Int]) throws(Damaged) {
    let symbol = try decode(table)
    switch symbol {
    case 0...15: lengths.append(symbol)
    case 16:
      guard let last = lengths.last else { throw Damaged() }
      lengths += repeatElement(last, count: try take(2) + 3)
    case 17: lengths += repeatElement(0, count: try take(3) + 3)
    default: lengths += repeatElement(0, count: try take(7) + 11)
    }
  }

  private func table(_ lengths: [Int]) throws(Damaged) -> HuffmanTable {
    guard let table = HuffmanTable(lengths) else { throw Damaged() }
    return table
  }

  private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  /// Base length and extra bits of the symbols from 257.
  private static let lengths: [(Int, Int)] = [
    (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0), (9, 0), (10, 0), (11, 1), (13, 1), (15, 1), (17, 1), (19, 2),
    (23, 2), (27, 2), (31, 2), (35, 3), (43, 3), (51, 3), (59, 3), (67, 4), (83, 4), (99, 4), (115, 4), (131, 5),
    (163, 5), (195, 5), (227, 5), (258, 0),
  ]

  /// Base distance and extra bits: two codes for each number of bits.
  private static let distances: [(Int, Int)] = (0..<30).map { code -> (Int, Int) in
    guard code >= 4 else { return (code + 1, 0) }
    let extra = code / 2 - 1
    return ((2 + code % 2) << extra + 1, extra)
  }
}

/// Canonical Huffman codes: how many there are of each length, and the symbols in order of their codes.
private struct HuffmanTable {
  let counts: [Int]
  let symbols: [Int]

  /// Nil if the lengths ask for more codes than there are.
  init?(_ lengths: [Int]) {
    var counts = [Int](repeating: 0, count: 16)
    for length in lengths { counts[length] += 1 }
    counts[0] = 0
    var room = 1
    for count in counts.dropFirst() {
      room = room * 2 - count
      guard room >= 0 else { return nil }
    }
    self.counts = counts
    symbols = (1...15).flatMap { length in lengths.indices.filter { lengths[$0] == length } }
  }

  static let fixedLiterals = HuffmanTable(
    [Int](repeating: 8, count: 144) + [Int](repeating: 9, count: 112) + [Int](repeating: 7, count: 24)
      + [Int](repeating: 8, count: 8))!
  static let fixedDistances = HuffmanTable([Int](repeating: 5, count: 30))!
}
