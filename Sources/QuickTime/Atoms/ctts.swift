/// `ctts`: how much later than its decode time each sample is shown.
package struct CompositionOffsetAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "ctts"
  /// In units of the media's time scale. Signed in both versions: QuickTime writes negative offsets in version 0 as well, and no
  /// sensible offset needs the 32nd bit.
  package var offsets: RunTable<Int32>

  package init(offsets: RunTable<Int32>) {
    self.offsets = offsets
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    _ = try reader.versionAndFlags()
    offsets = RunTable()
    for _ in 0..<(try reader.count(entryBytes: 8)) {
      let place = reader
      guard offsets.append(count: try reader.u32(), value: try reader.i32()) else {
        throw place.malformed("has impossible composition offsets")
      }
    }
  }

  package func write(to writer: inout ByteWriter) {
    writer.versionAndFlags(offsets.values.contains { $0 < 0 } ? 1 : 0)
    writer.u32(UInt32(offsets.runCount))
    for (count, offset) in zip(offsets.counts, offsets.values) {
      writer.u32(count)
      writer.i32(offset)
    }
  }
}
