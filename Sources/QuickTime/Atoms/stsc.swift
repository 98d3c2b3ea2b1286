/// `stsc`: how many samples each chunk holds and which sample description they use.
package struct SampleToChunkAtom: Atom, Hashable, Sendable {
  package struct Run: Hashable, Sendable {
    /// Counts from 0; 1 less than stored.
    package var firstChunk: Int
    package var samplesPerChunk: Int
    /// Counts from 0; 1 less than stored.
    package var descriptionIndex: Int

    package init(firstChunk: Int, samplesPerChunk: Int, descriptionIndex: Int) {
      self.firstChunk = firstChunk
      self.samplesPerChunk = samplesPerChunk
      self.descriptionIndex = descriptionIndex
    }
  }

  package let type: FourCC = "stsc"
  package var runs: [Run]

  package init(runs: [Run]) {
    self.runs = runs
  }

  package init(reading reader: inout ByteReader) throws(QuickTimeError) {
    _ = try reader.versionAndFlags()
    runs = []
    for _ in 0..<(try reader.count(entryBytes: 12)) {
      let place = reader
      let first = Int(try reader.u32())
      let samples = Int(try reader.u32())
      let description = Int(try reader.u32())
      let expected = runs.last.map { $0.firstChunk + 2 } ?? 1
      guard runs.isEmpty ? first == 1 : first >= expected else {
        throw place.malformed("has an entry for chunk \(first) where \(expected) or later is due")
      }
      guard samples > 0, description > 0 else {
        throw place.malformed("has an entry of \(samples) samples with description \(description)")
      }
      runs.append(Run(firstChunk: first - 1, samplesPerChunk: samples, descriptionIndex: description - 1))
    }
  }

  package func write(to writer: inout ByteWriter) {
    writer.versionAndFlags(0)
    writer.u32(UInt32(runs.count))
    for run in runs {
      writer.u32(UInt32(run.firstChunk + 1))
      writer.u32(UInt32(run.samplesPerChunk))
      writer.u32(UInt32(run.descriptionIndex + 1))
    }
  }
}
