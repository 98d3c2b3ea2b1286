import AVFoundation
import CoreMedia
import Foundation
import QuickTime
import Testing

/// Time-code tracks: written, read, copied, cut, and what FFmpeg makes of them.
struct TimeCodeTrackTests {
  /// A movie of twelve pictures with codes, and how its first code is written.
  struct Shot: Sendable, CustomTestStringConvertible {
    var text: String
    var rule: TimeCode.Rule
    var frameDuration: CMTime
    var testDescription: String { text }
    var code: TimeCode { TimeCode(text, rule: rule)! }
  }

  static let shots = [
    Shot(text: "10:00:00:00", rule: .init(framesPerSecond: 25), frameDuration: CMTime(value: 1, timescale: 25)),
    Shot(
      text: "00:59:59;28", rule: .init(framesPerSecond: 30, isDropFrame: true),
      frameDuration: CMTime(value: 1001, timescale: 30_000)),
    Shot(
      text: "01:00:59;57", rule: .init(framesPerSecond: 60, isDropFrame: true),
      frameDuration: CMTime(value: 1001, timescale: 60_000)),
    Shot(
      text: "23:59:59:20", rule: .init(framesPerSecond: 24, wrapsAfter24Hours: true),
      frameDuration: CMTime(value: 1001, timescale: 24_000)),
    Shot(text: "00:00:01:45", rule: .init(framesPerSecond: 50), frameDuration: CMTime(value: 1, timescale: 50)),
  ]

