import Foundation
import QuickTime
import QuickTimeFuzz
import Testing

/// Places and sizes at the top level: large files, sizes to the end, files that are cut off or no movies at all.
@Suite struct FileLayoutTests {
  /// A file of many gigabytes: some bytes at some places, zeros between.
  private final class SparseSource: ByteSource {
    let name = "sparse.mov"
    let byteCount: Int64
    private let pieces: [(offset: Int64, data: Data)]

    init(byteCount: Int64, _ pieces: [(offset: Int64, data: Data)]) {
      self.byteCount = byteCount
      self.pieces = pieces
    }

    func read(at offset: Int64, count: Int) throws(QuickTimeError) -> Data {
      try check(at: offset, count: count)
      var data = Data(count: count)
      for piece in pieces {
        let start = max(offset, piece.offset)
        let end = min(offset + Int64(count), piece.offset + Int64(piece.data.count))
        guard start < end else { continue }
        let source = piece.data[
          piece.data.startIndex + Int(start - piece.offset)..<piece.data.startIndex + Int(end - piece.offset)]
        data.replaceSubrange(Int(start - offset)..<Int(end - offset), with: source)
      }
      return data
    }
  }

  private func index(_ offsets: [Int64]) throws -> Data {
    let folder = try TemporaryFolder()
    let writer = try MovieWriter(url: folder.file("movie.mov"))
    let track = writer.addTrack(SmallMovie.disparityTrack)
    for _ in offsets { try writer.append(track: track, data: Data(count: 8), TimedSample(duration: 400)) }
    try writer.finish()
    var data = try Data(contentsOf: folder.file("movie.mov"))
    data = data[(data.range(of: Data("moov".utf8))!.lowerBound - 4)...]
    var old = ByteWriter()
    old.atom(ChunkOffsetAtom(offsets: ChunkOffsets(offsets.indices.map { Int64(36 + 8 * $0) })))
    var new = ByteWriter()
    new.atom(ChunkOffsetAtom(offsets: ChunkOffsets(offsets)))
    let place = data.range(of: old.data)!
    data.replaceSubrange(place, with: new.data)
    let grown = new.count - old.count
    // Every container on the way has grown.
    for type in ["moov", "trak", "mdia", "minf", "stbl"] {
      let at = data.range(of: Data(type.utf8))!.lowerBound - 4
      var reader = ByteReader(data[at..<at + 4])
      var size = ByteWriter()
      size.u32(try reader.u32() + UInt32(grown))
      data.replaceSubrange(at..<at + 4, with: size.data)
    }
    return Data(data)
  }

  private static let header = Data([0, 0, 0, 1]) + Data("mdat".utf8)

  @Test func readsBeyondFourGibibytes() throws {
    let offsets: [Int64] = [16, 5 << 30, 7 << 32]
    let index = try index(offsets)
    let mediaBytes: Int64 = 8 << 32
    var size = ByteWriter()
    size.i64(mediaBytes)
    let source = SparseSource(
      byteCount: mediaBytes + Int64(index.count),
      [(0, Self.header + size.data), (5 << 30, Data(1...8)), (7 << 32, Data(11...18)), (mediaBytes, index)])
    let movie = try Movie.open(source)
    #expect(movie.warnings == [] && movie.boxes.map(\.type) == ["mdat", "moov"])
    let track = movie.tracks[0]
    #expect((0..<3).map { track.samples[$0].offset } == offsets)
    #expect(try movie.data(of: track.samples[1], in: track) == Data(1...8))
    #expect(try movie.data(of: track.samples[2], in: track) == Data(11...18))
  }

