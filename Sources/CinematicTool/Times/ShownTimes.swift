package import CoreMedia
package import QuickTime

/// When the frames of a track are shown, in rising order, without a list of them: a lookup takes O(log n).
package struct ShownTimes: RandomAccessCollection, Sendable {
  private let timeline: EditTimeline

  package init(_ timeline: EditTimeline) { self.timeline = timeline }

  package var startIndex: Int { 0 }
  package var endIndex: Int { timeline.shownCount }
  package subscript(position: Int) -> CMTime { timeline.presentationTime(timeline.shown(position)) }

  /// When the frame at a position ceases to be shown; the end of the track's showing for the last one.
  package func end(of position: Int) -> CMTime {
    let shown = timeline.shown(position)
    return timeline.presentationTime(shown) + timeline.duration(shown)
  }
}
