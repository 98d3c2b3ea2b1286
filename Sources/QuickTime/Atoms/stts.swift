/// `stts`: how long each sample lasts, in decoding order.
package struct TimeToSampleAtom: Atom, Hashable, Sendable {
  package let type: FourCC = "stts"
  /// Durations in units of the media's time scale.
  package var durations: RunTable<UInt32>

  package init(durations: RunTable<UInt32>) {
    self.durations = durations
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    _ = try reader.versionAndFlags()
    durations = RunTable()
    for _ in 0..<(try reader.count(entryBytes: 8)) {
      let place = reader
      guard durations.append(count: try reader.u32(), value: try reader.u32()) else {
        throw place.malformed("makes its samples last impossibly long")
      }
    }
  }

  package func write(to writer: inout ByteWriter) {
    writer.versionAndFlags(0)
    writer.u32(UInt32(durations.runCount))
    for (count, duration) in zip(durations.counts, durations.values) {
      writer.u32(count)
      writer.u32(duration)
    }
  }
}
