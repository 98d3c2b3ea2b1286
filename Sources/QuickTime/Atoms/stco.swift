/// `stco` and `co64`: where each chunk lies in the file.
package struct ChunkOffsetAtom: Atom, Hashable, Sendable {
  package let type: FourCC
  package var offsets: ChunkOffsets

  package init(offsets: ChunkOffsets) {
    self.offsets = offsets
    if case .short = offsets { type = "stco" } else { type = "co64" }
  }

  /// Reads an `stco`.
  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    _ = try reader.versionAndFlags()
    let count = try reader.count(entryBytes: 4)
    self.init(offsets: .short(try reader.u32s(count)))
  }

  /// Reads a `co64`.
  package init(readingLong reader: inout ByteReader) throws(QuickTimeError) {
    _ = try reader.versionAndFlags()
    var offsets: [Int64] = []
    for _ in 0..<(try reader.count(entryBytes: 8)) {
      let place = reader
      let offset = try reader.i64()
      guard (0...ReadingLimit.time).contains(offset) else {
        throw place.malformed("puts a chunk at the impossible place \(UInt64(bitPattern: offset))")
      }
      offsets.append(offset)
    }
    self.init(offsets: .long(offsets))
  }

  package func write(to writer: inout ByteWriter) {
    writer.versionAndFlags(0)
    writer.u32(UInt32(offsets.count))
    switch offsets {
    case .short(let offsets): for offset in offsets { writer.u32(offset) }
    case .long(let offsets): for offset in offsets { writer.i64(offset) }
    }
  }
}
