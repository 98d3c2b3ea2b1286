public import CoreMedia
internal import QuickTime

extension AVAssetTrack {
  /// Whether cursors can walk over the track's samples: always.
  public var canProvideSampleCursors: Bool { true }

  /// A cursor at the sample that is shown at a time of the media; at the first or last one shown where the time lies before or
  /// behind all. Nil if the track has no samples or the time is neither a number nor infinite.
  ///
  /// The time is the media's own, as if the track had no edits.
  public func makeSampleCursor(presentationTimeStamp: CMTime) -> AVSampleCursor? {
    guard presentationTimeStamp.isNumeric || presentationTimeStamp.isInfinite, let first = movieTrack.samples.firstShown
    else { return nil }
    let time = presentationTimeStamp.units(in: mediaScale)
    return AVSampleCursor(track: self, index: movieTrack.samples.index(atPresentationTime: time) ?? first)
  }

  /// A cursor at the sample that is decoded first; nil if the track has no samples.
  public func makeSampleCursorAtFirstSampleInDecodeOrder() -> AVSampleCursor? {
    movieTrack.samples.isEmpty ? nil : AVSampleCursor(track: self, index: 0)
  }

  /// A cursor at the sample that is decoded last; nil if the track has no samples.
  public func makeSampleCursorAtLastSampleInDecodeOrder() -> AVSampleCursor? {
    movieTrack.samples.isEmpty ? nil : AVSampleCursor(track: self, index: movieTrack.samples.count - 1)
  }
}

extension SampleTable {
  /// The sample that is shown first; nil if there is none.
  fileprivate var firstShown: Int? { isEmpty ? nil : presentationOrder[0] }
}

extension CMTime {
  var isInfinite: Bool { isPositiveInfinity || isNegativeInfinity }

  /// In whole units of a time scale, rounded down; the furthest time a movie can have for infinite and larger ones.
  func units(in scale: Int32) -> Int64 {
    let limit = ReadingLimit.time
    guard isNumeric else { return isNegativeInfinity ? -limit : limit }
    let product = Int128(value) * Int128(scale)
    let quotient = product / Int128(timescale)
    let units = product % Int128(timescale) < 0 ? quotient - 1 : quotient
    return Int64(clamping: min(max(units, -Int128(limit)), Int128(limit)))
  }
}
