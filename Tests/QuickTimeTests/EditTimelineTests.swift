import CoreMedia
import QuickTime
import Testing

@Suite struct EditTimelineTests {
  /// Samples of equal length with these composition offsets.
  static func table(_ offsets: [Int32], duration: UInt32 = 10) -> SampleTable {
    var builder = SampleTableBuilder()
    builder.beginChunk(at: 0, descriptionIndex: 0)
    for offset in offsets {
      _ = builder.append(.init(size: 1, duration: duration, compositionOffset: offset))
    }
    return builder.finish()
  }

  static func timeline(_ edits: [Edit], _ offsets: [Int32] = Array(repeating: 0, count: 6), movie: Int32 = 100)
    -> EditTimeline
  {
    EditTimeline(edits: edits, movieTimescale: movie, mediaTimescale: 100, samples: table(offsets))
  }

  private func expect(
    _ timeline: EditTimeline, _ samples: [Int], at times: [CMTime], at place: SourceLocation = #_sourceLocation
  ) {
    #expect(timeline.shownSamples.map(\.sampleIndex) == samples, sourceLocation: place)
    #expect(timeline.shownSamples.map { timeline.presentationTime($0) } == times, sourceLocation: place)
  }

  private func hundredths(_ values: Int64...) -> [CMTime] { values.map { CMTime(value: $0, timescale: 100) } }

  @Test func withoutEditsEverythingIsShown() {
    expect(Self.timeline([]), [0, 1, 2, 3, 4, 5], at: hundredths(0, 10, 20, 30, 40, 50))
    #expect(Self.timeline([]).end == RationalTime(60, 100))
  }

  /// Shown 10 later, with the offsets of B-frames:  decoded 0 1 2 3  →  shown 0 2 3 1
  @Test func samplesAreShownInPresentationOrder() {
    expect(Self.timeline([], [10, 30, 0, 0]), [0, 2, 3, 1], at: hundredths(10, 20, 30, 40))
    let edit = Edit(segmentDuration: 40, mediaTime: 10)
    expect(Self.timeline([edit], [10, 30, 0, 0]), [0, 2, 3, 1], at: hundredths(0, 10, 20, 30))
    expect(Self.timeline([], [0, 20, -10, -10]), [0, 2, 3, 1], at: hundredths(0, 10, 20, 30))
  }

  ///     media   0 1 2 3 4 5        (empty 20) (from 10, 30 long)
  ///     movie   . . 1 2 3
  @Test func anEmptyEditShowsNothing() {
    let timeline = Self.timeline([Edit(segmentDuration: 20, mediaTime: -1), Edit(segmentDuration: 30, mediaTime: 10)])
    expect(timeline, [1, 2, 3], at: hundredths(20, 30, 40))
    #expect(timeline.timeRange.duration == CMTime(value: 50, timescale: 100))
    #expect(timeline.mediaTime(forMovie: CMTime(value: 10, timescale: 100)) == .invalid)
    #expect(timeline.mediaTime(forMovie: CMTime(value: 25, timescale: 100)) == CMTime(value: 15, timescale: 100))
    #expect(timeline.movieTime(forMedia: CMTime(value: 15, timescale: 100)) == CMTime(value: 25, timescale: 100))
    #expect(timeline.movieTime(forMedia: CMTime(value: 5, timescale: 100)) == .invalid)
  }

  /// Half-open: the sample at the end of an edit belongs to the next, one that started before the edit is not shown.
  @Test func aSampleIsShownWhereItsStartLiesInside() {
    expect(Self.timeline([Edit(segmentDuration: 20, mediaTime: 10)]), [1, 2], at: hundredths(0, 10))
    expect(Self.timeline([Edit(segmentDuration: 21, mediaTime: 10)]), [1, 2, 3], at: hundredths(0, 10, 20))
    expect(Self.timeline([Edit(segmentDuration: 20, mediaTime: 11)]), [2, 3], at: hundredths(9, 19))
    expect(Self.timeline([Edit(segmentDuration: 9, mediaTime: 11)]), [], at: [])
  }

  ///     (from 40, 20 long) (from 0, 20 long) (from 40, 10 long)   →   4 5 0 1 4
  @Test func severalEditsFollowEachOther() {
    let timeline = Self.timeline([
      Edit(segmentDuration: 20, mediaTime: 40), Edit(segmentDuration: 20, mediaTime: 0),
      Edit(segmentDuration: 10, mediaTime: 40),
    ])
    expect(timeline, [4, 5, 0, 1, 4], at: hundredths(0, 10, 20, 30, 40))
    #expect(timeline.shownSamples.map(\.segment) == [0, 0, 1, 1, 2])
  }

