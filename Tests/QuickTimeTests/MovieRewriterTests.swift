import Foundation
import QuickTime
import QuickTimeFuzz
import Testing

@Suite struct MovieRewriterTests {
  /// A movie on disk, rewritten.
  private func rewrite(
    _ data: Data, _ change: (inout MovieRewriter.Changes) -> Void
  ) throws -> (data: Data, movie: Movie) {
    let folder = try TemporaryFolder()
    var changes = MovieRewriter.Changes()
    change(&changes)
    try MovieRewriter.rewrite(Movie.open(DataSource(data)), to: folder.file("new.mov"), changes)
    let new = try Data(contentsOf: folder.file("new.mov"))
    return (new, try Movie.open(DataSource(new)))
  }

  private func expectSameSamples(_ old: Movie, _ new: Movie, tracks: [UInt32]) throws {
    for id in tracks {
      let (before, after) = (try #require(old.track(id: id)), try #require(new.track(id: id)))
      #expect(before.samples.count == after.samples.count)
      for index in 0..<before.samples.count {
        let (sample, copy) = (before.samples[index], after.samples[index])
        #expect(try old.data(of: sample, in: before) == new.data(of: copy, in: after))
        #expect(sample.presentationTime == copy.presentationTime && sample.isSync == copy.isSync)
      }
    }
  }

  @Test(arguments: MovieWriterTests.layouts) func withoutChangesNothingChanges(_ options: MovieWriter.Options) throws {
    let data = try SmallMovie.data(options)
    #expect(try rewrite(data) { _ in }.data == data)
  }

  @Test(arguments: MovieWriterTests.layouts) func changesMetadata(_ options: MovieWriter.Options) throws {
    let data = try SmallMovie.data(options)
    let title = MovieMetadataItem(key: "com.apple.quicktime.title", "A title much longer than what was there before")
    let date = MovieMetadataItem(key: "com.apple.quicktime.creationdate", "1999")
    let place = MovieMetadataItem(space: .userData, key: "©xyz", "+00.0+000.0/")
    let (new, movie) = try rewrite(data) { changes in
      changes.metadata = [title, date, place]
      changes.removedMetadata = [.init(.quickTimeMetadata, "com.apple.quicktime.cinematic-video-intent")]
    }
    #expect(Set(movie.metadata) == [title, date, place])
    #expect(movie.warnings == [] && new.count != data.count)
    try expectSameSamples(Movie.open(DataSource(data)), movie, tracks: [1, 2, 3, 4])
    let (back, again) = try rewrite(new) { $0.removedMetadata = Set(movie.metadata.map { .init($0.space, $0.key) }) }
    #expect(again.metadata == [] && back.count < new.count)
    try expectSameSamples(movie, again, tracks: [1, 2, 3, 4])
  }

  @Test func makesMetadataWhereThereIsNone() throws {
    let folder = try TemporaryFolder()
    try SmallMovie.write(to: folder.file("plain.mov"), .init(moovFirst: true)) { $0.setMetadata([]) }
    let items = [
      MovieMetadataItem(key: "com.apple.quicktime.title", "T"), MovieMetadataItem(space: .userData, key: "©nam", "U"),
      MovieMetadataItem(space: .iTunesMetadata, key: "©alb", "V"),
    ]
    let (_, movie) = try rewrite(Data(contentsOf: folder.file("plain.mov"))) { $0.metadata = items }
    #expect(Set(movie.metadata) == Set(items))
    let (_, without) = try rewrite(Data(contentsOf: folder.file("plain.mov"))) {
      $0.removedMetadata = [.init(.userData, "©nam")]
    }
    #expect(without.metadata == [])
  }

  @Test(arguments: [false, true]) func removesTracks(_ moovFirst: Bool) throws {
    let data = try SmallMovie.data(.init(moovFirst: moovFirst))
    let (_, movie) = try rewrite(data) { $0.removedTracks = [1, 3] }
    #expect(movie.tracks.map(\.id) == [2, 4])
    #expect(movie.tracks.map(\.references) == [[:], [:]])
    try expectSameSamples(Movie.open(DataSource(data)), movie, tracks: [2, 4])
  }

  @Test func changesEditsAndFlags() throws {
    let data = try SmallMovie.data(.init(moovFirst: true))
    let edits = [Edit(segmentDuration: 60, mediaTime: -1), Edit(segmentDuration: 1200, mediaTime: 60)]
    let (_, movie) = try rewrite(data) { changes in
      changes.edits = [1: edits, 3: []]
      changes.enabled = [2: false]
    }
    #expect(movie.tracks[0].edits == edits && movie.tracks[0].duration == 1260 && movie.duration == 1260)
    #expect(movie.tracks[2].edits == [])
    #expect(movie.tracks.map(\.isEnabled) == [true, false, true, true])
    try expectSameSamples(Movie.open(DataSource(data)), movie, tracks: [1, 2, 3, 4])
  }

  @Test(arguments: [false, true]) func addsTracks(_ moovFirst: Bool) throws {
    let data = try SmallMovie.data(.init(moovFirst: moovFirst))
    var specification = SmallMovie.metadataTrack
    specification.references = [.init("cdsc", [2])]
    var next = 0
    let (_, movie) = try rewrite(data) { changes in
      changes.addedTracks = [
        .init(specification) { () throws(QuickTimeError) in
          guard next < 40 else { return nil }
          defer { next += 1 }
          return (SmallMovie.bytes(track: 7, sample: next), TimedSample(duration: 20))
        }
      ]
      changes.removedTracks = [4]
    }
    #expect(movie.tracks.map(\.id) == [1, 2, 3, 5] && movie.warnings == [])
    #expect(movie.header.nextTrackID == 6 && movie.duration == 800)
    let track = try #require(movie.track(id: 5))
    #expect(track.samples.count == 40 && track.references == ["cdsc": [2]])
    for index in 0..<40 {
      #expect(try movie.data(of: track.samples[index], in: track) == SmallMovie.bytes(track: 7, sample: index))
    }
    try expectSameSamples(Movie.open(DataSource(data)), movie, tracks: [1, 2, 3])
  }

  /// A box that nobody knows is put behind the header of every container and at the top level; each must come out as it was.
  @Test(arguments: [false, true]) func keepsUnknownAtomsAnywhere(_ moovFirst: Bool) throws {
    let data = try SmallMovie.data(.init(moovFirst: moovFirst))
    let seeded = SeededAtoms(data)
    let movie = try Movie.open(DataSource(seeded.data))
    try expectSameSamples(Movie.open(DataSource(data)), movie, tracks: [1, 2, 3, 4])
    let (new, rewritten) = try rewrite(seeded.data) { changes in
      changes.metadata = [MovieMetadataItem(key: "com.apple.quicktime.title", "A new title")]
      changes.edits = [2: [Edit(segmentDuration: 240, mediaTime: 0)]]
    }
    #expect(seeded.count > 30)
    for number in 0..<seeded.count {
      #expect(new.range(of: seeded.unknown(number)) != nil, "unknown atom \(number) is lost")
    }
    #expect(seeded.order(in: new) == seeded.order(in: seeded.data))
    #expect(rewritten.metadata.contains { $0.string == "A new title" })
    try expectSameSamples(movie, rewritten, tracks: [1, 2, 3, 4])
  }

  @Test(arguments: [false, true]) func keepsUnknownAtomsWhenTracksComeAndGo(_ moovFirst: Bool) throws {
    let seeded = SeededAtoms(try SmallMovie.data(.init(moovFirst: moovFirst)))
    var isDone = false
    let (new, movie) = try rewrite(seeded.data) { changes in
      changes.addedTracks = [
        .init(SmallMovie.disparityTrack) { () throws(QuickTimeError) in
          defer { isDone = true }
          return isDone ? nil : (Data(count: 5), TimedSample(duration: 1))
        }
      ]
    }
    for number in 0..<seeded.count { #expect(new.range(of: seeded.unknown(number)) != nil) }
    try expectSameSamples(Movie.open(DataSource(seeded.data)), movie, tracks: [1, 2, 3, 4])
  }

  @Test func appendsBehindAnAtomThatGoesToTheEnd() throws {
    // Size 0: to the end of the file.
    var data = try SmallMovie.data(.init(moovFirst: true))
    let place = try #require(data.range(of: Data("mdat".utf8))).lowerBound
    data.replaceSubrange(place - 4..<place, with: [0, 0, 0, 0])
    var isDone = false
    let (_, movie) = try rewrite(data) { changes in
      changes.addedTracks = [
        .init(SmallMovie.disparityTrack) { () throws(QuickTimeError) in
          defer { isDone = true }
          return isDone ? nil : (Data([1, 2, 3]), TimedSample(duration: 1))
        }
      ]
    }
    #expect(movie.boxes.map(\.type) == ["ftyp", "moov", "wide", "mdat", "mdat"])
    #expect(try movie.data(of: movie.tracks[4].samples[0], in: movie.tracks[4]) == Data([1, 2, 3]))
    try expectSameSamples(Movie.open(DataSource(data)), movie, tracks: [1, 2, 3, 4])
  }

  /// Found by fuzzing: a chunk inside the index moved although nothing had changed.
  @Test func aChunkInsideTheIndexStaysWhereItIs() throws {
    var data = try SmallMovie.data()
    let index = try #require(data.range(of: Data("moov".utf8))).upperBound
    let place = try #require(data.range(of: Data("stco".utf8))).upperBound + 8
    data.replaceSubrange(place..<place + 4, with: withUnsafeBytes(of: UInt32(index).bigEndian) { Data($0) })
    #expect(try rewrite(data) { _ in }.data == data)
  }

  @Test func refusesToWriteOntoItself() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("movie.mov")
    try SmallMovie.write(to: url)
    let before = try Data(contentsOf: url)
    let movie = try Movie.open(url)
    #expect(throws: QuickTimeError.self) { try MovieRewriter.rewrite(movie, to: url, MovieRewriter.Changes()) }
    #expect(try Data(contentsOf: url) == before)
  }

  @Test func leavesNothingBehindOnAnError() throws {
    let folder = try TemporaryFolder()
    var changes = MovieRewriter.Changes()
    changes.addedTracks = [
      .init(SmallMovie.disparityTrack) { () throws(QuickTimeError) in throw QuickTimeError(.io, "no sample") }
    ]
    let movie = try Movie.open(DataSource(SmallMovie.data()))
    #expect(throws: QuickTimeError(.io, "no sample")) {
      try MovieRewriter.rewrite(movie, to: folder.file("new.mov"), changes)
    }
    #expect(!FileManager.default.fileExists(atPath: folder.file("new.mov").path))
  }

