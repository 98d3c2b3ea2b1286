/// `stsz` and `stz2`: the bytes of each sample.
package struct SampleSizeAtom: Atom, Hashable, Sendable {
  package let type: FourCC
  package var sizes: SampleSizes

  /// `stz2` for one- and two-byte sizes, else `stsz`.
  package init(sizes: SampleSizes) {
    self.sizes = sizes
    switch sizes.storage {
    case .bytes, .shorts: type = "stz2"
    case .uniform, .words: type = "stsz"
    }
  }

  /// Reads an `stsz`.
  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    _ = try reader.versionAndFlags()
    let place = reader
    let size = try reader.u32()
    if size != 0 {
      let count = try reader.u32()
      guard UInt64(size).multipliedFullWidth(by: UInt64(count)).low <= UInt64(ReadingLimit.time) else {
        throw place.malformed("claims \(count) samples of \(size) bytes")
      }
      self.init(sizes: SampleSizes(.uniform(size: size, count: Int(count))))
    } else {
      let count = try reader.count(entryBytes: 4)
      self.init(sizes: SampleSizes(.words(try reader.u32s(count))))
    }
  }

  /// Reads an `stz2`, whose sizes have 4, 8 or 16 bits.
  package init(readingCompact reader: inout ByteReader) throws(QuickTimeError) {
    _ = try reader.versionAndFlags()
    try reader.skip(3)
    let place = reader
    let bits = Int(try reader.u8())
    guard [4, 8, 16].contains(bits) else { throw place.malformed("has sample sizes of \(bits) bits") }
    let count = Int(try reader.u32())
    guard (count * bits + 7) / 8 <= reader.remaining else {
      throw place.malformed("claims \(count) sizes of \(bits) bits but has \(reader.remaining) bytes for them")
    }
    self.init(sizes: SampleSizes(try Self.compact(&reader, bits, count)))
  }

  private static func compact(
    _ reader: inout ByteReader, _ bits: Int, _ count: Int
  ) throws(QuickTimeError) -> SampleSizes.Storage {
    if bits == 16 {
      var sizes: [UInt16] = []
      for _ in 0..<count { sizes.append(try reader.u16()) }
      return .shorts(sizes)
    }
    let bytes = try reader.data((count * bits + 7) / 8)
    return .bytes(bits == 8 ? [UInt8](bytes) : Array(bytes.flatMap { [$0 >> 4, $0 & 15] }.prefix(count)))
  }

  package func write(to writer: inout ByteWriter) {
    writer.versionAndFlags(0)
    switch sizes.storage {
    case .uniform(let size, let count):
      writer.u32(size)
      writer.u32(UInt32(count))
    case .words(let sizes):
      writer.u32(0)
      writer.u32(UInt32(sizes.count))
      for size in sizes { writer.u32(size) }
    case .bytes(let sizes):
      writer.u32(8)
      writer.u32(UInt32(sizes.count))
      for size in sizes { writer.u8(size) }
    case .shorts(let sizes):
      writer.u32(16)
      writer.u32(UInt32(sizes.count))
      for size in sizes { writer.u16(size) }
    }
  }
}
