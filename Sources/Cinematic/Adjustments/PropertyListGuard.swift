import Foundation

/// Reads property lists, XML or binary, with a limit on what they may unfold to.
///
/// A binary list is a graph: some hundred bytes whose arrays name the same array twice, level by level, would unfold without end.
enum PropertyListGuard {
  /// The most bytes of a property list.
  static let maximumBytes = 1 << 24
  /// The most values that a binary list may unfold to.
  static let maximumValues = 1 << 20
  /// The deepest nesting.
  static let maximumDepth = 64

  /// Nil for anything that is not a property list or breaks a limit.
  static func value(_ data: Data) -> Any? {
    guard data.count <= maximumBytes else { return nil }
    // Foundation would also read its oldest form, plain text, for which almost anything passes.
    let isXML = data.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) } == UInt8(ascii: "<")
    guard isXML || data.starts(with: "bplist".utf8) else { return nil }
    if !isXML {
      guard var graph = BinaryListGraph([UInt8](data)), graph.unfolded(graph.root, 0) != nil else { return nil }
    }
    return try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)
  }
}

/// The containers of a binary property list, to count what they unfold to.
private struct BinaryListGraph {
  let root: Int
  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let objectCount: Int
  private let tableStart: Int
  /// How many values each container seen so far unfolds to.
  private var known: [Int: Int] = [:]

  /// Reads the trailer: sizes of offsets and references, number of objects, the top object, where the table of offsets starts.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 40 else { return nil }
    let trailer = bytes.count - 32
    self.bytes = bytes
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard 1...8 ~= offsetSize, 1...8 ~= referenceSize,
      let count = Self.number(bytes, trailer + 8, 8), let top = Self.number(bytes, trailer + 16, 8),
      let table = Self.number(bytes, trailer + 24, 8), table <= trailer,
      count <= (trailer - table) / offsetSize, top < count
    else { return nil }
    (objectCount, root, tableStart) = (count, top, table)
  }

  private static func number(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int? {
    guard start >= 0, size <= bytes.count - start else { return nil }
    var value: UInt64 = 0
    for byte in bytes[start..<start + size] {
      guard value >> 55 == 0 else { return nil }
      value = value << 8 | UInt64(byte)
    }
    return Int(value)
  }

  /// How many values the object unfolds to, itself included; nil beyond a limit or where a reference leads nowhere.
  mutating func unfolded(_ object: Int, _ depth: Int) -> Int? {
    if let count = known[object] { return count }
    guard depth < PropertyListGuard.maximumDepth, object < objectCount,
      let start = Self.number(bytes, tableStart + object * offsetSize, offsetSize), start < bytes.count
    else { return nil }
    let kind = bytes[start] >> 4
    guard [0xA, 0xB, 0xC, 0xD].contains(kind) else { return 1 }
    guard let (count, first) = members(start, kind) else { return nil }
    var total = 1
    for index in 0..<count {
      guard let member = Self.number(bytes, first + index * referenceSize, referenceSize),
        let inner = unfolded(member, depth + 1), total + inner <= PropertyListGuard.maximumValues
      else { return nil }
      total += inner
    }
    known[object] = total
    return total
  }

  /// How many references the container at `start` has, keys and values, and where they lie.
  private func members(_ start: Int, _ kind: UInt8) -> (count: Int, first: Int)? {
    var count = Int(bytes[start] & 0x0F)
    var first = start + 1
    if count == 0x0F {
      guard first < bytes.count, bytes[first] & 0xF0 == 0x10 else { return nil }
      let size = 1 << Int(bytes[first] & 0x0F)
      guard size <= 8, let long = Self.number(bytes, first + 1, size) else { return nil }
      count = long
      first += 1 + size
    }
    guard count <= bytes.count else { return nil }
    return (kind == 0xD ? count * 2 : count, first)
  }
}