  @Test(.enabled(if: SharedMedia.isThere, "the shared media folder is absent"), arguments: SharedMedia.movies)
  func keepsRealMovies(_ path: String) throws {
    let data = try Data(contentsOf: SharedMedia.url(path))
    #expect(try rewrite(data) { _ in }.data == data)
  }
}

/// A movie with an atom nobody knows, each of its own bytes, behind the children of every container.
private struct SeededAtoms {
  private static let containers: Set<FourCC> = ["moov", "trak", "mdia", "minf", "stbl", "edts", "dinf", "udta", "meta"]

  private(set) var count = 0
  private(set) var data = Data()

  /// The samples move: the offsets of chunks follow.
  init(_ movie: Data) {
    var positions: [Int64: Int64] = [:]
    var reader = ByteReader(movie)
    while let box = try? reader.nextBox() {
      append(unknownNext())
      let start = Int64(data.count)
      positions[box.offset] = start - box.offset
      var writer = ByteWriter()
      copy(box, to: &writer)
      data.append(writer.data)
    }
    append(unknownNext())
    moveChunks(positions, movie)
  }

  func unknown(_ number: Int) -> Data {
    Data([0, 0, 0, 16]) + Data("zz\(number % 10)?".utf8) + Data([0xAB, 0xCD, UInt8(number), 1, 2, 3, 4, 5])
  }

