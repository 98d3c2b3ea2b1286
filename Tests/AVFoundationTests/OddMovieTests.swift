import AVFoundation
import CoreMedia
import Foundation
import QuickTime
import Testing

/// Odd movies: cut off, damaged, with open groups of pictures and gaps in sound.
struct OddMovieTests {
  private let movie = SmallMovie()

  @Test func aFileThatIsCutOffGivesTheFramesThatAreThere() async throws {
    let folder = try TemporaryFolder()
    try await movie.write(to: folder.file("whole.mov"), indexFirst: true)
    let samples = try #require(AVURLAsset(url: folder.file("whole.mov")).tracks.first).movieTrack.samples
    // The third group of four frames is missing.
    let end = try #require((0..<samples.count).last { samples.isSync($0) })
    let bytes = try Data(contentsOf: folder.file("whole.mov")).prefix(Int(samples[end].offset) + 1)
    try bytes.write(to: folder.file("cut.mov"))

    let asset = AVURLAsset(url: folder.file("cut.mov"))
    let reader = try AVAssetReader(asset: asset)
    let output = AVAssetReaderTrackOutput(
      track: try #require(asset.tracks.first),
      outputSettings: [kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange])
    reader.add(output)
    #expect(reader.startReading())
    var frames: [Int] = []
    while let image = output.copyNextSampleBuffer()?.imageBuffer { frames.append(SmallMovie.frame(of: image)) }
    #expect(frames == Array(0..<8))
    #expect(reader.status == .failed)
    let error = try #require(reader.error as? AVError)
    #expect(error.persistentTrackID == 1)
    #expect(error.localizedDescription.contains("Track 1") && error.localizedDescription.contains("Sample 9"))
  }

  @Test func whatIsNoMovieIsNamed() async throws {
    let folder = try TemporaryFolder()
    for (name, bytes) in [("empty.mov", Data()), ("text.mov", Data("This is not a movie at all, but a text.".utf8))] {
      try bytes.write(to: folder.file(name))
      let asset = AVURLAsset(url: folder.file(name))
      let error = await #expect(throws: AVError.self) { try await asset.load(.tracks) }
      #expect(error?.code == .fileFormatNotRecognized)
      #expect(error?.localizedDescription.contains(name) ?? false)
      #expect(asset.tracks.isEmpty && asset.duration == .zero)
      #expect(throws: AVError.self) { try AVAssetReader(asset: asset) }
    }
    let missing = AVURLAsset(url: folder.file("missing.mov"))
    let error = await #expect(throws: AVError.self) { try await missing.load(.duration) }
    #expect(error?.code == .failedToLoadMediaData)
    if case .failed = missing.status(of: .duration) {} else { Issue.record("A failed load is remembered.") }
  }

  @Test func damagedPicturesEndReadingWithTheSampleNamed() async throws {
    let folder = try TemporaryFolder()
    try await movie.write(to: folder.file("a.mov"))
    let samples = try #require(AVURLAsset(url: folder.file("a.mov")).tracks.first).movieTrack.samples
    var bytes = try Data(contentsOf: folder.file("a.mov"))
    let victim = samples[8]
    for place in Int(victim.offset)..<Int(victim.offset) + victim.size { bytes[place] = 0xFF }
    try bytes.write(to: folder.file("b.mov"))
    let asset = AVURLAsset(url: folder.file("b.mov"))
    let reader = try AVAssetReader(asset: asset)
    let output = AVAssetReaderTrackOutput(
      track: try #require(asset.tracks.first), outputSettings: [AVVideoAllowWideColorKey: true])
    reader.add(output)
    #expect(reader.startReading())
    while output.copyNextSampleBuffer() != nil {}
    #expect(reader.status == .failed)
    #expect((reader.error as? AVError)?.code == .undecodableMediaData)
  }

  /// Bytes changed at random, by a generator that always gives the same: nothing crashes, hangs, or leaves half a file.
  @Test func damagedMoviesEndInOneWayOrAnother() async throws {
    let folder = try TemporaryFolder()
    try await movie.write(to: folder.file("a.mov"))
    let whole = try Data(contentsOf: folder.file("a.mov"))
    let layout = try AVURLAsset(url: folder.file("a.mov")).openedMovie().boxes
    let index = Int(try #require(layout.first { $0.type == "moov" }).offset)
    var random = Xorshift(state: 0x9E37_79B9_7F4A_7C15)
    var read = 0
    for _ in 0..<200 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: index..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      try bytes.write(to: folder.file("b.mov"))
      let asset = AVURLAsset(url: folder.file("b.mov"))
      for track in asset.tracks {
        _ = (track.segments, track.timeRange, track.nominalFrameRate, track.minFrameDuration, track.formatDescriptions)
        for settings in [nil, [AVVideoAllowWideColorKey: true]] as [[String: Any]?] {
          let reader = try AVAssetReader(asset: asset)
          let output = AVAssetReaderTrackOutput(track: track, outputSettings: settings)
          reader.add(output)
          guard reader.startReading() else { continue }
          var count = 0
          while count < 1000, output.copyNextSampleBuffer() != nil { count += 1 }
          #expect(count == 1000 || reader.status == .completed || reader.status == .failed)
          if reader.status == .completed { read += 1 }
        }
      }
    }
    #expect(read > 0)
    #expect(Set(folder.names) == ["a.mov", "b.mov"])
  }

  private struct Xorshift: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
  }

