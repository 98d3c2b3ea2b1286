/// When the samples of a track are shown in the movie, after its edit list.
///
///     media   0   1   2   3   4   5            edits  (empty 2) (from 1, 3 long) (from 4, 1 long)
///     movie   .   .   1   2   3   4            ranges half-open: a sample is shown where its start lies inside an edit
///
/// Without an edit list all samples from media time 0 on are shown at their own times. Safe to use from any thread.
package struct EditTimeline: Sendable {
  /// A stretch of the movie that shows a stretch of the media.
  package struct Segment: Hashable, Sendable {
    /// Where it starts in the movie, and how long it is, in units of the movie's time scale; nil for to the end.
    package var start: Int64
    package var duration: Int64?
    /// In units of the media's time scale; nil where nothing is shown.
    package var mediaTime: Int64?
    /// 16.16 fixed point; 0 holds one sample.
    package var rawRate: Int32
    /// The samples shown, as positions of the presentation order.
    package var positions: Range<Int>
    /// How many samples the segments before show.
    package var firstShown: Int
  }

  package let segments: [Segment]
  package let movieTimescale: Int32
  package let mediaTimescale: Int32
  private let samples: SampleTable
  private let order: PresentationOrder

  package init(edits: [Edit], movieTimescale: Int32, mediaTimescale: Int32, samples: SampleTable) {
    self.movieTimescale = movieTimescale
    self.mediaTimescale = mediaTimescale
    self.samples = samples
    order = samples.presentationOrder
    var segments: [Segment] = []
    var start: Int64 = 0
    for (index, edit) in edits.enumerated() {
      var segment = Segment(
        start: start, duration: edit.segmentDuration, mediaTime: edit.isEmpty ? nil : edit.mediaTime,
        // Playing backwards is not done by any known writer: such an edit is shown forwards.
        rawRate: edit.rawRate < 0 ? 1 << 16 : edit.rawRate, positions: 0..<0, firstShown: 0)
      // The last edit of a fragmented movie has no duration, for it was not known yet.
      if edit.segmentDuration == 0 && index == edits.count - 1 && !edit.isEmpty { segment.duration = nil }
      start = min(start + edit.segmentDuration, ReadingLimit.time)
      segments.append(segment)
    }
    if edits.isEmpty {
      segments = [Segment(start: 0, duration: nil, mediaTime: 0, rawRate: 1 << 16, positions: 0..<0, firstShown: 0)]
    }
    var shown = 0
    for index in segments.indices {
      segments[index].firstShown = shown
      segments[index].positions = Self.positions(segments[index], movieTimescale, mediaTimescale, samples)
      shown += segments[index].positions.count
    }
    self.segments = segments
  }

  /// The samples whose start lies inside the segment; for a held picture the one shown at its media time.
  private static func positions(
    _ segment: Segment, _ movieTimescale: Int32, _ mediaTimescale: Int32, _ samples: SampleTable
  ) -> Range<Int> {
    guard let mediaTime = segment.mediaTime, !samples.isEmpty else { return 0..<0 }
    let order = samples.presentationOrder
    guard segment.rawRate != 0 else {
      let next = order.position(ofFirstAfter: mediaTime)
      return max(0, next - 1)..<next
    }
    let first = order.position(ofFirstAtOrAfter: mediaTime)
    guard let duration = segment.duration else { return first..<order.count }
    // The first media time that is not inside: media time + duration · media scale · rate / movie scale, rounded up.
    let length = Int128(duration) * Int128(mediaTimescale) * Int128(segment.rawRate)
    let unit = Int128(movieTimescale) << 16
    let end = Int128(mediaTime) + (length + unit - 1) / unit
    return first..<max(first, order.position(ofFirstAtOrAfter: Int64(clamping: end)))
  }
}

extension EditTimeline {
  /// One showing of a sample. A sample that several edits show has several.
  package struct ShownSample: Hashable, Sendable {
    /// Counts from 0, in the order of presentation.
    package var position: Int
    /// An index into the sample table.
    package var sampleIndex: Int
    /// An index into `segments`.
    package var segment: Int
    /// When it is shown in the movie.
    package var time: RationalTime
    /// Until the next sample of the segment, and not beyond its end.
    package var duration: RationalTime
  }

  /// How many samples are shown, those shown twice counted twice.
  package var shownCount: Int { segments.last.map { $0.firstShown + $0.positions.count } ?? 0 }

  /// All showings, by movie time. Random access takes O(log n).
  package var shownSamples: ShownSamples { ShownSamples(timeline: self) }

