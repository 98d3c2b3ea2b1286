import Foundation

/// Reads property lists, XML or binary, as dictionaries, arrays, strings, numbers, dates and data.
///
/// Foundation reads the XML form. It traps on binary lists that hold a set, so those are read here; and a binary list is a graph: some
/// hundred bytes whose arrays name the same array twice, level by level, would unfold without end.
enum PropertyList {
  /// The most bytes of a property list, and of the strings and data that a binary one may unfold to.
  static let maximumBytes = 1 << 24
  /// The most values that a binary list may unfold to.
  static let maximumValues = 1 << 20
  /// The deepest nesting.
  static let maximumDepth = 64

  /// Nil for anything that is not a property list, is damaged, or breaks a limit.
  static func value(_ data: Data) -> Any? {
    guard data.count <= maximumBytes else { return nil }
    if data.starts(with: "bplist0".utf8) {
      var list = BinaryPropertyList([UInt8](data))
      return list?.value()
    }
    // Foundation would also read its oldest form, plain text, for which almost anything passes.
    let first = data.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard first == UInt8(ascii: "<") else { return nil }
    return try? PropertyListSerialization.propertyList(from: data, options: [], format: nil)
  }
}

/// A binary property list: objects, a table of their offsets, and a trailer.
private struct BinaryPropertyList {
  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let objectCount: Int
  private let root: Int
  private let tableStart: Int
  private var valuesLeft = PropertyList.maximumValues
  private var bytesLeft = PropertyList.maximumBytes

  private struct Damaged: Error {}

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

  mutating func value() -> Any? { try? object(root, depth: 0) }

  /// An unsigned number that fits into 55 bits; nil beyond that or beyond the end.
  private static func number(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int? {
    guard start >= 0, start <= bytes.count, size <= bytes.count - start else { return nil }
    var value: UInt64 = 0
    for byte in bytes[start..<start + size] {
      guard value >> 47 == 0 else { return nil }
      value = value << 8 | UInt64(byte)
    }
    return Int(value)
  }

  private func number(_ start: Int, _ size: Int) throws(Damaged) -> Int {
    guard let number = Self.number(bytes, start, size) else { throw Damaged() }
    return number
  }

  private mutating func object(_ index: Int, depth: Int) throws(Damaged) -> Any {
    guard depth < PropertyList.maximumDepth, index < objectCount, valuesLeft > 0 else { throw Damaged() }
    valuesLeft -= 1
    let start = try number(tableStart + index * offsetSize, offsetSize)
    guard start < bytes.count else { throw Damaged() }
    let low = Int(bytes[start] & 0x0F)
    switch bytes[start] >> 4 {
    case 0x0: return try simple(low)
    case 0x1: return try integer(start + 1, low)
    case 0x2: return NSNumber(value: try real(start + 1, low))
    case 0x3: return Date(timeIntervalSinceReferenceDate: try real(start + 1, 3))
    case 0x4: return Data(try payload(start, unit: 1))
    case 0x5: return String(decoding: try payload(start, unit: 1), as: UTF8.self)
    case 0x6: return try utf16(start)
    case 0x8: return NSNumber(value: try number(start + 1, low + 1))
    case 0xA...0xC: return try array(start, depth)
    case 0xD: return try dictionary(start, depth)
    default: throw Damaged()
    }
  }

  private func simple(_ low: Int) throws(Damaged) -> Any {
    switch low {
    case 0: return NSNull()
    case 8: return NSNumber(value: false)
    case 9: return NSNumber(value: true)
    default: throw Damaged()
    }
  }

  /// 2^low bytes. One to four are unsigned, eight are signed; of sixteen the high half only holds the sign.
  private func integer(_ start: Int, _ low: Int) throws(Damaged) -> Any {
    guard low <= 4 else { throw Damaged() }
    let skipped = low == 4 ? 8 : 0
    return NSNumber(value: Int64(bitPattern: try bits(start + skipped, min(1 << low, 8))))
  }

  private func real(_ start: Int, _ low: Int) throws(Damaged) -> Double {
    switch low {
    case 2: return Double(Float(bitPattern: UInt32(try bits(start, 4))))
    case 3: return Double(bitPattern: try bits(start, 8))
    default: throw Damaged()
    }
  }

  private func bits(_ start: Int, _ size: Int) throws(Damaged) -> UInt64 {
    guard size <= bytes.count - start else { throw Damaged() }
    return bytes[start..<start + size].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// How many units follow the head of the object, and where they start.
  private func count(_ start: Int) throws(Damaged) -> (count: Int, first: Int) {
    let low = Int(bytes[start] & 0x0F)
    guard low == 0x0F else { return (low, start + 1) }
    let size = try number(start + 1, 1)
    guard size & 0xF0 == 0x10, size & 0x0F <= 3 else { throw Damaged() }
    return (try number(start + 2, 1 << (size & 0x0F)), start + 2 + 1 << (size & 0x0F))
  }

  private mutating func payload(_ start: Int, unit: Int) throws(Damaged) -> ArraySlice<UInt8> {
    let (count, first) = try count(start)
    guard first <= bytes.count, count <= (bytes.count - first) / unit, count * unit <= bytesLeft else {
      throw Damaged()
    }
    bytesLeft -= count * unit
    return bytes[first..<first + count * unit]
  }

  private mutating func utf16(_ start: Int) throws(Damaged) -> String {
    let payload = try payload(start, unit: 2)
    let units = stride(from: payload.startIndex, to: payload.endIndex, by: 2).map {
      UInt16(payload[$0]) << 8 | UInt16(payload[$0 + 1])
    }
    return String(decoding: units, as: UTF16.self)
  }

  private mutating func members(_ first: Int, _ count: Int, _ depth: Int) throws(Damaged) -> [Any] {
    guard first <= bytes.count, count <= (bytes.count - first) / referenceSize else { throw Damaged() }
    var members: [Any] = []
    for index in 0..<count {
      let reference = try number(first + index * referenceSize, referenceSize)
      members.append(try object(reference, depth: depth + 1))
    }
    return members
  }

  private mutating func array(_ start: Int, _ depth: Int) throws(Damaged) -> [Any] {
    let (count, first) = try count(start)
    return try members(first, count, depth)
  }

  private mutating func dictionary(_ start: Int, _ depth: Int) throws(Damaged) -> [String: Any] {
    let (count, first) = try count(start)
    let keys = try members(first, count, depth)
    let values = try members(first + count * referenceSize, count, depth)
    var dictionary: [String: Any] = [:]
    for (key, value) in zip(keys, values) {
      guard let key = key as? String else { throw Damaged() }
      dictionary[key] = value
    }
    return dictionary
  }
}
