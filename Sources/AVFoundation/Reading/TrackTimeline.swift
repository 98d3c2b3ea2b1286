internal import CoreMedia
internal import QuickTime

/// When the media of a track is shown: its edits as stretches with exact times.
struct TrackTimeline {
  /// In movie order; they follow each other without a gap from zero on.
  let segments: [TrackSegment]

  init(_ track: MovieTrack) {
    let timeline = track.timeline
    segments = timeline.segments.compactMap { TrackSegment($0, of: timeline, samples: track.samples) }
  }

  /// The parts of the segments that lie in `range`, in movie order.
  func segments(in range: CMTimeRange) -> [TrackSegment] {
    segments.compactMap { $0.clipped(to: range) }
  }
}

extension TrackSegment {
  /// Nil for an edit that lasts no time.
  fileprivate init?(_ edit: EditTimeline.Segment, of timeline: EditTimeline, samples: SampleTable) {
    let movieScale = timeline.movieTimescale
    let start = CMTime(value: edit.start, timescale: movieScale)
    let end = edit.duration.map { CMTime(value: edit.start + $0, timescale: movieScale) } ?? timeline.timeRange.end
    guard start < end else { return nil }
    movie = CMTimeRange(start: start, end: end)
    isEmptyEdit = edit.mediaTime == nil
    let mediaScale = timeline.mediaTimescale
    let mediaTime = edit.mediaTime ?? 0
    guard edit.rawRate > 0, !isEmptyEdit else {
      // A dwell holds one picture, from its own start on.
      let held = edit.positions.first.map { samples.presentationOrder.presentationTime($0) }
      media = isEmptyEdit ? 0..<0 : (held ?? 0)..<(held.map { $0 + 1 } ?? 0)
      map = TimeMap(media: held ?? 0, at: start, mediaScale: mediaScale)
      return
    }
    let rate = Int64(edit.rawRate)
    map = TimeMap(media: mediaTime, at: start, mediaScale: mediaScale, rawRate: rate)
    let length = edit.duration.map {
      Self.mediaLength(of: $0, movieScale, unitsPerSecond: Int128(mediaScale) * Int128(rate))
    }
    media = mediaTime..<(length.map { mediaTime + $0 } ?? ReadingLimit.time)
  }

  /// The media shown in a duration, rounded up: what starts before the result starts before the exact end too.
  private static func mediaLength(of duration: Int64, _ movieScale: Int32, unitsPerSecond: Int128) -> Int64 {
    // Below 2^60 * 2^31 * 2^31 = 2^122.
    let units = ceiling(Int128(duration) * unitsPerSecond, over: Int128(movieScale) << 16)
    return Int64(clamping: min(units, Int128(ReadingLimit.time)))
  }

  /// The part of the stretch inside `range`, nil if there is none. A time lies inside if `range.start <= time < range.end`.
  func clipped(to range: CMTimeRange) -> TrackSegment? {
    let common = movie.intersection(range)
    guard common.isValid, !common.isEmpty else { return nil }
    var clipped = self
    clipped.movie = common
    guard !isEmptyEdit else { return clipped }
    let low = common.start > movie.start ? mediaTime(atOrAfter: common.start) : media.lowerBound
    let high = common.end < movie.end ? mediaTime(atOrAfter: common.end) : media.upperBound
    let start = min(max(low, media.lowerBound), media.upperBound)
    clipped.media = start..<min(max(high, start), media.upperBound)
    return clipped
  }

  /// The first media time whose movie time is at or after `time`.
  private func mediaTime(atOrAfter time: CMTime) -> Int64 {
    let (numerator, denominator) = position(of: time)
    return Int64(clamping: ceiling(numerator, over: denominator))
  }

  /// The last media time whose movie time is at or before `time`.
  func mediaTime(atOrBefore time: CMTime) -> Int64 {
    let (numerator, denominator) = position(of: time)
    return Int64(clamping: -ceiling(-numerator, over: denominator))
  }

  /// The media time of a movie time as a fraction: `(time * scale - offset) / factor`.
  private func position(of time: CMTime) -> (numerator: Int128, denominator: Int128) {
    (
      Int128(time.value) * Int128(map.scale) - Int128(map.offset) * Int128(time.timescale),
      Int128(map.factor) * Int128(time.timescale)
    )
  }
}

private func ceiling(_ numerator: Int128, over denominator: Int128) -> Int128 {
  let quotient = numerator / denominator
  return numerator % denominator > 0 ? quotient + 1 : quotient
}
