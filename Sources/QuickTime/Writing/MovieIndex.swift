import Foundation

/// The index of a movie to be written: `moov` and the atoms below, put together.
struct MovieIndex {
  struct Track {
    var id: UInt32
    var specification: TrackSpecification
    var samples: SampleTable
  }

  var timescale: Int32
  var isQuickTime: Bool
  var creationDate: Date?
  var metadata: [MovieMetadataItem] = []
  var otherAtoms: [StoredAtom] = []
  var tracks: [Track] = []

  /// All bytes of the `moov` atom, with the offsets of all chunks `shift` bytes later than in the tables.
  func bytes(shift: Int64) -> Data {
    let durations = tracks.map { $0.specification.duration($0.samples, movieTimescale: timescale) }
    var writer = ByteWriter()
    writer.box("moov") { movie in
      let nextID = (tracks.map(\.id).max() ?? 0) + 1
      movie.atom(
        MovieHeaderAtom(
          timescale: timescale, duration: durations.max() ?? 0, nextTrackID: nextID, creationDate: creationDate))
      for track in tracks { Self.write(track, shift, timescale, isQuickTime, creationDate, to: &movie) }
      Self.write(metadata, isQuickTime, to: &movie)
      for atom in otherAtoms { movie.atom(atom) }
    }
    return writer.data
  }

  /// The index in front of the samples: its own length moves them, and that may take longer offsets.
  func bytesInFront(shift: Int64) -> Data {
    var size = bytes(shift: shift).count
    while true {
      let index = bytes(shift: shift + Int64(size))
      if index.count == size { return index }
      size = index.count
    }
  }

  /// Metadata with reverse-DNS keys, in the form of the file, then user data.
  static func write(_ metadata: [MovieMetadataItem], _ isQuickTime: Bool, to writer: inout ByteWriter) {
    let quickTime = metadata.filter { $0.space == .quickTimeMetadata }
    let music = metadata.filter { $0.space == .iTunesMetadata }
    let user = metadata.filter { $0.space == .userData }
    if !user.isEmpty || !music.isEmpty {
      let inner = music.isEmpty ? nil : MetadataAtom(items: music, isFull: true, handler: "mdir")
      writer.atom(UserDataAtom(items: user, metadata: inner))
    }
    if !quickTime.isEmpty { writer.atom(MetadataAtom(items: quickTime, isFull: !isQuickTime)) }
  }

  static func write(
    _ track: Track, _ shift: Int64, _ movieTimescale: Int32, _ isQuickTime: Bool, _ creationDate: Date?,
    to writer: inout ByteWriter
  ) {
    let specification = track.specification
    writer.box("trak") { trak in
      trak.atom(header(track, movieTimescale, creationDate))
      for atom in specification.otherAtoms { trak.atom(atom) }
      if !specification.edits.isEmpty { trak.box("edts") { $0.atom(EditListAtom(edits: specification.edits)) } }
      if !specification.references.isEmpty { trak.atom(TrackReferenceAtom(references: specification.references)) }
      trak.box("mdia") { media(track, shift, isQuickTime, creationDate, to: &$0) }
      write(specification.metadata, isQuickTime, to: &trak)
    }
  }

  private static func header(_ track: Track, _ movieTimescale: Int32, _ creationDate: Date?) -> TrackHeaderAtom {
    let specification = track.specification
    let duration = specification.duration(track.samples, movieTimescale: movieTimescale)
    var header = TrackHeaderAtom(trackID: track.id, duration: duration)
    header.flags = specification.isEnabled ? 0xF : 0xE
    header.creationDate = specification.creationDate ?? creationDate
    header.modificationDate = creationDate ?? specification.creationDate
    header.layer = specification.layer
    header.alternateGroup = specification.alternateGroup
    header.volume = Int16(max(-128, min(127, specification.volume)) * 256)
    header.matrix = specification.matrix
    header.width = specification.width
    header.height = specification.height
    return header
  }

