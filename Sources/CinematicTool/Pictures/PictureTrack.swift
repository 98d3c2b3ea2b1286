import AVFoundation
import CoreMedia
import Foundation
import QuickTime

/// The picture track of a movie, of which a command reads frames.
struct PictureTrack: Sendable {
  let path: String
  let asset: AVURLAsset
  let track: AVAssetTrack
  /// When its frames are shown.
  let times: ShownTimes

  /// - Parameter number: counted as `info` does, from 1; nil takes the first picture track that is on.
  /// - Throws: `Failure` where the movie has no such track, or it shows nothing.
  static func open(_ path: String, number: Int? = nil) async throws -> PictureTrack {
    let asset = AVURLAsset(url: URL(fileURLWithPath: path))
    let tracks = try await asset.load(.tracks)
    let track = try chosen(number, among: tracks, path)
    let times = ShownTimes(track.movieTrack.timeline)
    guard !times.isEmpty, track.formatDescriptions.first != nil else {
      throw Failure(
        name: "incomplete", code: 3,
        message:
          "track \(track.movieTrack.number) of '\(path)' shows no frames: choose another, as 'cinematic info' lists them"
      )
    }
    return PictureTrack(path: path, asset: asset, track: track, times: times)
  }

  private static func chosen(_ number: Int?, among tracks: [AVAssetTrack], _ path: String) throws -> AVAssetTrack {
    let pictures = tracks.filter { $0.mediaType == .video || (number != nil && $0.mediaType == .auxiliaryPicture) }
    guard let number else {
      if let track = pictures.first(where: \.isEnabled) ?? pictures.first { return track }
      throw Failure(name: "incomplete", code: 3, message: "'\(path)' has no picture track: choose another movie")
    }
    if let track = pictures.first(where: { $0.movieTrack.number == number }) { return track }
    let numbers = pictures.map { "\($0.movieTrack.number)" }.joined(separator: ", ")
    throw Failure(
      "track \(number) of '\(path)' is no picture track: "
        + (numbers.isEmpty ? "the movie has none" : "choose from \(numbers)"))
  }
}

extension PictureTrack {
  /// The frames that `--range` and `--frames` leave. Throws `Failure` if there are none.
  func frames(in range: TimeRangeExpression?, limit: Int?) throws -> Range<Int> {
    let frames = try range?.frames(among: times) ?? 0..<times.count
    return limit.map { frames.prefix($0) } ?? frames
  }

  /// From the first of the frames to the one after the last.
  func timeRange(of frames: Range<Int>) -> CMTimeRange {
    let end = frames.upperBound < times.count ? times[frames.upperBound] : times.end(of: frames.upperBound - 1)
    // A last frame that lasts no time is read all the same.
    return CMTimeRange(
      start: times[frames.lowerBound], end: max(end, times[frames.upperBound - 1] + CMTime(value: 1, timescale: 90_000))
    )
  }

  /// The same of ascending ranges, none of which begins before the one before has ended.
  func timeRanges(of ranges: [Range<Int>]) -> [CMTimeRange] {
    var found: [CMTimeRange] = []
    for range in ranges.map(timeRange) {
      let start = max(range.start, found.last?.end ?? range.start)
      if start < range.end { found.append(CMTimeRange(start: start, end: range.end)) }
    }
    return found
  }

  /// Frames a second: of the duration that most frames have.
  ///
  /// - Parameter isSteady: whether all have it; the last one may differ.
  func frameRate() -> (rate: FrameRate, isSteady: Bool) {
    let durations = track.movieTrack.samples.durations
    var counts: [UInt32: Int] = [:]
    // Hostile tables may name many durations; the first thousand say enough.
    for (value, count) in zip(durations.values, durations.counts).prefix(1000) where value > 0 {
      counts[value, default: 0] += Int(count)
    }
    let usual = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
    let rate = usual.flatMap {
      FrameRate(frameDuration: CMTime(value: Int64($0.key), timescale: track.naturalTimeScale))
    }
    let others = durations.count - (usual?.value ?? 0)
    let isLastAlone = others == 1 && durations.counts.last == 1 && durations.values.last != usual?.key
    return (rate ?? .usual, others == 0 || isLastAlone)
  }

  var pixelAspect: PixelAspect { PixelAspect(track.formatDescriptions.first) }
}
