import CoreMedia
import Foundation

/// Writes the parts of the binary form.
struct ChangesWriter {
  private(set) var bytes: [UInt8] = []

  mutating func unsigned(_ value: UInt64) {
    var value = value
    while value >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    bytes.append(UInt8(value))
  }

  mutating func signed(_ value: Int64) {
    unsigned(UInt64(bitPattern: value << 1) ^ UInt64(bitPattern: value >> 63))
  }

  mutating func float(_ value: Float) { fixed(UInt64(value.bitPattern), 4) }

  mutating func fixed(_ value: UInt64, _ count: Int) {
    for index in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(index * 8))) }
  }

  mutating func time(_ time: CMTime) {
    signed(time.value)
    unsigned(UInt64(max(time.timescale, 0)))
  }

  mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func field(_ tag: UInt64, _ body: (inout ChangesWriter) -> Void) {
    var payload = ChangesWriter()
    body(&payload)
    unsigned(tag)
    unsigned(UInt64(payload.bytes.count))
    bytes.append(contentsOf: payload.bytes)
  }

  mutating func fields(_ fields: [ChangesField]) {
    for field in fields {
      unsigned(field.tag)
      unsigned(UInt64(field.payload.count))
      bytes.append(contentsOf: field.payload)
    }
  }
}

/// Reads the parts of the binary form; throws `.malformed` where they do not fit.
struct ChangesReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ data: Data) {
    bytes = [UInt8](data)
  }

  var isAtEnd: Bool { position == bytes.count }

  mutating func unsigned() throws(CNCinematicError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), through: 63, by: 7) {
      let byte = UInt64(try fixed(1))
      guard shift < 63 || byte <= 1 else { break }
      value |= (byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw damaged("has a number that is too long")
  }

  mutating func signed() throws(CNCinematicError) -> Int64 {
    let value = try unsigned()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  mutating func float() throws(CNCinematicError) -> Float { Float(bitPattern: UInt32(try fixed(4))) }

  mutating func fixed(_ count: Int) throws(CNCinematicError) -> UInt64 {
    guard count <= bytes.count - position else { throw damaged("ends too early") }
    defer { position += count }
    return bytes[position..<position + count].reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func time() throws(CNCinematicError) -> CMTime {
    let value = try signed()
    guard let timescale = Int32(exactly: try unsigned()), timescale > 0 else {
      throw damaged("has a time without a scale")
    }
    return CMTime(value: value, timescale: timescale)
  }

  /// The bytes that are left.
  var rest: ArraySlice<UInt8> { bytes[position...] }

  mutating func skip(_ count: Int) throws(CNCinematicError) {
    guard count <= bytes.count - position else { throw damaged("ends too early") }
    position += count
  }

  mutating func field() throws(CNCinematicError) -> ChangesField {
    let tag = try unsigned()
    guard let count = Int(exactly: try unsigned()) else { throw damaged("has a field that is too long") }
    return ChangesField(tag: tag, payload: try data(count))
  }

  /// All fields up to the end.
  mutating func fields() throws(CNCinematicError) -> [ChangesField] {
    var fields: [ChangesField] = []
    while !isAtEnd { fields.append(try field()) }
    return fields
  }

  private mutating func data(_ count: Int) throws(CNCinematicError) -> Data {
    guard count <= bytes.count - position else { throw damaged("ends too early") }
    defer { position += count }
    return Data(bytes[position..<position + count])
  }

  func damaged(_ problem: String) -> CNCinematicError {
    CNCinematicError(.malformed, "The changes file \(problem) at byte \(position); use a copy that is whole.")
  }
}
