package import CoreMedia

extension RationalTime {
  /// Nil unless the time is a number.
  package init?(_ time: CMTime) {
    guard time.isNumeric else { return nil }
    self.init(time.value, time.timescale)
  }

  /// The time in units of the preferred scale where that is exact, else of the smallest scale that is; rounded to nanoseconds, and
  /// flagged so, where that needs more than 32 bits.
  package func time(preferredScale scale: CMTimeScale) -> CMTime {
    if let value = exact(inScale: scale) { return CMTime(value: value, timescale: scale) }
    if let scale = CMTimeScale(exactly: denominator), let value = exact(inScale: scale) {
      return CMTime(value: value, timescale: scale)
    }
    return CMTime(
      value: rounded(toScale: 1_000_000_000), timescale: 1_000_000_000, flags: [.valid, .hasBeenRounded], epoch: 0)
  }
}

extension EditTimeline {
  /// When a showing starts in the movie, in the media's time scale where that is exact.
  package func presentationTime(_ shown: ShownSample) -> CMTime { shown.time.time(preferredScale: mediaTimescale) }

  /// How long a showing lasts in the movie, in the media's time scale where that is exact.
  package func duration(_ shown: ShownSample) -> CMTime { shown.duration.time(preferredScale: mediaTimescale) }

  /// From the start of the movie to the end of the last edit.
  package var timeRange: CMTimeRange {
    CMTimeRange(start: .zero, duration: end.time(preferredScale: movieTimescale))
  }

  /// The first movie time at which a time of the media is shown; invalid where no edit shows it.
  package func movieTime(forMedia time: CMTime) -> CMTime {
    guard let exact = RationalTime(time) else { return .invalid }
    return movieTime(forMedia: exact.rounded(toScale: mediaTimescale))?.time(preferredScale: mediaTimescale) ?? .invalid
  }

  /// What of the media is shown at a movie time, rounded down to the media's time scale; invalid in an empty edit and outside.
  package func mediaTime(forMovie time: CMTime) -> CMTime {
    guard let exact = RationalTime(time), let media = mediaTime(forMovie: exact) else { return .invalid }
    return CMTime(value: media, timescale: mediaTimescale)
  }
}
