public import CoreMedia
internal import QuickTime

extension AVAsset {
  /// This package's own: the time code of the movie's first moment; nil if it has none.
  ///
  /// It is that of the first picture track that refers to a time-code track, else that of the first time-code track. Blocks. Throws
  /// `AVError` where the movie or the code cannot be read.
  public func startTimeCode() throws -> TimeCode? {
    let tracks = try openedTracks()
    let codes = tracks.lazy.filter(\.mediaType.holdsPictures).compactMap(\.timeCodeTrack).first
    return try (codes ?? tracks.first { $0.mediaType == .timecode })?.timeCode(atTrackTime: .zero)
  }

  /// As `startTimeCode()`, on another thread.
  public func loadStartTimeCode() async throws -> TimeCode? {
    _ = try await load(.tracks)
    return try startTimeCode()
  }
}

extension AVAssetTrack {
  /// This package's own: the time-code track that labels this one's frames: itself, or the first one it refers to by `tmcd`.
  public var timeCodeTrack: AVAssetTrack? {
    if mediaType == .timecode { return self }
    return associatedTracks(ofType: .timecode).first { $0.mediaType == .timecode }
  }

  /// This package's own: the code of the frame that is shown at a time of the movie; nil where no time-code track has one for it.
  ///
  /// Blocks while the sample that holds the code is read. Throws `AVError` where it cannot be.
  public func timeCode(atTrackTime trackTime: CMTime) throws -> TimeCode? {
    guard let codes = timeCodeTrack else { return nil }
    return try codes.naming { try codes.code(at: trackTime) }
  }

  /// A sample labels its first frame; the others are counted from there by the media's time, which edits do not change.
  private func code(at trackTime: CMTime) throws -> TimeCode? {
    let segment = timeline.segments.first { $0.movie.containsTime(trackTime) }
    guard let segment, !segment.isEmptyEdit else { return nil }
    let time = segment.mediaTime(atOrBefore: trackTime)
    guard let index = movieTrack.samples.index(atPresentationTime: time) else { return nil }
    let sample = movieTrack.samples[index]
    let format = try format(of: sample)
    guard sample.size <= Self.codeBytes, let rule = TimeCode.Rule(formatDescription: format) else { return nil }
    let first = TimeCode(sample: Array(try movie.data(of: sample, in: movieTrack)), rule: rule)
    let frames = format.frameDuration.frames(in: time - sample.presentationTime, scale: mediaScale)
    return first.map { TimeCode(frame: $0.frame &+ frames, rule: rule) }
  }

  /// The most bytes of a sample of a time-code track.
  private static let codeBytes = 8
}

extension CMTime {
  /// How many frames of this duration have begun behind the first in units of a time scale, which are not negative.
  fileprivate func frames(in units: Int64, scale: Int32) -> Int64 {
    guard isNumeric, value > 0, scale > 0 else { return 0 }
    return Int64(clamping: Int128(units) * Int128(timescale) / (Int128(scale) * Int128(value)))
  }
}
