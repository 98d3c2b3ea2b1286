package import Foundation

/// One numbered value: u16 id, u16 type, 4 bytes.
package struct CinematicPair: Hashable, Sendable {
  package var id: UInt16
  /// 1: f32, 2: u32; another type is kept as it is.
  package var type: UInt16
  /// The four bytes of the value.
  package var bits: UInt32

  init(id: UInt16, type: UInt16, bits: UInt32) {
    self.id = id
    self.type = type
    self.bits = bits
  }

  package static func float(_ id: UInt16, _ value: Float) -> CinematicPair {
    CinematicPair(id: id, type: 1, bits: value.bitPattern)
  }

  package static func integer(_ id: UInt16, _ value: UInt32) -> CinematicPair {
    CinematicPair(id: id, type: 2, bits: value)
  }

  /// The value after its stored type, NaN and infinities included; nil for an unknown type.
  package var number: Double? {
    switch type {
    case 1: Double(Float(bitPattern: bits))
    case 2: Double(bits)
    default: nil
    }
  }
}

/// A list of pairs up to the end of an atom.
package struct CinematicPairs: Hashable, Sendable {
  /// In stored order.
  package var list: [CinematicPair]
  /// Fewer than the 8 bytes of a pair.
  package var trailing = Data()

  package init(_ list: [CinematicPair] = []) {
    self.list = list
  }

  init(_ reader: inout ByteReader) throws(QuickTimeError) {
    list = []
    list.reserveCapacity(reader.remaining / 8)
    while reader.remaining >= 8 {
      list.append(CinematicPair(id: try reader.u16(), type: try reader.u16(), bits: try reader.u32()))
    }
    if !reader.isAtEnd { trailing = reader.rest() }
  }

  /// The first value with the id.
  package func number(_ id: UInt16) -> Double? {
    for pair in list where pair.id == id { return pair.number }
    return nil
  }

  /// Replaces the pair of that id, or appends it.
  package mutating func set(_ pair: CinematicPair) {
    if let index = list.firstIndex(where: { $0.id == pair.id }) {
      list[index] = pair
    } else {
      list.append(pair)
    }
  }

  func write(to writer: inout ByteWriter) {
    for pair in list {
      writer.u16(pair.id)
      writer.u16(pair.type)
      writer.u32(pair.bits)
    }
    writer.data(trailing)
  }
}

extension CinematicPairs {
  /// Reads an item that is one atom of pairs, `u32 size, type, pairs`; answers also what follows it.
  static func item(
    _ type: FourCC, payload: ByteReader
  ) throws(QuickTimeError) -> (before: Data, pairs: CinematicPairs, after: Data) {
    var reader = payload
    var before = Data()
    while reader.remaining >= 8 {
      var head = reader
      let size = Int(try head.u32())
      let found = try head.fourCC()
      guard size >= 8, size <= reader.remaining else {
        throw reader.malformed("holds an atom '\(found)' of \(size) bytes where \(reader.remaining) are left")
      }
      var body = try reader.window(size)
      if found != type {
        before.append(body.rest())
        continue
      }
      try body.skip(8)
      return (before, try CinematicPairs(&body), reader.rest())
    }
    throw payload.malformed("holds no atom '\(type)'", .unsupported)
  }

  func item(_ type: FourCC, before: Data, after: Data) -> Data {
    var writer = ByteWriter()
    writer.data(before)
    writer.box(type) { write(to: &$0) }
    writer.data(after)
    return writer.data
  }
}