  private func write(_ shot: Shot, to url: URL, codes: [(code: TimeCode, frames: Range<Int>)]? = nil) async throws {
    var movie = SmallMovie()
    movie.frameDuration = shot.frameDuration
    let writer = try AVAssetWriter(outputURL: url, fileType: .mov)
    let video = AVAssetWriterInput(mediaType: .video, outputSettings: movie.settings)
    video.mediaTimeScale = shot.frameDuration.timescale
    let input = AVAssetWriterInput(mediaType: .timecode, outputSettings: nil)
    input.mediaTimeScale = shot.frameDuration.timescale
    video.addTrackAssociation(withTrackOf: input, type: AVAssetTrack.AssociationType.timecode.rawValue)
    let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: video)
    for input in [video, input] {
      #expect(writer.canAdd(input))
      writer.add(input)
    }
    #expect(writer.startWriting(), "\(writer.error.debugDescription)")
    writer.startSession(atSourceTime: .zero)
    let format = try shot.rule.formatDescription(frameDuration: shot.frameDuration)
    for (code, frames) in codes ?? [(shot.code, 0..<movie.frames)] {
      let range = CMTimeRange(start: movie.time(frames.lowerBound), end: movie.time(frames.upperBound))
      #expect(input.append(try code.sampleBuffer(for: range, format: format)))
    }
    input.markAsFinished()
    for frame in 0..<movie.frames {
      #expect(adaptor.append(try movie.picture(frame), withPresentationTime: movie.time(frame)))
    }
    await writer.finishWriting()
    #expect(writer.status == .completed, "\(writer.error.debugDescription)")
  }

  private func time(_ frame: Int, _ shot: Shot) -> CMTime {
    CMTimeMultiply(shot.frameDuration, multiplier: Int32(frame))
  }

  @Test(arguments: shots) func everyFrameHasItsCode(_ shot: Shot) async throws {
    let folder = try TemporaryFolder()
    try await write(shot, to: folder.file("a.mov"))
    let asset = AVURLAsset(url: folder.file("a.mov"))
    #expect(try await asset.loadStartTimeCode()?.description == shot.text)
    let track = try #require(asset.tracks(withMediaType: .video).first)
    #expect(track.timeCodeTrack === asset.tracks(withMediaType: .timecode).first)
    #expect(track.associatedTracks(ofType: .timecode).map(\.mediaType) == [.timecode])
    for frame in 0..<12 {
      let expected = TimeCode(frame: shot.code.frame + Int64(frame), rule: shot.rule)
      #expect(try track.timeCode(atTrackTime: time(frame, shot)) == expected)
      // A moment inside the frame has its code too.
      let half = CMTime(value: shot.frameDuration.value, timescale: shot.frameDuration.timescale * 2)
      #expect(try track.timeCode(atTrackTime: time(frame, shot) + half) == expected)
    }
    #expect(try track.timeCode(atTrackTime: time(12, shot)) == nil)
    #expect(try track.timeCode(atTrackTime: CMTime(value: -1, timescale: 600)) == nil)
  }

  @Test(arguments: shots) func readersGiveFormatAndSamples(_ shot: Shot) async throws {
    let folder = try TemporaryFolder()
    try await write(shot, to: folder.file("a.mov"))
    let asset = AVURLAsset(url: folder.file("a.mov"))
    let track = try #require(asset.tracks(withMediaType: .timecode).first)
    let format = try #require(track.formatDescriptions.first)
    #expect(format.mediaType == .timeCode && format.mediaSubType == .timeCode32)
    #expect(format.frameDuration == shot.frameDuration && format.frameQuanta == UInt32(shot.rule.framesPerSecond))
    #expect(TimeCode.Rule(formatDescription: format) == shot.rule)
    let samples = try storedSamples(of: track, in: asset)
    #expect(samples.compactMap { TimeCode(sampleBuffer: $0) } == [shot.code])
    #expect(samples.first?.duration == time(12, shot))
  }

  @Test(.enabled(if: FFmpegTool.isHere, "ffmpeg and ffprobe are not installed."), arguments: shots)
  func ffmpegReadsTheSame(_ shot: Shot) async throws {
    let folder = try TemporaryFolder()
    try await write(shot, to: folder.file("a.mov"))
    let text = try FFmpegTool.text(
      "ffprobe", ["-show_entries", "stream_tags=timecode", "-of", "csv=p=0", folder.file("a.mov").path])
    let codes = Set(text.split(separator: "\n").map(String.init))
    #expect(codes == [shot.text])
  }

  @Test(arguments: shots) func copiesAndCutsKeepTheCodes(_ shot: Shot) async throws {
    let folder = try TemporaryFolder()
    try await write(shot, to: folder.file("a.mov"))
    let asset = AVURLAsset(url: folder.file("a.mov"))
    for first in [0, 1, 5] {
      let url = folder.file("copy\(first).mov")
      try await copy(asset, to: url, range: CMTimeRange(start: time(first, shot), end: time(10, shot)))
      let result = AVURLAsset(url: url)
      let track = try #require(result.tracks(withMediaType: .video).first)
      for frame in first..<10 {
        let code = try track.timeCode(atTrackTime: time(frame - first, shot))
        #expect(code == TimeCode(frame: shot.code.frame + Int64(frame), rule: shot.rule), "\(first) \(frame)")
      }
    }
  }

  @Test func eachStretchHasCodesOfItsOwn() async throws {
    let folder = try TemporaryFolder()
    let shot = Self.shots[0]
    let other = TimeCode(frame: 7, rule: shot.rule)
    try await write(shot, to: folder.file("a.mov"), codes: [(shot.code, 0..<5), (other, 5..<12)])
    let asset = AVURLAsset(url: folder.file("a.mov"))
    let track = try #require(asset.tracks(withMediaType: .video).first)
    let codes = try (0..<12).map { try track.timeCode(atTrackTime: time($0, shot))?.frame }
    #expect(codes == (0..<5).map { shot.code.frame + $0 } + (7..<14))
  }

  @Test func negativeCodesAreKept() async throws {
    let folder = try TemporaryFolder()
    let shot = Shot(
      text: "-00:00:00:05", rule: .init(framesPerSecond: 25), frameDuration: CMTime(value: 1, timescale: 25))
    try await write(shot, to: folder.file("a.mov"))
    let track = try #require(AVURLAsset(url: folder.file("a.mov")).tracks(withMediaType: .timecode).first)
    let texts = try [0, 4, 5, 6].map { try track.timeCode(atTrackTime: time($0, shot))?.description }
    #expect(texts == ["-00:00:00:05", "-00:00:00:01", "00:00:00:00", "00:00:00:01"])
  }

  @Test func moviesWithoutCodesHaveNone() async throws {
    let folder = try TemporaryFolder()
    try await SmallMovie().write(to: folder.file("a.mov"))
    let asset = AVURLAsset(url: folder.file("a.mov"))
    #expect(try asset.startTimeCode() == nil)
    #expect(try asset.tracks.first?.timeCode(atTrackTime: .zero) == nil)
  }

  /// Codes of a damaged track are none, or an error, and never a crash.
  @Test(arguments: [0, 1, 3, 5, 9]) func samplesOfOtherSizesAreNoCodes(_ size: Int) throws {
    let folder = try TemporaryFolder()
    let writer = try MovieWriter(url: folder.file("a.mov"))
    let description = SampleDescription(
      type: "tmcd",
      layout: .timeCode(TimeCodeDescription(flags: 0, timescale: 25, frameDuration: 1, framesPerSecond: 25)))
    let track = writer.addTrack(TrackSpecification(handler: "tmcd", timescale: 25, sampleDescriptions: [description]))
    try writer.append(track: track, data: Data(repeating: 1, count: size), TimedSample(duration: 100))
    try writer.finish()
    #expect(try AVURLAsset(url: folder.file("a.mov")).startTimeCode() == nil)
  }

  @Test(
    .enabled(if: SharedMedia.has("bugs/tc.mov"), "The folder ../shared/media is absent."),
    arguments: [
      ("bugs/tc.mov", ["00:59:59;28", "00:59:59;29", "01:00:00;00"]),
      ("phone/hevc-alpha.mov", ["00:00:00:00", "00:00:00:01", "00:00:00:02"]),
    ])
  func othersMoviesTellTheirs(_ name: String, _ expected: [String]) throws {
    let asset = AVURLAsset(url: SharedMedia.url(name))
    let track = try #require(asset.tracks(withMediaType: .video).first)
    #expect(try asset.startTimeCode()?.description == expected[0])
    let frame = track.minFrameDuration
    let codes = try (0..<3).map {
      try track.timeCode(atTrackTime: CMTimeMultiply(frame, multiplier: Int32($0)))?.description
    }
    #expect(codes == expected)
  }
}
