import AVFoundation
import CoreMedia
import CoreVideo
import Foundation
import QuickTime
import Testing

struct TimeRangeTests {
  private let folder: TemporaryFolder
  private let asset: AVURLAsset
  private let movie = SmallMovie()

  init() async throws {
    folder = try TemporaryFolder()
    // Twelve frames, a key frame every four, and pictures in between that are stored out of order.
    try await movie.write(to: folder.file("a.mov"))
    asset = AVURLAsset(url: folder.file("a.mov"))
  }

  @Test func everyRangeGivesTheFramesThatStartInIt() async throws {
    let track = try #require(asset.tracks.first)
    for start in 0..<12 {
      for end in start + 1...12 {
        let range = CMTimeRange(start: movie.time(start), end: movie.time(end))
        let found = try framesAndTimes(of: track, in: asset, range: range)
        #expect(found.frames == Array(start..<end))
        #expect(found.times == (start..<end).map(movie.time))
      }
    }
  }

  @Test func aRangeBetweenFramesIsHalfOpen() async throws {
    let track = try #require(asset.tracks.first)
    let half = CMTime(value: 1, timescale: 60)
    let found = try framesAndTimes(
      of: track, in: asset, range: CMTimeRange(start: movie.time(2) + half, end: movie.time(7) + half))
    #expect(found.frames == [3, 4, 5, 6, 7])
    let nothing = try framesAndTimes(
      of: track, in: asset, range: CMTimeRange(start: movie.time(2) + half, end: movie.time(3)))
    #expect(nothing.frames.isEmpty)
    let beyond = try framesAndTimes(
      of: track, in: asset, range: CMTimeRange(start: movie.time(11), duration: .positiveInfinity))
    #expect(beyond.frames == [11])
  }