  @Test func gapsInSoundBecomeEmptyEdits() async throws {
    let folder = try TemporaryFolder()
    let writer = try AVAssetWriter(outputURL: folder.file("a.mov"), fileType: .mov)
    let input = AVAssetWriterInput(mediaType: .audio, outputSettings: nil)
    writer.add(input)
    #expect(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    for range in [4410..<6000, 6000..<8820, 22_050..<26_460] { #expect(input.append(try SmallSound.buffer(range))) }
    await writer.finishWriting()
    let asset = AVURLAsset(url: folder.file("a.mov"))
    let track = try #require(asset.tracks.first)
    #expect(track.segments.map(\.isEmpty) == [true, false, true, false])
    let stored = try storedSamples(of: track, in: asset).filter { $0.numSamples > 0 }
    #expect(stored.first?.presentationTimeStamp == CMTime(value: 1, timescale: 10))
    let late = stored.filter { $0.presentationTimeStamp >= CMTime(value: 1, timescale: 2) }
    #expect(late.first?.presentationTimeStamp == CMTime(value: 1, timescale: 2))
    #expect(late.reduce(0) { $0 + $1.numSamples } == 4410)
    let cut = try SmallSound.read(
      track, in: asset,
      range: CMTimeRange(start: CMTime(value: 1, timescale: 2), duration: CMTime(value: 1, timescale: 20)))
    #expect(cut.samples == (22_050..<24_255).map(SmallSound.sample))
  }

  @Test(.enabled(if: FFmpegTool.isHere, "ffmpeg and ffprobe are not installed."))
  func openGroupsOfPicturesAreDecodedFromTheGroupBefore() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("open.mov")
    _ = try FFmpegTool.run(
      "ffmpeg",
      [
        "-f", "lavfi", "-i", "testsrc2=size=96x64:rate=25:duration=1.6", "-c:v", "libx265", "-tag:v", "hvc1",
        "-x265-params",
        "open-gop=1:keyint=8:min-keyint=8:bframes=4:b-adapt=0:scenecut=0:log-level=none", url.path,
      ])
    let asset = AVURLAsset(url: url)
    let track = try #require(asset.tracks.first)
    let samples = track.movieTrack.samples
    #expect(samples.syncSampleCount >= 4)
    // Some pictures are shown before the sync sample that they follow in decoding order.
    let leading = (0..<samples.count).filter { index in
      samples.syncSample(atOrBefore: index).map { samples.presentationTime($0) > samples.presentationTime(index) }
        ?? false
    }
    #expect(!leading.isEmpty)

    var all: [Data] = []
    let times = try decodedFrames(of: track, in: asset, format: nil) { all.append(bytes(of: $0)) }
    #expect(times.count == 40)
    for start in 0..<38 {
      var part: [Data] = []
      let range = CMTimeRange(start: times[start], end: times[start + 2])
      #expect(
        try decodedFrames(of: track, in: asset, format: nil, range: range) { part.append(bytes(of: $0)) }
          == Array(times[start..<start + 2]))
      #expect(part == Array(all[start..<start + 2]))
    }
  }

  private func bytes(of image: CVPixelBuffer) -> Data {
    image.withPlane(0, readOnly: true) { base, pitch, width, height in
      (0..<height).reduce(into: Data()) { $0.append(Data(bytes: base + $1 * pitch, count: width)) }
    }
  }
}
