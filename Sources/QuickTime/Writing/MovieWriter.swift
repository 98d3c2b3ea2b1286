package import Foundation

/// Writes a movie: samples as they come, the index at the end.
///
/// Samples are gathered into chunks of half a second, and the chunks of all tracks are written by time, so that a player finds picture
/// and sound side by side. What is held back stays below 32 MiB beside the current chunks, whatever the length of the movie; the
/// index takes a few bytes a sample. The file is written at exactly the place given: writing elsewhere and renaming is the caller's
/// part. After an error only `cancel` is left to do. Safe to use from any thread, one call at a time is worked on.
package final class MovieWriter: @unchecked Sendable {
  package struct Options: Sendable {
    /// `qt  ` for QuickTime, `mp42`, `isom`… for MP4.
    package var brand: FourCC = "qt  "
    package var timescale: Int32 = 600
    /// Whether the index comes in front of the samples: it costs moving them once, at the end.
    package var moovFirst = false
    package var creationDate: Date?

    package init(brand: FourCC = "qt  ", timescale: Int32 = 600, moovFirst: Bool = false, creationDate: Date? = nil) {
      self.brand = brand
      self.timescale = timescale
      self.moovFirst = moovFirst
      self.creationDate = creationDate
    }

    var isQuickTime: Bool { brand == "qt  " }

    var fileType: FileTypeAtom {
      let others: [FourCC] = isQuickTime ? [] : ["isom", "iso2", "mp41"]
      return FileTypeAtom(brand: brand, compatibleBrands: [brand] + others.filter { $0 != brand })
    }
  }

  private enum State {
    case writing
    case failed(QuickTimeError)
    case done
  }

  package let url: URL
  package let options: Options
  private let lock = NSLock()
  private let sink: FileSink
  private let mediaHeader: Int64
  private var tracks: [PendingTrack] = []
  private var timescale: Int32
  private var metadata: [MovieMetadataItem] = []
  private var otherAtoms: [StoredAtom] = []
  private var state = State.writing

  /// Makes the file and writes its first atoms.
  package init(url: URL, options: Options = Options()) throws(QuickTimeError) {
    precondition(options.timescale > 0)
    self.url = url
    self.options = options
    timescale = options.timescale
    sink = try FileSink(url)
    var writer = ByteWriter()
    writer.atom(options.fileType)
    mediaHeader = Int64(writer.count)
    // Eight spare bytes in front of `mdat`, to be its 64-bit size if it needs one. Size 0, to the end, holds until then.
    writer.box(options.isQuickTime ? "wide" : "free") { _ in }
    writer.u32(0)
    writer.fourCC("mdat")
    do {
      try sink.write(writer.data)
    } catch {
      sink.discard()
      throw error
    }
  }

  /// Adds a track and gives its index; its id in the file is one more.
  package func addTrack(_ specification: TrackSpecification) -> Int {
    precondition(specification.timescale > 0 && !specification.sampleDescriptions.isEmpty)
    return lock.withLock {
      tracks.append(PendingTrack(specification))
      return tracks.count - 1
    }
  }

  /// Appends a sample to a track, in decoding order.
  ///
  /// Throws `.io` if writing fails, `.unsupported` if a value does not fit the format.
  package func append(track: Int, data: Data, _ sample: TimedSample) throws(QuickTimeError) {
    try locked { writer throws(QuickTimeError) in
      precondition(writer.tracks[track].specification.sampleDescriptions.indices.contains(sample.descriptionIndex))
      try writer.tracks[track].append(data, sample)
      try writer.drain()
    }
  }

  /// Tells that no more samples come for a track, so that others need not wait for it.
  package func finishTrack(_ track: Int) throws(QuickTimeError) {
    try locked { writer throws(QuickTimeError) in
      writer.tracks[track].isFinished = true
      writer.tracks[track].endChunk()
      try writer.drain()
    }
  }

  /// Sets which part of a track is shown when; see `TrackSpecification.edits`.
  package func setEdits(_ edits: [Edit], track: Int) {
    lock.withLock { tracks[track].specification.edits = edits }
  }

  /// Changes anything a track says about itself: its time scale only before the first sample, and no description that samples name.
  package func updateTrack(_ track: Int, _ change: (inout TrackSpecification) -> Void) {
    lock.withLock { change(&tracks[track].specification) }
  }

  /// Sets the units a second of edits, in place of the options' one.
  package func setTimescale(_ timescale: Int32) {
    precondition(timescale > 0)
    lock.withLock { self.timescale = timescale }
  }

  /// Sets the movie's metadata.
  package func setMetadata(_ items: [MovieMetadataItem]) {
    lock.withLock { metadata = items }
  }

  /// Sets atoms that are written into `moov` as they are.
  package func setOtherAtoms(_ atoms: [StoredAtom]) {
    lock.withLock { otherAtoms = atoms }
  }

  /// Leaves bytes of zeros in front of the samples that are written next: a hole where the file system has them.
  package func leaveGap(_ byteCount: Int64) throws(QuickTimeError) {
    precondition(byteCount >= 0)
    try locked { writer throws(QuickTimeError) in writer.sink.skip(byteCount) }
  }

  /// The decode time, in the track's time scale, of the sample that is appended next.
  package func nextDecodeTime(track: Int) -> Int64 {
    lock.withLock { tracks[track].end }
  }

  /// Writes what is held back and the index, and closes the file.
  package func finish() throws(QuickTimeError) {
    try locked { writer throws(QuickTimeError) in
      for track in writer.tracks.indices {
        writer.tracks[track].isFinished = true
        writer.tracks[track].endChunk()
      }
      try writer.drain()
      try writer.writeIndex()
      try writer.sink.close()
      writer.state = .done
    }
  }

  /// Gives up and removes the file. Does nothing behind `finish`.
  package func cancel() {
    lock.withLock {
      if case .done = state { return }
      sink.discard()
      state = .done
      tracks = []
    }
  }

  private func locked(_ work: (MovieWriter) throws(QuickTimeError) -> Void) throws(QuickTimeError) {
    lock.lock()
    defer { lock.unlock() }
    switch state {
    case .writing: break
    case .failed(let error): throw error
    case .done: preconditionFailure("the movie is finished or cancelled")
    }
    do throws(QuickTimeError) {
      try work(self)
    } catch {
      state = .failed(error)
      throw error
    }
  }

  /// Writes the chunks that are due: the earliest one, once all other tracks have come as far or too much is held back.
  private func drain() throws(QuickTimeError) {
    while let next = tracks.indices.filter({ tracks[$0].nextChunkStart != nil }).min(by: isEarlier) {
      let start = tracks[next].nextChunkStart ?? 0
      let isDue = tracks.allSatisfy { $0.isFinished || $0.unwrittenStart >= start }
      let held = tracks.reduce(0) { $0 + $1.heldBytes }
      guard isDue || held > PendingTrack.heldBytesLimit else { return }
      try tracks[next].writeChunk(to: sink)
    }
  }

  private func isEarlier(_ left: Int, _ right: Int) -> Bool {
    (tracks[left].nextChunkStart ?? 0, left) < (tracks[right].nextChunkStart ?? 0, right)
  }

  private func writeIndex() throws(QuickTimeError) {
    try sink.write(mediaHeaderBytes(dataBytes: sink.position - mediaHeader - 16), at: mediaHeader)
    var index = MovieIndex(
      timescale: timescale, isQuickTime: options.isQuickTime, creationDate: options.creationDate,
      metadata: metadata, otherAtoms: otherAtoms)
    for number in tracks.indices {
      let samples = tracks[number].builder.finish()
      index.tracks.append(
        MovieIndex.Track(id: UInt32(number + 1), specification: tracks[number].specification, samples: samples))
    }
    guard options.moovFirst else { return try sink.write(index.bytes(shift: 0)) }
    let bytes = index.bytesInFront(shift: 0)
    try sink.insert(bytes.count, at: mediaHeader)
    try sink.write(bytes, at: mediaHeader)
  }

  /// The sixteen bytes in front of the samples, with the final size.
  private func mediaHeaderBytes(dataBytes: Int64) -> Data {
    var writer = ByteWriter()
    if dataBytes + 8 <= Int64(UInt32.max) {
      writer.box(options.isQuickTime ? "wide" : "free") { _ in }
      writer.u32(UInt32(dataBytes + 8))
      writer.fourCC("mdat")
    } else {
      writer.u32(1)
      writer.fourCC("mdat")
      writer.i64(dataBytes + 16)
    }
    return writer.data
  }
}
