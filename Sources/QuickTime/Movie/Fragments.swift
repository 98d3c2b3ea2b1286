import Foundation

/// The samples that a fragmented movie describes in `moof` atoms.
enum Fragments {
  /// Continues the tables of the tracks with the samples of all fragments, in the order of the file.
  static func read(
    _ source: any ByteSource, _ layout: FileLayout, _ atoms: MovieAtoms, _ tables: inout [SampleTable]
  ) throws(QuickTimeError) -> [MovieWarning] {
    var reading = FragmentReading(source, atoms, tables)
    for atom in layout.atoms where atom.type == "moof" {
      if atom.isCutOff {
        reading.warnings.append(
          MovieWarning(
            "The fragment from byte \(atom.offset) is cut off; the samples from there on are missing.", path: "moof",
            offset: atom.offset))
        break
      }
      try reading.read(atom)
    }
    tables = reading.tables()
    return reading.warnings
  }
}

/// What is carried from fragment to fragment.
private struct FragmentReading {
  private struct Track {
    var id: UInt32
    var defaults: TrackExtendsAtom
    var builder: SampleTableBuilder
    var descriptionCount: Int
  }

  private let source: any ByteSource
  private var tracks: [Track] = []
  /// How many more samples are accepted.
  private var budget: Int64
  /// The end of the data of the fragment before, inside a `moof`.
  private var dataEnd: Int64 = 0
  var warnings: [MovieWarning] = []

  init(_ source: any ByteSource, _ atoms: MovieAtoms, _ tables: [SampleTable]) {
    self.source = source
    budget = min(source.byteCount, ReadingLimit.fragmentSamples)
    for (track, table) in zip(atoms.tracks, tables) {
      let id = track.header.trackID
      let defaults = atoms.fragmentDefaults.first { $0.trackID == id } ?? TrackExtendsAtom(trackID: id)
      // A table of more samples than the file has bytes cannot be continued.
      let start = Int64(table.count) <= budget ? SampleTableBuilder(table) : SampleTableBuilder()
      tracks.append(
        Track(id: id, defaults: defaults, builder: start, descriptionCount: track.tables.descriptions.count))
    }
  }

  mutating func tables() -> [SampleTable] {
    tracks.indices.map { tracks[$0].builder.finish() }
  }

  mutating func read(_ atom: TopLevelAtom) throws(QuickTimeError) {
    let count = atom.byteCount - Int64(atom.headerBytes)
    guard count <= ReadingLimit.fragmentAtomBytes else {
      throw QuickTimeError(
        .unsupported, "The fragment (moof) at byte \(atom.offset) has \(count) bytes, more than are read.",
        path: "moof",
        offset: atom.offset)
    }
    let start = atom.offset + Int64(atom.headerBytes)
    var reader = ByteReader(try source.read(at: start, count: Int(count)), offset: start, path: "moof")
    dataEnd = atom.offset
    while var box = try reader.nextBox() {
      if box.type == "traf" { try readTrack(&box.payload, atom.offset) }
    }
  }

  private mutating func readTrack(_ reader: inout ByteReader, _ movieFragment: Int64) throws(QuickTimeError) {
    let place = reader
    var header: TrackFragmentHeaderAtom?
    var time: Int64?
    var runs: [TrackRunAtom] = []
    while var box = try reader.nextBox() {
      switch box.type {
      case "tfhd" where header == nil: header = try TrackFragmentHeaderAtom(reading: &box.payload)
      case "tfdt" where time == nil: time = try FragmentDecodeTimeAtom(reading: &box.payload).time
      case "trun": runs.append(try TrackRunAtom(reading: &box.payload))
      default: break
      }
    }
    guard let header else { throw place.malformed("has no track fragment header (tfhd)") }
    guard let index = tracks.firstIndex(where: { $0.id == header.trackID }) else {
      throw place.malformed("belongs to track \(header.trackID), which does not exist")
    }
    if let time { seek(index, time, place) }
    var position = try base(header, movieFragment, place)
    let start = position
    for run in runs {
      if let offset = run.dataOffset { position = start + Int64(offset) }
      guard position >= 0 else { throw place.malformed("puts samples before the start of the file") }
      position = try append(run, header, to: index, at: position, place)
    }
    dataEnd = position
  }

