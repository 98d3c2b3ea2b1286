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
    var defaults: TrackExtendsAtom
    var descriptionCount: Int
    /// As the index has it.
    var table: SampleTable
    /// Nil until a fragment continues the table.
    var builder: SampleTableBuilder?
  }

  private let source: any ByteSource
  private let fragmentDefaults: [TrackExtendsAtom]
  private let knownCount: Int
  private var tracks: [Track] = []
  /// By id; of tracks with the same id the first.
  private var indices: [UInt32: Int] = [:]
  /// How many more samples are accepted.
  private var budget: Int64
  /// The end of the data of the fragment before, inside a `moof`.
  private var dataEnd: Int64 = 0
  var warnings: [MovieWarning] = []

  init(_ source: any ByteSource, _ atoms: MovieAtoms, _ tables: [SampleTable]) {
    self.source = source
    fragmentDefaults = atoms.fragmentDefaults
    knownCount = atoms.tracks.count
    budget = min(source.byteCount, ReadingLimit.fragmentSamples)
    for (track, table) in zip(atoms.tracks, tables) {
      let id = track.header.trackID
      let defaults = atoms.fragmentDefaults.first { $0.trackID == id } ?? TrackExtendsAtom(trackID: id)
      indices[id] = indices[id] ?? tracks.count
      tracks.append(
        Track(defaults: defaults, descriptionCount: track.tables.descriptions.count, table: table))
    }
  }

  /// The tables of the tracks of the index.
  mutating func tables() -> [SampleTable] {
    (0..<knownCount).map { tracks[$0].builder?.finish() ?? tracks[$0].table }
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
    let fragment = try TrackFragmentAtoms(reading: &reader)
    let index = try index(of: fragment.header.trackID, place)
    var builder = try begin(index, place)
    if let time = fragment.time { seek(&builder, time, place) }
    let start = try base(fragment.header, movieFragment, place)
    dataEnd = start
    for run in fragment.runs {
      if let offset = run.dataOffset { dataEnd = start + Int64(offset) }
      guard dataEnd >= 0 else { throw place.malformed("puts samples before the start of the file") }
      try append(run, fragment.header, tracks[index], to: &builder, place)
    }
    tracks[index].builder = builder
  }

  /// The track with the id. One that the index does not have is followed all the same, for what comes behind its data, and dropped.
  private mutating func index(of id: UInt32, _ place: ByteReader) throws(QuickTimeError) -> Int {
    if let index = indices[id] { return index }
    guard tracks.count < ReadingLimit.tracks else {
      throw place.malformed("is one track more than the \(ReadingLimit.tracks) that are read", .unsupported)
    }
    indices[id] = tracks.count
    let message = "The fragments of track \(id) from byte \(place.offset) on are left out: the movie has no such track."
    warnings.append(MovieWarning(message, path: place.path, offset: place.offset))
    tracks.append(
      Track(
        defaults: fragmentDefaults.first { $0.trackID == id } ?? TrackExtendsAtom(trackID: id),
        descriptionCount: .max, table: .empty))
    return tracks.count - 1
  }

  /// Takes the table of a track out, to be continued.
  private mutating func begin(_ index: Int, _ place: ByteReader) throws(QuickTimeError) -> SampleTableBuilder {
    guard let builder = tracks[index].builder else {
      guard Int64(tracks[index].table.count) <= budget else {
        throw place.malformed("continues \(tracks[index].table.count) samples, more than the file has room for")
      }
      return SampleTableBuilder(tracks[index].table)
    }
    tracks[index].builder = nil
    return builder
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
  private mutating func seek(_ builder: inout SampleTableBuilder, _ time: Int64, _ place: ByteReader) {
    let gap = time - builder.end
    if builder.count == 0 {
      builder.start = time
    } else if gap < 0 || (gap > 0 && !builder.extendLast(by: gap)) {
      let message =
        "The fragment at byte \(place.offset) starts \(gap) units behind the end of the one before; it follows at once."
      warnings.append(MovieWarning(message, path: place.path, offset: place.offset))
    }
  }

  /// Appends a run as a chunk at the end of the data so far.
  private mutating func append(
    _ run: TrackRunAtom, _ header: TrackFragmentHeaderAtom, _ track: Track, to builder: inout SampleTableBuilder,
    _ place: ByteReader
  ) throws(QuickTimeError) {
    guard Int64(run.count) <= budget else {
      throw place.malformed("has more samples than the file has room for")
    }
    budget -= Int64(run.count)
    let description = Int(header.descriptionIndex ?? track.defaults.descriptionIndex) - 1
    guard description >= 0, description < track.descriptionCount else {
      throw place.malformed("uses sample description \(description + 1) of \(track.descriptionCount)")
    }
    builder.beginChunk(at: dataEnd, descriptionIndex: description)
    for samples in sampleRuns(run, header, track.defaults) {
      dataEnd += Int64(samples.size) * Int64(samples.count)
      guard dataEnd <= ReadingLimit.time, builder.append(samples) else {
        throw place.malformed("makes its samples impossibly large or long")
      }
    }
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