  @Test func storedSamplesOfARangeStartAtASyncSampleAndSayWhatIsShown() async throws {
    let track = try #require(asset.tracks.first)
    let reader = try AVAssetReader(asset: asset)
    reader.timeRange = CMTimeRange(start: movie.time(6), end: movie.time(8))
    let output = AVAssetReaderTrackOutput(track: track, outputSettings: nil)
    reader.add(output)
    #expect(reader.startReading())
    var shown: [CMTime] = []
    var isFirst = true
    while let buffer = output.copyNextSampleBuffer() {
      let attachments = try #require(buffer.sampleAttachments.first)
      if isFirst { #expect(attachments[.notSync] == nil) }
      isFirst = false
      if attachments[.doNotDisplay] == nil { shown.append(buffer.presentationTimeStamp) }
    }
    #expect(shown.sorted() == [movie.time(6), movie.time(7)])
  }

  @Test func outputsWithRandomAccessReadAgain() async throws {
    let track = try #require(asset.tracks.first)
    let reader = try AVAssetReader(asset: asset)
    let output = AVAssetReaderTrackOutput(
      track: track, outputSettings: [kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange])
    output.supportsRandomAccess = true
    reader.add(output)
    reader.timeRange = CMTimeRange(start: movie.time(0), end: movie.time(2))
    #expect(reader.startReading())
    #expect(drain(output) == [0, 1])
    #expect(reader.status == .reading)
    output.reset(forReadingTimeRanges: [
      CMTimeRange(start: movie.time(1), end: movie.time(3)), CMTimeRange(start: movie.time(9), end: movie.time(12)),
    ])
    #expect(drain(output) == [1, 2, 9, 10, 11])
    output.markConfigurationAsFinal()
    #expect(reader.status == .completed)
    #expect(output.copyNextSampleBuffer() == nil)
  }

  private func drain(_ output: AVAssetReaderOutput) -> [Int] {
    var frames: [Int] = []
    while let image = output.copyNextSampleBuffer()?.imageBuffer { frames.append(SmallMovie.frame(of: image)) }
    return frames
  }

  @Test func aCopyOfARangeShowsWhatWasInIt() async throws {
    for start in [0, 3, 5, 6] {
      let url = folder.file("copy\(start).mov")
      let range = CMTimeRange(start: movie.time(start), end: movie.time(start + 5))
      try await copy(asset, to: url, range: range)
      let result = AVURLAsset(url: url)
      let found = try framesAndTimes(of: try #require(result.tracks.first), in: result)
      #expect(found.frames == Array(start..<start + 5))
      #expect(found.times == (0..<5).map(movie.time))
    }
  }
}

struct EditListTests {
  /// Frames 3–6, nothing for two frames' time, frames 8–10, frame 1 held for three frames' time, frames 0–3 at double speed.
  private let edits = [
    Edit(segmentDuration: 80, mediaTime: 60), Edit(segmentDuration: 40, mediaTime: -1),
    Edit(segmentDuration: 60, mediaTime: 160), Edit(segmentDuration: 60, mediaTime: 20, rate: 0),
    Edit(segmentDuration: 40, mediaTime: 0, rate: 2),
  ]
  private let frames = [3, 4, 5, 6, 8, 9, 10, 1, 0, 1, 2, 3]
  private let times = [0, 20, 40, 60, 120, 140, 160, 180, 240, 250, 260, 270].map { CMTime(value: $0, timescale: 600) }

  /// A movie whose track has the edits, moved by what its own edit leaves out at the start.
  private func make(_ folder: TemporaryFolder) async throws -> AVURLAsset {
    let movie = SmallMovie()
    try await movie.write(to: folder.file("plain.mov"))
    let plain = AVURLAsset(url: folder.file("plain.mov"))
    let track = try #require(plain.tracks.first)
    #expect(track.naturalTimeScale == 600)
    let lead = track.movieTrack.edits[0].mediaTime
    let url = folder.file("edited.mov")
    var changes = MovieRewriter.Changes()
    changes.edits[track.movieTrack.id] = edits.map { edit in
      var edit = edit
      if !edit.isEmpty { edit.mediaTime += lead }
      return edit
    }
    try MovieRewriter.rewrite(try plain.openedMovie(), to: url, changes)
    return AVURLAsset(url: url)
  }

  @Test func decodedFramesFollowTheEdits() async throws {
    let folder = try TemporaryFolder()
    let asset = try await make(folder)
    let track = try #require(asset.tracks.first)
    let found = try framesAndTimes(of: track, in: asset)
    #expect(found.frames == frames)
    #expect(found.times == times)
    #expect(asset.duration == CMTime(value: 280, timescale: 600))
    #expect(track.segments.map(\.isEmpty) == [false, true, false, false, false])
    #expect(track.samplePresentationTime(forTrackTime: CMTime(value: 130, timescale: 600)) == times[4])
    #expect(!track.samplePresentationTime(forTrackTime: CMTime(value: 90, timescale: 600)).isValid)
  }

  @Test func rangesCutThroughTheEdits() async throws {
    let folder = try TemporaryFolder()
    let asset = try await make(folder)
    let track = try #require(asset.tracks.first)
    for start in stride(from: 0, to: 280, by: 30) {
      for end in stride(from: start + 30, through: 300, by: 30) {
        let range = CMTimeRange(
          start: CMTime(value: Int64(start), timescale: 600), end: CMTime(value: Int64(end), timescale: 600))
        let expected = zip(times, frames).filter { range.containsTime($0.0) }
        let found = try framesAndTimes(of: track, in: asset, range: range)
        #expect(found.times == expected.map(\.0) && found.frames == expected.map(\.1), "\(start)..<\(end)")
      }
    }
  }

  @Test func anEmptyEditGivesAMarker() async throws {
    let folder = try TemporaryFolder()
    let asset = try await make(folder)
    let markers = try storedSamples(of: try #require(asset.tracks.first), in: asset).filter { $0.numSamples == 0 }
    #expect(markers.map(\.presentationTimeStamp) == [CMTime(value: 80, timescale: 600)])
    #expect(markers.allSatisfy { $0.attachments[.emptyMedia]?.value as? Bool == true })
  }

  @Test func copiesShowTheSame() async throws {
    let folder = try TemporaryFolder()
    let asset = try await make(folder)
    let url = folder.file("copy.mov")
    // Without the last edit: samples that are played faster are stored as such, and a copy has no edit for it.
    try await copy(asset, to: url, range: CMTimeRange(start: .zero, end: CMTime(value: 180, timescale: 600)))
    let result = AVURLAsset(url: url)
    let found = try framesAndTimes(of: try #require(result.tracks.first), in: result)
    #expect(found.frames == Array(frames.prefix(7)))
    #expect(found.times == Array(times.prefix(7)))
  }
}
