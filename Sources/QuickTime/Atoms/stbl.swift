/// `stbl`: the tables that say where the samples of a track are and when they are shown.
struct SampleTableAtoms {
  var descriptions: [SampleDescription] = []
  var durations: RunTable<UInt32>?
  var compositionOffsets: RunTable<Int32>?
  var compositionShift: CompositionShiftAtom?
  var sizes: SampleSizes?
  var offsets: ChunkOffsets?
  var chunkRuns: [SampleToChunkAtom.Run]?
  var syncSamples: [UInt32]?
  var dependencies: [UInt8]?
  /// Sample groups and whatever else is there, as stored.
  var others: [StoredAtom] = []

  init(reading reader: inout ByteReader, handler: FourCC) throws(QuickTimeError) {
    while var box = try reader.nextBox() {
      try read(&box, handler)
    }
  }

  /// Of an atom that is there twice the first counts.
  private mutating func read(_ box: inout Box, _ handler: FourCC) throws(QuickTimeError) {
    switch box.type {
    case "stsd" where descriptions.isEmpty:
      descriptions = try SampleDescriptionAtom(reading: &box.payload, handler: handler).descriptions
    case "stts" where durations == nil: durations = try TimeToSampleAtom(reading: &box.payload).durations
    case "ctts" where compositionOffsets == nil:
      compositionOffsets = try CompositionOffsetAtom(reading: &box.payload).offsets
    case "cslg" where compositionShift == nil: compositionShift = try CompositionShiftAtom(reading: &box.payload)
    case "stsz" where sizes == nil: sizes = try SampleSizeAtom(reading: &box.payload).sizes
    case "stz2" where sizes == nil: sizes = try SampleSizeAtom(readingCompact: &box.payload).sizes
    case "stco" where offsets == nil: offsets = try ChunkOffsetAtom(reading: &box.payload).offsets
    case "co64" where offsets == nil: offsets = try ChunkOffsetAtom(readingLong: &box.payload).offsets
    case "stsc" where chunkRuns == nil: chunkRuns = try SampleToChunkAtom(reading: &box.payload).runs
    case "stss" where syncSamples == nil: syncSamples = try SyncSampleAtom(reading: &box.payload).numbers
    case "sdtp" where dependencies == nil: dependencies = try SampleDependencyAtom(reading: &box.payload).flags
    default: others.append(box.stored)
    }
  }
}

extension SampleTable {
  /// Puts the tables together; throws where their numbers do not fit each other.
  ///
  /// `place` is a reader of the `stbl` for messages, `fileBytes` the length of the file.
  init(
    _ atoms: SampleTableAtoms, handler: FourCC, place: ByteReader, fileBytes: Int64
  ) throws(QuickTimeError) {
    let sizes = Self.sizes(atoms, handler)
    let count = sizes.count
    let durations = atoms.durations ?? RunTable()
    guard durations.count == count else {
      throw place.malformed("has \(count) samples but times for \(durations.count)")
    }
    // Every sample has at least a byte, so a table of equal sizes has no more samples than the file has bytes.
    guard atoms.compositionOffsets == nil || Int64(count) <= fileBytes else {
      throw place.malformed("has \(count) samples in a file of \(fileBytes) bytes")
    }
    if let last = atoms.syncSamples?.last, Int(last) > count {
      throw place.malformed("has \(count) samples but sync sample \(last)")
    }
    self.init(
      durations: durations, compositionOffsets: atoms.compositionOffsets, sizes: sizes,
      chunks: try Self.chunks(atoms, count, place), syncSamples: atoms.syncSamples, dependencies: atoms.dependencies)
  }

  private static func chunks(
    _ atoms: SampleTableAtoms, _ count: Int, _ place: ByteReader
  ) throws(QuickTimeError) -> ChunkTable {
    let runs = atoms.chunkRuns ?? []
    let chunks = ChunkTable(offsets: atoms.offsets ?? .short([]), runs: runs, sampleCount: count)
    guard chunks.capacity >= count else {
      throw place.malformed("has \(count) samples but chunks for \(chunks.capacity)")
    }
    for run in chunks.runs where count > 0 && run.descriptionIndex >= atoms.descriptions.count {
      throw place.malformed(
        "uses sample description \(run.descriptionIndex + 1) of \(atoms.descriptions.count)")
    }
    return chunks
  }

  /// Old QuickTime files give uncompressed sound a sample size of 1 whatever the bytes of a frame; the description knows them.
  private static func sizes(_ atoms: SampleTableAtoms, _ handler: FourCC) -> SampleSizes {
    let sizes = atoms.sizes ?? SampleSizes(.words([]))
    guard handler == "soun", case .uniform(1, let count) = sizes.storage,
      let bytes = atoms.descriptions.first?.uncompressedFrameBytes, bytes > 1
    else { return sizes }
    return SampleSizes(.uniform(size: bytes, count: count))
  }
}

extension SampleDescription {
  private static let uncompressed: Set<FourCC> = [
    "raw ", "twos", "sowt", "NONE", "in24", "in32", "fl32", "fl64", "lpcm", "ipcm", "fpcm", "ulaw", "alaw",
  ]

  /// The bytes of one frame (all channels) of uncompressed sound; nil for other coding or impossible values.
  package var uncompressedFrameBytes: UInt32? {
    guard let audio, Self.uncompressed.contains(type) else { return nil }
    if audio.bytesPerFrame > 0 { return UInt32(exactly: audio.bytesPerFrame) }
    let bits = type == "ulaw" || type == "alaw" ? 8 : audio.bitsPerChannel
    guard audio.channels > 0, audio.channels <= 1 << 16, bits > 0, bits <= 64 else { return nil }
    return UInt32(audio.channels * ((bits + 7) / 8))
  }
}
