import CoreMedia

/// The present edits of a script and what follows from them. Immutable: a change makes another one.
final class ScriptSnapshot: Sendable {
  let source: ScriptSource
  let baseline: FocusSchedule
  let edits: ScriptEdits
  let subjects: FocusSubjects
  let schedule: FocusSchedule

  /// The recording without any edits.
  init(_ source: ScriptSource) {
    self.source = source
    edits = ScriptEdits(recorded: source)
    subjects = FocusSubjects(source: source, tracks: [])
    baseline = FocusSchedule(recorded: source, Self.plan(edits.userDecisions, subjects))
    schedule = baseline
  }

  private init(_ edits: ScriptEdits, after snapshot: ScriptSnapshot) {
    source = snapshot.source
    baseline = snapshot.baseline
    self.edits = edits
    let sameTracks = edits.addedTracks.elementsEqual(snapshot.edits.addedTracks, by: ===)
    subjects = sameTracks ? snapshot.subjects : FocusSubjects(source: source, tracks: edits.addedTracks)
    let same = sameTracks && edits.userDecisions == snapshot.edits.userDecisions
    schedule =
      same
      ? snapshot.schedule
      : FocusSchedule(Self.plan(edits.userDecisions, subjects), baseline: baseline, subjects: subjects)
  }

  func replacing(_ edits: ScriptEdits) -> ScriptSnapshot { ScriptSnapshot(edits, after: self) }

  private static func plan(_ user: [CNDecision], _ subjects: FocusSubjects) -> FocusPlan {
    let recorded = subjects.source.recorded
    let request = FocusPlan.Request(
      base: subjects.source.baseDecisions, user: user, timeRange: recorded.timeRange, trackEnd: subjects.trackEnd)
    return FocusPlan(request, frameTimes: recorded.times)
  }
}

/// What a user has changed: all that the changes of a script hold.
struct ScriptEdits: Sendable {
  var fNumber: Float
  /// Rising in time, no two at the same. Includes the taps made while recording, unless they were removed.
  var userDecisions: [CNDecision]
  var addedTracks: [CNDetectionTrack]
  /// What the changes held that is not understood.
  var unknown = UnknownFields()

  init(recorded source: ScriptSource) {
    fNumber = source.recorded.recordedFNumber
    userDecisions = source.recordedUserDecisions
    addedTracks = []
  }

  /// Replaces a decision at the same time.
  mutating func insert(_ decision: CNDecision) {
    let place = userDecisions.partitioningIndex { $0.time >= decision.time }
    if place < userDecisions.count && userDecisions[place].time == decision.time {
      userDecisions[place] = decision
    } else {
      userDecisions.insert(decision, at: place)
    }
  }
}

extension ScriptSnapshot {
  /// Why a decision cannot be made; nil if it can.
  func objection(to decision: CNDecision) -> String? {
    let range = source.recorded.timeRange
    guard decision.time.isNumeric, range.containsTime(decision.time) else {
      return """
        The decision at \(decision.time.seconds) s lies outside the movie, which lasts from \(range.start.seconds) s to \
        \(range.end.seconds) s; choose a time inside.
        """
    }
    guard subjects.contains(decision.focusDetectionID) else {
      return """
        The decision at \(decision.time.seconds) s is for \(decision.focusDetectionID.words), which the movie does not have; \
        choose one of \(subjects.words(like: decision.focusDetectionID)).
        """
    }
    return nil
  }

  /// The decisions in effect, in their order.
  var effectiveDecisions: [CNDecision] { schedule.plan.segments.compactMap(\.decision) }

  /// When the rack moves; empty and at its arrival if it does not.
  func timeRange(of rack: FocusRack) -> CMTimeRange {
    if let recorded = rack.recorded {
      return CMTimeRange(start: recorded.start, end: max(recorded.start, recorded.end))
    }
    let arrival = schedule.plan.segments[rack.to].start
    let begin = arrival - CMTime(seconds: rack.duration, preferredTimescale: 90_000)
    return CMTimeRange(start: max(begin, source.recorded.timeRange.start), end: arrival)
  }
}

extension CNDecision.FocusDetectionID {
  var words: String {
    switch self {
    case .single(let id): "detection \(id.rawValue)"
    case .group(let id): "group \(id.rawValue)"
    }
  }
}