  @Test func readsALargeFileOnDisk() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("large.mov")
    let index = try index([16, 6 << 30])
    let mediaBytes: Int64 = (6 << 30) + 8
    var size = ByteWriter()
    size.i64(mediaBytes)
    #expect(FileManager.default.createFile(atPath: url.path, contents: Self.header + size.data))
    let file = try FileHandle(forWritingTo: url)
    for (place, data) in [(6 << 30, Data(1...8)), (UInt64(mediaBytes), index)] as [(UInt64, Data)] {
      try file.seek(toOffset: place)
      try file.write(contentsOf: data)
    }
    try file.close()
    let movie = try Movie.open(url)
    #expect(movie.source.byteCount > 6 << 30)
    #expect(try movie.data(of: movie.tracks[0].samples[1], in: movie.tracks[0]) == Data(1...8))
  }

  @Test(arguments: [0, 5 << 30] as [Int64]) func writesSizesOf64BitsWhereNeeded(_ gap: Int64) throws {
    let folder = try TemporaryFolder()
    try SmallMovie.write(to: folder.file("movie.mov")) { writer in
      try? writer.leaveGap(gap)
      try? writer.append(track: 1, data: Data(1...8), TimedSample(duration: 300))
      try? writer.append(track: 1, data: Data(1...8), TimedSample(duration: 1))
    }
    let movie = try Movie.open(folder.file("movie.mov"))
    #expect(movie.warnings == [])
    #expect(movie.boxes.map(\.type) == (gap == 0 ? ["ftyp", "wide", "mdat", "moov"] : ["ftyp", "mdat", "moov"]))
    #expect(movie.boxes[1].headerBytes == (gap == 0 ? 8 : 16))
    let track = movie.tracks[1]
    if case .long = track.samples.chunks.offsets { #expect(gap > 0) } else { #expect(gap == 0) }
    for index in 0..<12 {
      #expect(try movie.data(of: track.samples[index], in: track) == SmallMovie.bytes(track: 1, sample: index))
    }
    #expect(track.samples[13].offset > gap)
    #expect(try movie.data(of: track.samples[13], in: track) == Data(1...8))
  }

  @Test func readsAnAtomThatGoesToTheEnd() throws {
    var data = try SmallMovie.data(.init(moovFirst: true))
    let place = try #require(data.range(of: Data("mdat".utf8))).lowerBound
    data.replaceSubrange(place - 4..<place, with: [0, 0, 0, 0])
    let movie = try Movie.open(DataSource(data))
    #expect(movie.warnings == [] && movie.boxes.last?.statedByteCount == nil)
  }

  @Test func aLongSizeAnywhereIsRead() throws {
    let data = try SmallMovie.data()
    var reader = ByteReader(data)
    var writer = ByteWriter()
    while let box = try reader.nextBox() {
      guard box.type == "moov" else {
        writer.atom(box.stored)
        continue
      }
      writer.u32(1)
      writer.fourCC("moov")
      writer.u64(UInt64(box.payload.remaining + 16))
      writer.data(box.stored.payload)
    }
    #expect(try Movie.open(DataSource(writer.data)).tracks.count == 4)
  }

  /// Sound data that is cut off: what is there can be read, what is not is told.
  @Test func tellsWhichSamplesAreMissing() throws {
    let data = try SmallMovie.data(.init(moovFirst: true))
    let whole = try Movie.open(DataSource(data))
    for missing in 1..<300 {
      let movie = try Movie.open(DataSource(data.dropLast(missing)))
      var count = 0
      for (number, track) in movie.tracks.enumerated() {
        for index in 0..<track.samples.count {
          let sample = track.samples[index]
          let isThere = sample.offset + Int64(sample.size) <= Int64(data.count - missing)
          count += isThere ? 0 : 1
          guard isThere else {
            let error = #expect(throws: QuickTimeError.self) { try movie.data(of: sample, in: track) }
            #expect(error?.kind == .truncated)
            continue
          }
          let same = whole.tracks[number]
          #expect(try movie.data(of: sample, in: track) == whole.data(of: same.samples[index], in: same))
        }
      }
      let told = movie.warnings.compactMap { $0.message.firstMatch(of: /: (\d+) of/).flatMap { Int($0.1) } }
      #expect(told.reduce(0, +) == count)
    }
  }

  @Test func samplesBehindTheEndOfAWholeFileAreAnError() throws {
    let data = try index([36, 1 << 20])
    let error = #expect(throws: QuickTimeError.self) { try Movie.open(DataSource(data)) }
    #expect(error?.kind == .malformed && error?.message.contains("behind the end") == true)
  }

  @Test(arguments: [
    Data(), Data([0]), Data("Hello, world: this is no movie.".utf8), Data(count: 100), Data("RIFF....WAVEfmt ".utf8),
    Data([0x89]) + Data("PNG\r\n".utf8) + Data(count: 50), Data(repeating: 0xFF, count: 64),
  ])
  func otherFilesAreNoMovies(_ data: Data) {
    let error = #expect(throws: QuickTimeError.self) { try Movie.open(DataSource(data, name: "some.file")) }
    #expect(error?.kind == .notAMovie && error?.message.contains("some.file") == true)
  }

  @Test func aRecordingWithoutAnIndexIsCutOff() throws {
    let data = try SmallMovie.data()
    let place = try #require(data.range(of: Data("moov".utf8))).lowerBound
    for end in [place - 4, place - 5, place + 100, 40] {
      let error = #expect(throws: QuickTimeError.self) { try Movie.open(DataSource(data.prefix(end))) }
      #expect(error?.kind == .truncated, "cut at \(end): \(String(describing: error))")
    }
  }

  /// What is taken in another way than the file may have meant it is told.
  @Test func oddTablesAreReported() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("movie.mov")
    try SmallMovie.write(to: url) { writer in
      writer.updateTrack(1) { $0.edits = [Edit(segmentDuration: 240, mediaTime: 0, rate: -1)] }
    }
    var data = try Data(contentsOf: url)
    // One run less of the composition offsets: the last samples have none.
    let place = try #require(data.range(of: Data("ctts".utf8))).upperBound + 4
    data[place + 3] -= 1
    let movie = try Movie.open(DataSource(data))
    #expect(movie.warnings.map(\.path) == ["moov/trak[1]/mdia/minf/stbl/ctts", "moov/trak[2]/edts/elst"])
    #expect(movie.tracks[0].samples[11].compositionOffset == 0)
    #expect(movie.tracks[1].timeline.shownCount == 12)
  }

  @Test func aCompressedIndexIsNotSupported() throws {
    var writer = ByteWriter()
    writer.atom(FileTypeAtom(brand: "qt  ", compatibleBrands: []))
    writer.box("moov") { $0.box("cmov") { $0.zeros(20) } }
    let error = #expect(throws: QuickTimeError.self) { try Movie.open(DataSource(writer.data)) }
    #expect(error?.kind == .unsupported)
  }

  @Test func garbageBehindTheIndexIsReported() throws {
    let data = try SmallMovie.data() + Data([0, 0, 0, 3, 65, 65, 65, 65, 9])
    let movie = try Movie.open(DataSource(data))
    #expect(movie.warnings.count == 1 && movie.tracks.count == 4)
  }

  /// Bytes that are no atom are kept by a rewrite; where something follows they become a free atom. Found by fuzzing.
  @Test func garbageIsKept() throws {
    let folder = try TemporaryFolder()
    let data = try SmallMovie.data() + Data([0xEE])
    try MovieRewriter.rewrite(Movie.open(DataSource(data)), to: folder.file("same.mov"), .init())
    #expect(try Data(contentsOf: folder.file("same.mov")) == data)
    var changes = MovieRewriter.Changes()
    changes.addedTracks = [.init(SmallMovie.disparityTrack) { nil }]
    try MovieRewriter.rewrite(Movie.open(DataSource(data)), to: folder.file("more.mov"), changes)
    let movie = try Movie.open(folder.file("more.mov"))
    #expect(movie.warnings == [] && movie.boxes.map(\.type) == ["ftyp", "wide", "mdat", "moov", "free", "mdat"])
  }

  @Test func opensFilesOnly() throws {
    let folder = try TemporaryFolder()
    let directory = #expect(throws: QuickTimeError.self) { try Movie.open(folder.url) }
    #expect(directory?.kind == .io)
    let absent = #expect(throws: QuickTimeError.self) { try Movie.open(folder.file("absent.mov")) }
    #expect(absent?.kind == .io && absent?.errorNumber == ENOENT)
  }
}
