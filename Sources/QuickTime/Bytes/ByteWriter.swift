package import Foundation

/// Collects big-endian fields and atoms in memory.
package struct ByteWriter: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  package var count: Int { bytes.count }
  package var data: Data { Data(bytes) }

  package mutating func u8(_ value: UInt8) { bytes.append(value) }
  package mutating func u16(_ value: UInt16) { integer(UInt64(value), 2) }
  package mutating func u24(_ value: UInt32) { integer(UInt64(value), 3) }
  package mutating func u32(_ value: UInt32) { integer(UInt64(value), 4) }
  package mutating func u64(_ value: UInt64) { integer(value, 8) }
  package mutating func i16(_ value: Int16) { u16(UInt16(bitPattern: value)) }
  package mutating func i32(_ value: Int32) { u32(UInt32(bitPattern: value)) }
  package mutating func i64(_ value: Int64) { u64(UInt64(bitPattern: value)) }
  package mutating func f32(_ value: Float) { u32(value.bitPattern) }
  package mutating func f64(_ value: Double) { u64(value.bitPattern) }
  package mutating func fourCC(_ value: FourCC) { u32(value.rawValue) }
  /// A signed 16.16 fixed-point number, rounded; values beyond its range become the nearest end.
  package mutating func fixed16(_ value: Double) {
    let scaled = (value * 65_536).rounded()
    i32(scaled.isNaN ? 0 : Int32(max(-2_147_483_648, min(2_147_483_647, scaled))))
  }
  package mutating func data(_ value: Data) { bytes.append(contentsOf: value) }
  package mutating func zeros(_ count: Int) { bytes.append(contentsOf: repeatElement(0, count: count)) }

  /// An atom of the type; `body` writes its payload. Its size is 64 bits where 32 do not suffice.
  package mutating func box(_ type: FourCC, _ body: (inout ByteWriter) -> Void) {
    var payload = ByteWriter()
    body(&payload)
    box(type, payload.bytes)
  }

  /// An atom that starts with a version byte and 24 flags.
  package mutating func fullBox(
    _ type: FourCC, version: UInt8 = 0, flags: UInt32 = 0, _ body: (inout ByteWriter) -> Void
  ) {
    box(type) { payload in
      payload.u8(version)
      payload.u24(flags)
      body(&payload)
    }
  }

  private mutating func box(_ type: FourCC, _ payload: [UInt8]) {
    let fits = payload.count <= Int(UInt32.max) - 8
    u32(fits ? UInt32(payload.count + 8) : 1)
    fourCC(type)
    if !fits { u64(UInt64(payload.count) + 16) }
    bytes.append(contentsOf: payload)
  }

  private mutating func integer(_ value: UInt64, _ count: Int) {
    for shift in stride(from: (count - 1) * 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    }
  }
}