  /// The showing at a position in `0..<shownCount`.
  package func shown(_ position: Int) -> ShownSample {
    let index = segmentIndex(ofShown: position)
    let segment = segments[index]
    let place = segment.positions.lowerBound + position - segment.firstShown
    let time = self.time(ofPlace: place, segment)
    let end =
      place + 1 < segment.positions.upperBound
      ? self.time(ofPlace: place + 1, segment) : self.end(ofPlace: place, segment)
    return ShownSample(
      position: position, sampleIndex: order[place], segment: index, time: time, duration: max(.zero, end - time))
  }

  /// The last showing whose time is at or before a movie time; nil before the first.
  package func shownPosition(atOrBefore time: RationalTime) -> Int? {
    let position = partition { $0 <= time }
    return position == 0 ? nil : position - 1
  }

  /// The first showing whose time is at or behind a movie time; `shownCount` if there is none.
  package func shownPosition(atOrAfter time: RationalTime) -> Int {
    partition { $0 < time }
  }

  /// The end of the last edit, or of the last sample where there is no edit list.
  package var end: RationalTime {
    guard let last = segments.last else { return .zero }
    if let duration = last.duration {
      return RationalTime(last.start, movieTimescale) + RationalTime(duration, movieTimescale)
    }
    guard let place = last.positions.last else { return RationalTime(last.start, movieTimescale) }
    return end(ofPlace: place, last)
  }

  private func partition(_ isBefore: (RationalTime) -> Bool) -> Int {
    var low = 0
    var high = shownCount
    while low < high {
      let middle = (low + high) / 2
      if isBefore(shown(middle).time) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func segmentIndex(ofShown position: Int) -> Int {
    precondition((0..<shownCount).contains(position))
    var low = 0
    var high = segments.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if segments[middle].firstShown <= position { low = middle } else { high = middle }
    }
    return low
  }

  private func time(ofPlace place: Int, _ segment: Segment) -> RationalTime {
    movieTime(ofMedia: order.presentationTime(place), segment)
  }

  private func end(ofPlace place: Int, _ segment: Segment) -> RationalTime {
    let start = RationalTime(segment.start, movieTimescale)
    let limit = segment.duration.map { start + RationalTime($0, movieTimescale) }
    if segment.rawRate == 0, let limit { return limit }
    let media = order.presentationTime(place) + Int64(samples.durations.run(at: order[place]).value)
    let end = movieTime(ofMedia: media, segment)
    return limit.map { min($0, end) } ?? end
  }

  private func movieTime(ofMedia time: Int64, _ segment: Segment) -> RationalTime {
    let start = RationalTime(segment.start, movieTimescale)
    guard let mediaTime = segment.mediaTime, segment.rawRate > 0 else { return start }
    return start
      + RationalTime(
        numerator: Int128(time - mediaTime) << 16, denominator: Int128(mediaTimescale) * Int128(segment.rawRate))
  }
}

extension EditTimeline {
  /// The first movie time at which a media time is shown; nil where no edit shows it.
  package func movieTime(forMedia time: Int64) -> RationalTime? {
    for segment in segments {
      guard let mediaTime = segment.mediaTime, time >= mediaTime else { continue }
      let movieTime = self.movieTime(ofMedia: time, segment)
      guard let duration = segment.duration else { return movieTime }
      let start = RationalTime(segment.start, movieTimescale)
      if segment.rawRate == 0 ? time == mediaTime : movieTime < start + RationalTime(duration, movieTimescale) {
        return movieTime
      }
    }
    return nil
  }

  /// What of the media is shown at a movie time, rounded down to units of the media's time scale; nil in an empty edit and
  /// outside all edits.
  package func mediaTime(forMovie time: RationalTime) -> Int64? {
    for segment in segments {
      let start = RationalTime(segment.start, movieTimescale)
      let isBefore = segment.duration.map { time < start + RationalTime($0, movieTimescale) } ?? true
      guard time >= start, isBefore else { continue }
      guard let mediaTime = segment.mediaTime else { return nil }
      let distance = time - start
      let rate = RationalTime(numerator: Int128(segment.rawRate), denominator: 1 << 16)
      let units = distance.multiplied(by: RationalTime(Int64(mediaTimescale), 1)).multiplied(by: rate).roundedDown
      return mediaTime + min(units, ReadingLimit.time)
    }
    return nil
  }
}

/// All showings of a track's samples, by movie time.
package struct ShownSamples: RandomAccessCollection, Sendable {
  let timeline: EditTimeline

  package var startIndex: Int { 0 }
  package var endIndex: Int { timeline.shownCount }
  package subscript(position: Int) -> EditTimeline.ShownSample { timeline.shown(position) }
}
