import CoreMedia
import Foundation
import QuickTime
import QuickTimeFuzz
import Testing

@Suite struct MovieWriterTests {
  static let layouts: [MovieWriter.Options] = [
    .init(), .init(moovFirst: true), .init(brand: "mp42", timescale: 1000),
    .init(brand: "isom", moovFirst: true, creationDate: Date(timeIntervalSince1970: 1_700_000_000)),
  ]

  @Test(arguments: layouts) func readsBackWhatWasWritten(_ options: MovieWriter.Options) throws {
    let folder = try TemporaryFolder()
    try SmallMovie.write(to: folder.file("movie.mov"), options)
    let movie = try Movie.open(folder.file("movie.mov"))
    #expect(movie.warnings == [])
    #expect(movie.brand == options.brand && movie.timescale == options.timescale)
    #expect(movie.creationDate == options.creationDate)
    #expect(movie.tracks.map(\.handler) == ["vide", "auxv", "soun", "meta"])
    let types = movie.boxes.map(\.type)
    let (index, media) = (try #require(types.firstIndex(of: "moov")), try #require(types.firstIndex(of: "mdat")))
    #expect((index < media) == options.moovFirst)
    for (number, track) in movie.tracks.enumerated() { try expectSamples(track, number, movie) }
  }

  private func expectSamples(_ track: MovieTrack, _ number: Int, _ movie: Movie) throws {
    #expect(track.samples.count == SmallMovie.sampleCount(track: number))
    var time: Int64 = 0
    for index in 0..<track.samples.count {
      let sample = track.samples[index]
      let truth = SmallMovie.timing(track: number, sample: index)
      #expect(try movie.data(of: sample, in: track) == SmallMovie.bytes(track: number, sample: index))
      #expect(sample.decodeTime == time && sample.duration == truth.duration)
      #expect(sample.compositionOffset == truth.compositionOffset && sample.isSync == truth.isSync)
      #expect(sample.dependency == truth.dependency)
      time += truth.duration
    }
  }

  @Test func keepsWhatATrackSays() throws {
    let movie = try Movie.open(DataSource(SmallMovie.data()))
    let video = movie.tracks[0]
    #expect(video.transform == CGAffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 36, ty: 0))
    #expect(video.width == 64 && video.height == 36 && video.language == "eng" && video.isEnabled)
    #expect(video.handlerName == "Core Media Video")
    #expect(video.sampleDescriptions == [SmallMovie.videoDescription])
    let colour = try video.sampleDescriptions[0].child("colr", as: ColourAtom.self)
    #expect(colour == .nclx(primaries: 9, transfer: 18, matrix: 9, isFullRange: false))
    #expect(video.otherAtoms.map(\.type) == ["tapt"])
    #expect(video.edits == [Edit(segmentDuration: 240, mediaTime: 20)])
    #expect(movie.tracks[1].references == ["auxl": [1]] && movie.tracks[3].references == ["cdsc": [1]])
    let shift = try #require(video.compositionShift)
    #expect(shift.leastOffset == 0 && shift.greatestOffset == 60 && shift.startTime == 20 && shift.endTime == 260)
    let sound = try #require(movie.tracks[2].sampleDescriptions[0].audio)
    #expect(sound.channels == 2 && sound.sampleRate == 44_100)
    let stream = try movie.tracks[2].sampleDescriptions[0].child("esds", as: ElementaryStreamAtom.self)
    #expect(stream?.decoderConfiguration == Data([0x12, 0x10]))
  }

  @Test(arguments: ["qt  ", "mp42"] as [FourCC]) func keepsMetadata(_ brand: FourCC) throws {
    let movie = try Movie.open(DataSource(SmallMovie.data(.init(brand: brand))))
    #expect(Set(movie.metadata) == Set(SmallMovie.metadata))
    #expect(movie.metadata.first { $0.key.hasSuffix("intent") }?.integer == 1)
    #expect(movie.metadata.first { $0.key == "©xyz" }?.string == "+48.1+011.6/")
  }

  @Test func showsSamplesInOrder() throws {
    let movie = try Movie.open(DataSource(SmallMovie.data()))
    let timeline = movie.tracks[0].timeline
    #expect(timeline.shownSamples.map(\.sampleIndex) == [0, 2, 3, 1, 4, 6, 7, 5, 8, 10, 11, 9])
    let times = timeline.shownSamples.map { timeline.presentationTime($0) }
    #expect(times == (0..<12).map { CMTime(value: $0 * 20, timescale: 600) })
    #expect(timeline.shownSamples.allSatisfy { timeline.duration($0) == CMTime(value: 20, timescale: 600) })
    #expect(movie.tracks[2].timeline.shownSamples.first?.sampleIndex == 1)
  }

  @Test func interleavesByTime() throws {
    let folder = try TemporaryFolder()
    let writer = try MovieWriter(url: folder.file("movie.mov"))
    let tracks = [SmallMovie.disparityTrack, SmallMovie.metadataTrack].map { writer.addTrack($0) }
    // The first track comes whole before the second: chunks wait for each other all the same.
    for track in tracks {
      for _ in 0..<90 { try writer.append(track: track, data: Data(count: 10), TimedSample(duration: 20)) }
      try writer.finishTrack(track)
    }
    try writer.finish()
    let movie = try Movie.open(folder.file("movie.mov"))
    let first = movie.tracks.map { track in (0..<track.samples.chunks.count).map { track.samples.chunks.offsets[$0] } }
    #expect(first[0].count == 6)
    let merged = zip(first[0], first[1]).flatMap { [$0, $1] }
    #expect(merged == merged.sorted())
    #expect((0..<6).map { movie.tracks[0].samples.chunks.samples(ofChunk: $0).count } == [15, 15, 15, 15, 15, 15])
  }

  @Test func holdsBackLittle() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("movie.mov")
    let writer = try MovieWriter(url: url)
    let busy = writer.addTrack(SmallMovie.disparityTrack)
    _ = writer.addTrack(SmallMovie.metadataTrack)
    let block = Data(count: 1 << 20)
    for _ in 0..<64 { try writer.append(track: busy, data: block, TimedSample(duration: 20)) }
    let size = try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int ?? 0
    #expect(size >= 24 << 20, "most of 64 MiB must be on disk though the other track has not started")
    writer.cancel()
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test func writesManySamplesAtOnce() throws {
    let folder = try TemporaryFolder()
    var layout = AudioDescription(channels: 2, bitsPerChannel: 16, sampleRate: 48_000, version: 1)
    (layout.framesPerPacket, layout.bytesPerPacket, layout.bytesPerFrame, layout.bytesPerSample) = (1, 2, 4, 2)
    let description = SampleDescription(type: "sowt", layout: .audio(layout))
    let writer = try MovieWriter(url: folder.file("movie.mov"))
    let track = writer.addTrack(
      TrackSpecification(handler: "soun", timescale: 48_000, sampleDescriptions: [description]))
    for _ in 0..<10 { try writer.append(track: track, data: Data(count: 4096), TimedSample(duration: 1, count: 1024)) }
    #expect(writer.nextDecodeTime(track: track) == 10_240)
    try writer.finish()
    let samples = try Movie.open(folder.file("movie.mov")).tracks[0].samples
    #expect(samples.count == 10_240 && samples.totalBytes == 40_960)
    #expect(samples.sizes.storage == .uniform(size: 4, count: 10_240) && samples.durations.runCount == 1)
  }

  @Test func saysWhenTheDiskIsFull() throws {
    let error = #expect(throws: QuickTimeError.self) { try MovieWriter(url: URL(fileURLWithPath: "/dev/full")) }
    #expect(error?.kind == .io && error?.errorNumber == ENOSPC)
    #expect(error?.message.contains("full") == true)
    #expect(FileManager.default.fileExists(atPath: "/dev/full"))
  }

  @Test func saysWhyNoFileCanBeMade() throws {
    let folder = try TemporaryFolder()
    #expect(throws: QuickTimeError.self) { try MovieWriter(url: folder.file("absent/movie.mov")) }
  }

  @Test func refusesWhatDoesNotFit() throws {
    let folder = try TemporaryFolder()
    let writer = try MovieWriter(url: folder.file("movie.mov"))
    let track = writer.addTrack(SmallMovie.disparityTrack)
    #expect(throws: QuickTimeError.self) {
      try writer.append(track: track, data: Data(count: 1), TimedSample(duration: 1 << 40))
    }
    writer.cancel()
  }
}