  /// The numbers of the unknown atoms by their place.
  func order(in data: Data) -> [Int] {
    (0..<count).sorted {
      (data.range(of: unknown($0))?.lowerBound ?? 0) < (data.range(of: unknown($1))?.lowerBound ?? 0)
    }
  }

  private mutating func append(_ bytes: Data) { data.append(bytes) }

  private mutating func unknownNext() -> Data {
    defer { count += 1 }
    return unknown(count)
  }

  private mutating func copy(_ box: Box, to writer: inout ByteWriter) {
    var payload = box.payload
    guard Self.containers.contains(box.type) else {
      writer.atom(box.stored)
      return
    }
    var inner = ByteWriter()
    while let child = try? payload.nextBox() {
      copy(child, to: &inner)
      inner.data(unknownNext())
    }
    writer.atom(StoredAtom(box.type, inner.data))
  }

  /// All `stco` of the copy hold places of the old file, all of them in its `mdat`.
  private mutating func moveChunks(_ positions: [Int64: Int64], _ movie: Data) {
    let media = movie.range(of: Data("mdat".utf8))!.lowerBound - 4
    let shift = positions[Int64(media)]!
    var search = data.startIndex
    while let found = data.range(of: Data("stco".utf8), in: search..<data.endIndex) {
      var reader = ByteReader(data[found.upperBound...])
      var writer = ByteWriter()
      if let atom = try? ChunkOffsetAtom(reading: &reader) {
        let moved = (0..<atom.offsets.count).map { atom.offsets[$0] + shift }
        ChunkOffsetAtom(offsets: ChunkOffsets(moved)).write(to: &writer)
        data.replaceSubrange(found.upperBound..<found.upperBound + writer.count, with: writer.data)
      }
      search = found.upperBound
    }
  }
}