  @Test func ratesStretchTime() {
    let slow = Self.timeline([Edit(segmentDuration: 60, mediaTime: 10, rate: 0.5)])
    expect(slow, [1, 2, 3], at: hundredths(0, 20, 40))
    #expect(slow.duration(slow.shownSamples[0]) == CMTime(value: 20, timescale: 100))
    #expect(slow.mediaTime(forMovie: CMTime(value: 30, timescale: 100)) == CMTime(value: 25, timescale: 100))
    let fast = Self.timeline([Edit(segmentDuration: 20, mediaTime: 0, rate: 3)])
    #expect(fast.shownSamples.map(\.sampleIndex) == [0, 1, 2, 3, 4, 5])
    #expect(fast.presentationTime(fast.shownSamples[1]) == CMTime(value: 1, timescale: 30))
  }

  /// A rate of 0 holds the sample shown at the media time for the whole segment.
  @Test func aHeldPictureIsShownOnce() {
    let timeline = Self.timeline([
      Edit(segmentDuration: 10, mediaTime: 0), Edit(segmentDuration: 45, mediaTime: 25, rate: 0),
    ])
    expect(timeline, [0, 2], at: hundredths(0, 10))
    #expect(timeline.duration(timeline.shownSamples[1]) == CMTime(value: 45, timescale: 100))
  }

  @Test func timesStayExactAcrossScales() {
    var builder = SampleTableBuilder()
    builder.beginChunk(at: 0, descriptionIndex: 0)
    for _ in 0..<5 { _ = builder.append(.init(size: 1, duration: 1001)) }
    let timeline = EditTimeline(
      edits: [Edit(segmentDuration: 1, mediaTime: -1), Edit(segmentDuration: 100, mediaTime: 1001)],
      movieTimescale: 600, mediaTimescale: 24_000, samples: builder.finish())
    // 1/600 s is 40 units of 1/24000 s.
    #expect(timeline.presentationTime(timeline.shownSamples[2]) == CMTime(value: 2042, timescale: 24_000))
    let odd = EditTimeline(
      edits: [Edit(segmentDuration: 1, mediaTime: -1), Edit(segmentDuration: 100, mediaTime: 0)],
      movieTimescale: 7, mediaTimescale: 24_000, samples: Self.table([0, 0]))
    #expect(odd.shownSamples[1].time == RationalTime(1, 7) + RationalTime(10, 24_000))
    #expect(odd.presentationTime(odd.shownSamples[1]) == CMTime(value: 2407, timescale: 16_800))
  }

  @Test func theLastEditWithoutADurationGoesToTheEnd() {
    expect(Self.timeline([Edit(segmentDuration: 0, mediaTime: 30)]), [3, 4, 5], at: hundredths(0, 10, 20))
  }

  @Test func positionsAreFoundByTime() {
    let timeline = Self.timeline([Edit(segmentDuration: 20, mediaTime: -1), Edit(segmentDuration: 30, mediaTime: 10)])
    let at = { (value: Int64) in RationalTime(value, 100) }
    #expect(timeline.shownPosition(atOrBefore: at(19)) == nil)
    #expect(timeline.shownPosition(atOrBefore: at(20)) == 0 && timeline.shownPosition(atOrBefore: at(39)) == 1)
    #expect(timeline.shownPosition(atOrBefore: at(1000)) == 2)
    #expect(timeline.shownPosition(atOrAfter: at(0)) == 0 && timeline.shownPosition(atOrAfter: at(21)) == 1)
    #expect(timeline.shownPosition(atOrAfter: at(41)) == 3)
  }

  /// Small worlds: every pair of edits over six samples against a count by hand.
  @Test(arguments: [600, 100, 30, 7] as [Int32]) func agreesWithTheRule(_ movieScale: Int32) {
    let offsets: [Int32] = [10, 30, 0, 0, 10, 0]
    let presentation = offsets.enumerated().map { Int64($0.offset) * 10 + Int64($0.element) }
    for first in stride(from: Int64(-1), through: 62, by: 7) {
      for length in Int64(0)...12 {
        let edits = [
          Edit(segmentDuration: length, mediaTime: first), Edit(segmentDuration: 9, mediaTime: 20),
        ]
        let timeline = Self.timeline(edits, offsets, movie: movieScale)
        var expected: [RationalTime] = []
        for (edit, start) in zip(edits, [0, length]) where edit.mediaTime >= 0 {
          for time in presentation.sorted() {
            let inside = RationalTime(time - edit.mediaTime, 100)
            guard inside >= .zero, inside < RationalTime(edit.segmentDuration, movieScale) else { continue }
            expected.append(RationalTime(start, movieScale) + inside)
          }
        }
        #expect(timeline.shownSamples.map(\.time) == expected)
        let isOrdered = zip(timeline.shownSamples, timeline.shownSamples.dropFirst())
          .allSatisfy { $0.time + $0.duration <= $1.time }
        #expect(isOrdered)
      }
    }
  }
}