  private func base(
    _ header: TrackFragmentHeaderAtom, _ movieFragment: Int64, _ place: ByteReader
  ) throws(QuickTimeError) -> Int64 {
    guard let stated = header.baseDataOffset else { return header.isBaseMovieFragment ? movieFragment : dataEnd }
    guard stated <= UInt64(ReadingLimit.time) else {
      throw place.malformed("has its data at the impossible byte \(stated)")
    }
    return Int64(stated)
  }

  /// A fragment that starts later than the last one ends makes the last sample longer, as no sample is shown between.
  private mutating func seek(_ index: Int, _ time: Int64, _ place: ByteReader) {
    let gap = time - tracks[index].builder.end
    if tracks[index].builder.count == 0 {
      tracks[index].builder.start = time
    } else if gap < 0 || (gap > 0 && !tracks[index].builder.extendLast(by: gap)) {
      let message =
        "The fragment at byte \(place.offset) starts \(abs(gap)) units off the end of the one before; it follows at once."
      warnings.append(MovieWarning(message, path: place.path, offset: place.offset))
    }
  }

  /// Appends a run as a chunk and gives the end of its data.
  private mutating func append(
    _ run: TrackRunAtom, _ header: TrackFragmentHeaderAtom, to index: Int, at position: Int64, _ place: ByteReader
  ) throws(QuickTimeError) -> Int64 {
    guard Int64(run.count) <= budget else {
      throw place.malformed("has more samples than the file has room for")
    }
    budget -= Int64(run.count)
    let defaults = tracks[index].defaults
    let description = Int(header.descriptionIndex ?? defaults.descriptionIndex) - 1
    guard (0..<max(1, tracks[index].descriptionCount)).contains(description) else {
      throw place.malformed("uses sample description \(description + 1) of \(tracks[index].descriptionCount)")
    }
    tracks[index].builder.beginChunk(at: position, descriptionIndex: description)
    var end = position
    for samples in sampleRuns(run, header, defaults) {
      end += Int64(samples.size) * Int64(samples.count)
      guard end <= ReadingLimit.time, tracks[index].builder.append(samples) else {
        throw place.malformed("makes its samples impossibly large or long")
      }
    }
    return end
  }

  private func sampleRuns(
    _ run: TrackRunAtom, _ header: TrackFragmentHeaderAtom, _ defaults: TrackExtendsAtom
  ) -> [SampleTableBuilder.Run] {
    let flags = header.flags ?? defaults.flags
    var plain = Self.run(flags)
    plain.size = header.size ?? defaults.size
    plain.duration = header.duration ?? defaults.duration
    guard !run.entries.isEmpty else {
      guard let firstFlags = run.firstSampleFlags, run.count > 0 else {
        plain.count = run.count
        return [plain]
      }
      var first = Self.run(firstFlags)
      (first.size, first.duration) = (plain.size, plain.duration)
      plain.count = run.count - 1
      return [first, plain]
    }
    return run.entries.enumerated().map { index, entry in
      var sample = Self.run(entry.flags ?? (index == 0 ? run.firstSampleFlags : nil) ?? flags)
      sample.size = entry.size ?? plain.size
      sample.duration = entry.duration ?? plain.duration
      sample.compositionOffset = entry.compositionOffset ?? 0
      return sample
    }
  }

  /// Bit 16 of the flags of a sample: decoding cannot start here; the bits above are those of `sdtp`.
  private static func run(_ flags: UInt32) -> SampleTableBuilder.Run {
    SampleTableBuilder.Run(
      size: 0, duration: 0, isSync: flags & 0x1_0000 == 0, dependency: UInt8(truncatingIfNeeded: flags >> 20))
  }
}
