public import CoreMedia
public import Foundation
internal import QuickTime

/// A place in the sequence of a track's samples, which can be moved in decoding and in presentation order.
///
/// All times are the media's own: a cursor knows nothing of edits. It always stands on a sample; a step that would lead beyond the
/// first or last one ends there. A step takes O(log n) and no sample is looked at in between. Where samples are shown out of order,
/// the first step in presentation order sorts the track's samples once, which takes four bytes a sample. A cursor is used by one
/// thread at a time; copies are independent.
public final class AVSampleCursor: NSObject, NSCopying {
  let track: AVAssetTrack
  /// In decoding order, from 0.
  private(set) var index: Int

  init(track: AVAssetTrack, index: Int) {
    self.track = track
    self.index = index
  }

  /// Another cursor at the same sample.
  public func copy(with zone: NSZone? = nil) -> Any { AVSampleCursor(track: track, index: index) }

  var table: SampleTable { track.movieTrack.samples }
  var sample: Sample { table[index] }

  /// When the sample is shown.
  public var presentationTimeStamp: CMTime { time(table.presentationTime(index)) }
  /// When the sample is decoded.
  public var decodeTimeStamp: CMTime { time(table.decodeTime(index)) }

  func time(_ units: Int64) -> CMTime { CMTime(value: units, timescale: track.mediaScale) }
}

// MARK: - Steps

extension AVSampleCursor {
  /// Moves by a number of samples in decoding order, backwards if it is negative; answers by how many it was.
  @discardableResult
  public func stepInDecodeOrder(byCount stepCount: Int64) -> Int64 {
    let target = place(index, movedBy: stepCount)
    defer { index = target }
    return Int64(target - index)
  }

  /// Moves by a number of samples in presentation order, backwards if it is negative; answers by how many it was.
  @discardableResult
  public func stepInPresentationOrder(byCount stepCount: Int64) -> Int64 {
    let order = table.presentationOrder
    let position = order.position(of: index)
    let target = place(position, movedBy: stepCount)
    index = order[target]
    return Int64(target - position)
  }

  private func place(_ place: Int, movedBy count: Int64) -> Int {
    let (sum, overflow) = place.addingReportingOverflow(Int(count))
    return overflow ? (count < 0 ? 0 : table.count - 1) : min(max(sum, 0), table.count - 1)
  }

  /// Moves to the sample that is decoded at its own decode time plus a delta, or at the last moment before.
  ///
  /// `outWasPinned` tells whether that time lies before the first sample or behind the end of the last one, so that the cursor stands
  /// there. A delta that is no number, but infinite, leads to an end; any other leaves the cursor where it is, pinned.
  ///
  /// - Returns: how far the cursor really moved.
  @discardableResult
  public func step(byDecodeTime deltaDecodeTime: CMTime, wasPinned outWasPinned: UnsafeMutablePointer<ObjCBool>?)
    -> CMTime
  {
    let table = table
    let line = SampleLine(
      start: table.start, lastStart: table.decodeTime(table.count - 1), end: table.start + table.totalDuration)
    return step(by: deltaDecodeTime, from: table.decodeTime(index), on: line, outWasPinned) { target in
      index = table.index(atDecodeTime: target) ?? 0
      return table.decodeTime(index)
    }
  }

  /// Moves to the sample that is shown at its own presentation time plus a delta, or at the last moment before.
  ///
  /// As `step(byDecodeTime:wasPinned:)`.
  @discardableResult
  public func step(
    byPresentationTime deltaPresentationTime: CMTime, wasPinned outWasPinned: UnsafeMutablePointer<ObjCBool>?
  ) -> CMTime {
    let table = table
    let order = table.presentationOrder
    let last = table[order[table.count - 1]]
    let line = SampleLine(
      start: order.presentationTime(0), lastStart: last.presentationTime, end: last.presentationTime + last.duration)
    return step(by: deltaPresentationTime, from: table.presentationTime(index), on: line, outWasPinned) { target in
      index = table.index(atPresentationTime: target) ?? order[0]
      return table.presentationTime(index)
    }
  }

  /// The line of times on which a step goes, in units of the media's time scale.
  private struct SampleLine {
    var start: Int64
    var lastStart: Int64
    var end: Int64

    func holds(_ time: Int64) -> Bool { time >= start && (time < end || time <= lastStart) }
  }

  private func step(
    by delta: CMTime, from start: Int64, on line: SampleLine, _ outWasPinned: UnsafeMutablePointer<ObjCBool>?,
    move: (Int64) -> Int64
  ) -> CMTime {
    guard delta.isNumeric || delta.isInfinite else {
      outWasPinned?.pointee = true
      return time(0)
    }
    let units = delta.units(in: track.mediaScale)
    let target = start + units
    outWasPinned?.pointee = ObjCBool(!line.holds(target))
    // Samples of the same time stay apart: no step, no move.
    return units == 0 ? time(0) : time(move(target) - start)
  }
}

// MARK: - Comparing

extension AVSampleCursor {
  /// Which of two cursors of the same track stands earlier in decoding order: this one (`orderedAscending`), or the other.
  public func comparePositionInDecodeOrder(withPositionOf cursor: AVSampleCursor) -> ComparisonResult {
    checkTrack(of: cursor)
    return index == cursor.index ? .orderedSame : index < cursor.index ? .orderedAscending : .orderedDescending
  }

  /// Whether a sample decoded before this cursor's may be shown after the other cursor's: then whoever gathers what is shown up to
  /// there in decoding order has not done so yet.
  public func maySamplesWithEarlierDecodeTimeStampsHavePresentationTimeStamps(laterThan cursor: AVSampleCursor) -> Bool
  {
    checkTrack(of: cursor)
    return table.hasSample(before: index, shownAfter: table.presentationTime(cursor.index))
  }

  /// Whether a sample decoded after this cursor's may be shown before the other cursor's.
  public func maySamplesWithLaterDecodeTimeStampsHavePresentationTimeStamps(earlierThan cursor: AVSampleCursor) -> Bool
  {
    checkTrack(of: cursor)
    return table.hasSample(after: index, shownBefore: table.presentationTime(cursor.index))
  }

  private func checkTrack(of cursor: AVSampleCursor) {
    precondition(cursor.track.movieTrack === track.movieTrack, "Cursors of different tracks cannot be compared.")
  }
}
