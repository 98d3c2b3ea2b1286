package import CoreMedia
package import Foundation
package import QuickTime

extension RecordedScript {
  /// Reads what was recorded about the frames that lie in the tracks' common time range.
  ///
  /// Throws `.incomplete` where a track is missing or no frame starts in that range, `.malformed` where metadata is there but none of
  /// it can be decoded, `.unsupported` beyond the limits of a script, and `.cancelled` when `progress` is. The progress counts frames; a
  /// total of 0 is filled in.
  package init(reading tracks: CinematicTracks, progress: Progress? = nil) throws(CNCinematicError) {
    if let objection = tracks.objection { throw objection }
    guard let picture = tracks.picture, let range = tracks.timeRange, !picture.timeline.shownSamples.isEmpty else {
      throw CNCinematicError(
        .incomplete, "The movie's Cinematic tracks are not shown at the same time; get the original again.")
    }
    guard picture.timeline.shownCount <= Self.maximumFrames else { throw Self.tooLong(picture) }
    let blob = tracks.movieBlob
    self.init(timeRange: range.timeRange(preferredScale: picture.timescale), movieBlob: blob.value)
    itemFocalLength35mm = tracks.focalLength35mm(blob.value)
    warnings = blob.warnings
    if let progress, progress.totalUnitCount == 0 { progress.totalUnitCount = Int64(picture.timeline.shownCount) }
    try read(tracks, picture, range, progress)
  }

  private mutating func read(
    _ tracks: CinematicTracks, _ picture: MovieTrack, _ range: Range<RationalTime>, _ progress: Progress?
  ) throws(CNCinematicError) {
    var matcher = MetadataMatcher(tracks.metadata)
    let scale = picture.timescale
    do {
      try matcher.match(picture) { frame in
        // Asking for each frame would cost more than reading it.
        if frame.index % 256 == 0, let progress { try progress.advance(to: frame.index) }
        guard range.contains(frame.time) else { return }
        var recorded = RecordedFrame(frame, time: frame.time.time(preferredScale: scale))
        // A frame without a header goes on with the decisions of the one before: losing them would look like a change.
        if frame.entry?.metadata.frame?.header == nil, frameCount > 0 {
          recorded.carryFocus(from: self.frame(frameCount - 1))
        }
        try append(recorded)
      }
    } catch {
      throw error as? CNCinematicError ?? CNCinematicError(.unknown, "\(error)")
    }
    if let objection = matcher.objection { throw objection }
    guard frameCount > 0 else {
      throw CNCinematicError(
        .incomplete,
        "No frame starts while all of the movie's Cinematic tracks are shown, from \(timeRange.start.seconds) s to "
          + "\(timeRange.end.seconds) s; get the original again.")
    }
    progress?.completedUnitCount = progress?.totalUnitCount ?? 0
    warnings += matcher.warnings
  }
}

extension RecordedScript {
  /// What keeps a track from being read that shows more samples than a script may have frames: a few bytes of edits can ask for that.
  static func tooLong(_ track: MovieTrack) -> CNCinematicError {
    CNCinematicError(
      .unsupported,
      "Track \(track.number) shows \(track.timeline.shownCount) samples, more than the \(maximumFrames) that are read; cut the "
        + "movie into parts.")
  }
}

extension RecordedFrame {
  /// The header's fields, with the focus and the f-number that are in effect.
  fileprivate init(_ frame: MetadataMatcher.Frame, time: CMTime) {
    self.init(time: time)
    guard let metadata = frame.entry?.metadata else { return }
    if let item = metadata.frame, let header = item.header {
      self.init(time: time, header: header, detections: item.detections)
    }
    focusDisparity = metadata.effectiveFocusDisparity.value
    fNumber = metadata.effectiveFNumber.value
  }
}

extension RecordedFrame {
  fileprivate mutating func carryFocus(from frame: RecordedFrame) {
    focusTrackID = frame.focusTrackID
    baseFocusTrackID = frame.baseFocusTrackID
    userFocusTrackID = frame.userFocusTrackID
    flags = frame.flags.subtracting(.userFocusEnds)
  }
}

extension Progress {
  fileprivate func advance(to frame: Int) throws(CNCinematicError) {
    if isCancelled { throw CNCinematicError(.cancelled) }
    completedUnitCount = min(Int64(frame), totalUnitCount)
  }
}

extension CinematicTracks {
  /// The movie-level blob, and what is wrong with it.
  package var movieBlob: (value: CinematicMovieBlob?, warnings: [String]) {
    guard let item = movie.metadata.first(where: { $0.key == CinematicKey.movie }) else { return (nil, []) }
    do throws(QuickTimeError) {
      return (try CinematicMovieBlob(payload: item.value), [])
    } catch {
      return (nil, ["The movie's Cinematic settings (cvid) cannot be read and are left out: \(error.message)"])
    }
  }
}

extension Range<RationalTime> {
  /// In units of the preferred scale where that is exact.
  package func timeRange(preferredScale scale: CMTimeScale) -> CMTimeRange {
    CMTimeRange(start: lowerBound.time(preferredScale: scale), end: upperBound.time(preferredScale: scale))
  }
}
