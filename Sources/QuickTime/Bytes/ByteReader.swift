package import Foundation

/// Reads big-endian fields from bytes in memory; every read is checked against the end and throws `.truncated`.
///
/// A reader is a window into bytes it shares with the readers of the atoms around it. It knows where its bytes lie in the file and
/// the path of its atom, so that errors can say both.
package struct ByteReader: Sendable {
  private let bytes: [UInt8]
  private let base: Int64
  /// The end of the window, an index into `bytes`.
  private let end: Int
  private var position: Int
  /// The path of the atom whose bytes these are.
  package let path: String

  /// `offset` is the place of the first byte in the file.
  package init(_ bytes: [UInt8], offset: Int64 = 0, path: String = "") {
    self.bytes = bytes
    self.path = path
    base = offset
    end = bytes.count
    position = 0
  }

  package init(_ data: Data, offset: Int64 = 0, path: String = "") {
    self.init([UInt8](data), offset: offset, path: path)
  }

  /// The same bytes under another path.
  func renamed(_ path: String) -> ByteReader { ByteReader(window: self, count: remaining, path: path) }

  private init(window: ByteReader, count: Int, path: String) {
    bytes = window.bytes
    base = window.base
    position = window.position
    end = window.position + count
    self.path = path
  }

  /// The number of bytes that are left.
  package var remaining: Int { end - position }
  package var isAtEnd: Bool { position == end }
  /// The place of the next byte in the file.
  package var offset: Int64 { base + Int64(position) }

  /// Takes the next `count` bytes as a reader of their own.
  package mutating func window(_ count: Int, path: String? = nil) throws(QuickTimeError) -> ByteReader {
    try require(count)
    let window = ByteReader(window: self, count: count, path: path ?? self.path)
    position += count
    return window
  }

  package mutating func skip(_ count: Int) throws(QuickTimeError) {
    try require(count)
    position += count
  }

  package mutating func data(_ count: Int) throws(QuickTimeError) -> Data {
    try require(count)
    defer { position += count }
    return Data(bytes[position..<position + count])
  }

  /// All bytes that are left; the reader is at its end afterwards.
  package mutating func rest() -> Data {
    defer { position = end }
    return Data(bytes[position..<end])
  }

  package mutating func u8() throws(QuickTimeError) -> UInt8 { UInt8(truncatingIfNeeded: try integer(1)) }
  package mutating func u16() throws(QuickTimeError) -> UInt16 { UInt16(truncatingIfNeeded: try integer(2)) }
  package mutating func u24() throws(QuickTimeError) -> UInt32 { UInt32(truncatingIfNeeded: try integer(3)) }
  package mutating func u32() throws(QuickTimeError) -> UInt32 { UInt32(truncatingIfNeeded: try integer(4)) }
  package mutating func u64() throws(QuickTimeError) -> UInt64 { try integer(8) }
  package mutating func i8() throws(QuickTimeError) -> Int8 { Int8(bitPattern: try u8()) }
  package mutating func i16() throws(QuickTimeError) -> Int16 { Int16(bitPattern: try u16()) }
  package mutating func i32() throws(QuickTimeError) -> Int32 { Int32(bitPattern: try u32()) }
  package mutating func i64() throws(QuickTimeError) -> Int64 { Int64(bitPattern: try u64()) }
  package mutating func f32() throws(QuickTimeError) -> Float { Float(bitPattern: try u32()) }
  package mutating func f64() throws(QuickTimeError) -> Double { Double(bitPattern: try u64()) }
  package mutating func fourCC() throws(QuickTimeError) -> FourCC { FourCC(try u32()) }
  /// A signed 16.16 fixed-point number.
  package mutating func fixed16() throws(QuickTimeError) -> Double { Double(try i32()) / 65_536 }

  /// The 32-bit number of entries in front of a table, refused unless they all fit.
  package mutating func count(entryBytes: Int) throws(QuickTimeError) -> Int {
    let place = self
    let count = Int(try u32())
    guard count <= remaining / entryBytes else {
      throw place.malformed("claims \(count) entries of \(entryBytes) bytes but has room for \(remaining / entryBytes)")
    }
    return count
  }

  /// The next `count` 32-bit numbers.
  package mutating func u32s(_ count: Int) throws(QuickTimeError) -> [UInt32] {
    guard count >= 0, count <= remaining / 4 else { throw malformed("is too short for \(count) numbers", .truncated) }
    let start = position
    position += count * 4
    return [UInt32](unsafeUninitializedCapacity: count) { numbers, initialized in
      bytes.withUnsafeBytes { raw in
        for index in 0..<count {
          numbers[index] = UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: start + index * 4, as: UInt32.self))
        }
      }
      initialized = count
    }
  }

  /// An error of this atom at the next byte. `problem` completes "The atom … at byte …".
  package func malformed(_ problem: String, _ kind: QuickTimeError.Kind = .malformed) -> QuickTimeError {
    let place = path.isEmpty ? "The data" : "The atom \(path)"
    return QuickTimeError(
      kind, "\(place) at byte \(offset) \(problem); the file is damaged, get the original again.", path: path,
      offset: offset)
  }

  private func require(_ count: Int) throws(QuickTimeError) {
    guard count >= 0, count <= end - position else {
      throw malformed("needs \(count) more bytes but only \(end - position) are left", .truncated)
    }
  }

  private mutating func integer(_ count: Int) throws(QuickTimeError) -> UInt64 {
    try require(count)
    var value: UInt64 = 0
    for index in position..<position + count { value = value << 8 | UInt64(bytes[index]) }
    position += count
    return value
  }
}