  private static func media(
    _ track: Track, _ shift: Int64, _ isQuickTime: Bool, _ creationDate: Date?, to writer: inout ByteWriter
  ) {
    let specification = track.specification
    var header = MediaHeaderAtom(
      timescale: specification.timescale, duration: track.samples.totalDuration, language: specification.languageCode)
    header.creationDate = specification.creationDate ?? creationDate
    header.modificationDate = creationDate ?? specification.creationDate
    writer.atom(header)
    writer.atom(
      HandlerAtom(
        component: "mhlr", handler: specification.handler, name: specification.handlerName, isQuickTime: isQuickTime))
    writer.box("minf") { information in
      information.atom(
        specification.informationHeader
          ?? MediaInformationHeader.standard(handler: specification.handler, isQuickTime: isQuickTime))
      if isQuickTime {
        information.atom(
          HandlerAtom(component: "dhlr", handler: "alis", name: "Core Media Data Handler", isQuickTime: true))
      }
      information.box("dinf") { $0.atom(DataReferenceAtom.here(isQuickTime: isQuickTime)) }
      information.box("stbl") { tables(track, shift, to: &$0) }
    }
  }

  private static func tables(_ track: Track, _ shift: Int64, to writer: inout ByteWriter) {
    let samples = track.samples
    SampleDescriptionAtom(descriptions: track.specification.sampleDescriptions).write(to: &writer)
    writer.atom(TimeToSampleAtom(durations: samples.durations))
    if let offsets = samples.compositionOffsets {
      writer.atom(CompositionOffsetAtom(offsets: offsets))
      writer.atom(CompositionShiftAtom(of: samples))
    }
    if let syncSamples = samples.syncSamples { writer.atom(SyncSampleAtom(numbers: syncSamples)) }
    if let dependencies = samples.dependencies { writer.atom(SampleDependencyAtom(flags: dependencies)) }
    writer.atom(SampleToChunkAtom(runs: samples.chunks.storedRuns))
    writer.atom(SampleSizeAtom(sizes: samples.sizes))
    writer.atom(ChunkOffsetAtom(offsets: samples.chunks.offsets.shifted(by: shift)))
    for atom in track.specification.otherSampleAtoms { writer.atom(atom) }
  }
}

extension TrackSpecification {
  /// In the movie's time scale: of the edits, or of the whole media where there are none.
  func duration(_ samples: SampleTable, movieTimescale: Int32) -> Int64 {
    guard edits.isEmpty else { return edits.reduce(0) { $0 + $1.segmentDuration } }
    return RationalTime(samples.totalDuration, timescale).rounded(toScale: movieTimescale)
  }
}

extension CompositionShiftAtom {
  /// What the composition offsets of a table amount to.
  init(of samples: SampleTable) {
    let offsets = samples.compositionOffsets?.values ?? []
    let least = Int64(offsets.min() ?? 0)
    let order = samples.presentationOrder
    let last = order.last.map { samples[$0] }
    self.init(
      shiftToDecodeTime: max(0, -least), leastOffset: least, greatestOffset: Int64(offsets.max() ?? 0),
      startTime: order.first.map { samples.presentationTime($0) } ?? 0,
      endTime: last.map { $0.presentationTime + $0.duration } ?? 0)
  }
}

extension ChunkTable {
  /// The runs as `stsc` stores them.
  var storedRuns: [SampleToChunkAtom.Run] {
    runs.map {
      SampleToChunkAtom.Run(
        firstChunk: $0.firstChunk, samplesPerChunk: $0.samplesPerChunk, descriptionIndex: $0.descriptionIndex)
    }
  }
}

extension ChunkOffsets {
  /// All offsets moved, in 32 bits where they suffice.
  func shifted(by shift: Int64) -> ChunkOffsets {
    ChunkOffsets((0..<count).map { self[$0] + shift })
  }
}
