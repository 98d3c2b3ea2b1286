import CoreMedia

/// Who is in focus when: the effect of base and user decisions on each other, without the racks between.
///
/// User decisions are placed first, base decisions fill the gaps. In the drawings a column is a frame, letters are subjects, `·` is
/// nobody, and `x` ends a track.
///
/// A weak decision holds until the next decision, base or user, or the end of its track:
///
///     base A A A B B B   + weak C at 1           →  A C C B B B
///     base A A A A A A   + weak C at 1, x at 3   →  A C C A A A
///     base A A A B B B   + weak C at 1, weak D at 2   →  A C D B B B
///
/// A strong one holds over base decisions until the next user decision or the end of its track:
///
///     base A A A B B B   + strong C at 1         →  A C C C C C
///     base A A A B B B   + strong C at 1, x at 5 →  A C C C C B
///     base A A A B B B   + strong C at 1, weak D at 3 →  A C C D D D
///
/// A base decision holds until the next base decision or the end of its track; then nobody is in focus:
///
///     base A x       B   →  A · · · B B
struct FocusPlan: Sendable {
  /// A stretch with one subject in focus, or nobody.
  struct Segment: Sendable, Hashable {
    var start: CMTime
    var end: CMTime
    /// The frames whose times lie in the stretch; may be empty.
    var frames: Range<Int>
    /// The decision in effect, with the start as its time: a base decision that resumes is moved there. Nil for nobody.
    var decision: CNDecision?

    var subject: CNDecision.FocusDetectionID? { decision?.focusDetectionID }
  }

  /// They follow each other and cover the time range.
  private(set) var segments: [Segment] = []

  /// What a plan is made of. Decisions rise in time, no two of a kind at the same, all inside the range.
  struct Request {
    var base: [CNDecision]
    var user: [CNDecision]
    var timeRange: CMTimeRange
    /// The first time at which the subject's track has ended; nil if there is no such subject.
    var trackEnd: (CNDecision.FocusDetectionID) -> CMTime?
  }

  init(_ request: Request, frameTimes: [CMTime]) {
    let range = request.timeRange
    var cursor = range.start
    for (index, decision) in request.user.enumerated() {
      fillWithBase(request, cursor, decision.time)
      let next = index + 1 < request.user.count ? request.user[index + 1].time : range.end
      let limit = decision.isStrongDecision ? next : min(next, request.nextBase(after: decision.time))
      cursor = hold(request, decision, from: decision.time, to: limit)
    }
    fillWithBase(request, cursor, range.end)
    assignFrames(frameTimes)
  }

  /// Appends the decision until the limit or the end of its track; answers when it ended.
  private mutating func hold(
    _ request: Request, _ decision: CNDecision, from start: CMTime, to limit: CMTime
  ) -> CMTime {
    let end = min(limit, request.trackEnd(decision.focusDetectionID) ?? start)
    guard end > start else { return start }
    segments.append(Segment(start: start, end: end, frames: 0..<0, decision: decision.moved(to: start)))
    return end
  }

  /// The base decision in effect at the start, and those that follow before the end.
  private mutating func fillWithBase(_ request: Request, _ start: CMTime, _ end: CMTime) {
    var cursor = start
    var next = request.base.partitioningIndex { $0.time > start }
    while cursor < end {
      let limit = next < request.base.count ? min(request.base[next].time, end) : end
      if next > 0 { cursor = hold(request, request.base[next - 1], from: cursor, to: limit) }
      if cursor < limit { leaveToNobody(cursor, limit) }
      cursor = limit
      next += 1
    }
  }

  private mutating func leaveToNobody(_ start: CMTime, _ end: CMTime) {
    if let last = segments.last, last.decision == nil {
      segments[segments.count - 1].end = end
    } else {
      segments.append(Segment(start: start, end: end, frames: 0..<0, decision: nil))
    }
  }

  private mutating func assignFrames(_ times: [CMTime]) {
    var first = 0
    for index in segments.indices {
      let end = segments[index].end
      let isLast = index == segments.count - 1
      let next = isLast ? times.count : max(first, times.partitioningIndex { $0 >= end })
      segments[index].frames = first..<next
      first = next
    }
  }

  /// The segment that holds the time; nil outside the time range.
  func segment(at time: CMTime) -> Int? {
    guard let first = segments.first, let last = segments.last, time >= first.start, time < last.end else { return nil }
    return segments.partitioningIndex { $0.start > time } - 1
  }

  /// The segment that holds the frame.
  func segment(ofFrame frame: Int) -> Int {
    segments.partitioningIndex { $0.frames.upperBound > frame }
  }
}

extension FocusPlan.Request {
  fileprivate func nextBase(after time: CMTime) -> CMTime {
    let next = base.partitioningIndex { $0.time > time }
    return next < base.count ? base[next].time : timeRange.end
  }
}
