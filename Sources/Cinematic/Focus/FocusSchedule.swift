import CoreMedia

/// The focus of every frame under the present decisions.
///
/// Where the decisions leave the recording as it is, its disparities are replayed to the bit; elsewhere the subjects' smoothed disparities
/// are followed, and minimum-jerk racks lead from one to the next.
struct FocusSchedule: Sendable {
  let plan: FocusPlan
  let racks: [FocusRack]
  /// One for each frame.
  let focusDisparities: [Float]

  /// What the recording itself amounts to.
  init(recorded source: ScriptSource, _ plan: FocusPlan) {
    self.plan = plan
    racks = plan.racks(source.recorded.timeRange.start).map { $0.replaying(source.racks) }
    focusDisparities = source.recorded.focusDisparities
  }

  /// `baseline` is the recording's own schedule.
  init(_ plan: FocusPlan, baseline: FocusSchedule, subjects: FocusSubjects) {
    var work = ScheduleWork(plan, baseline: baseline, subjects: subjects)
    work.keepRecordedRacks()
    work.planDurations()
    work.dropOverlappedRacks()
    work.markReplayedFrames()
    work.settle()
    work.rack()
    self.plan = plan
    racks = work.racks
    focusDisparities = work.disparities
  }
}

extension FocusRack {
  /// With the recorded rack that holds the arrival, or ends just before it.
  fileprivate func replaying(_ racks: [RecordedRack]) -> FocusRack {
    let next = racks.partitioningIndex { $0.frames.upperBound + 1 >= frame }
    guard next < racks.count, racks[next].frames.lowerBound <= frame else { return self }
    // A rack that ends just before the arrival gives way to one that starts on it.
    let following = next + 1 < racks.count && racks[next + 1].frames.lowerBound == frame ? next + 1 : next
    var rack = self
    rack.recorded = racks[following]
    return rack
  }
}

/// The steps of making a schedule, in the order of `FocusSchedule.init`.
private struct ScheduleWork {
  let plan: FocusPlan
  let baseline: FocusSchedule
  let subjects: FocusSubjects
  let start: CMTime
  let seconds: [Double]
  var racks: [FocusRack]
  /// How long each rack would take if it had the time.
  var wanted: [Double] = []
  var isReplayed: [Bool]
  var disparities: [Float]
  var curves = CurveCache()

  init(_ plan: FocusPlan, baseline: FocusSchedule, subjects: FocusSubjects) {
    self.plan = plan
    self.baseline = baseline
    self.subjects = subjects
    start = subjects.source.recorded.timeRange.start
    seconds = subjects.source.seconds
    racks = plan.racks(start)
    disparities = subjects.source.recorded.focusDisparities
    isReplayed = [Bool](repeating: false, count: disparities.count)
  }

  private func subject(_ segment: Int) -> CNDecision.FocusDetectionID? { plan.segments[segment].subject }

  /// A recorded rack stays if the same subjects are in focus at its ends:
  ///
  ///     recorded  A A⟋B B B B    now  A A A B B B   gone: it starts elsewhere
  ///                              now  A A⟋B B C C   stays
  ///                              now  C C C B B B   gone: C was not its start
  mutating func keepRecordedRacks() {
    for index in racks.indices {
      let rack = racks[index]
      let same = baseline.racks.partitioningIndex { $0.frame >= rack.frame }
      guard same < baseline.racks.count, baseline.racks[same].frame == rack.frame else { continue }
      let old = baseline.racks[same]
      let segments = baseline.plan.segments
      guard segments[old.from].subject == subject(rack.from), segments[old.to].subject == subject(rack.to) else {
        continue
      }
      // Without a recorded movement the switch itself is what is replayed.
      let frames = max(0, rack.frame - 1)...rack.frame
      let start = plan.segments[rack.to].start
      let instant = RecordedRack(
        frames: frames, movingFrames: rack.frame..<rack.frame, start: start, end: start)
      let recorded = old.recorded ?? instant
      if endsAreInFocus(rack, recorded) { racks[index].recorded = recorded }
    }
  }

  private func endsAreInFocus(_ rack: FocusRack, _ recorded: RecordedRack) -> Bool {
    let first = min(recorded.frames.lowerBound, rack.frame - 1)
    let last = max(recorded.frames.upperBound, rack.frame)
    return subject(plan.segment(ofFrame: first)) == subject(rack.from)
      && subject(plan.segment(ofFrame: last)) == subject(rack.to)
  }

  mutating func planDurations() {
    wanted = racks.map { rack in
      guard let from = resting(rack.from, rack.frame - 1), let to = resting(rack.to, rack.frame) else { return 0 }
      return subjects.source.lens.rackDuration(to - from)
    }
    for index in racks.indices { compress(index) }
  }

  /// Where the focus of a segment rests on the frame. Nobody rests where the recording did, if nobody was in focus there either, else
  /// where the segment before left off; nil if there is none.
  private mutating func resting(_ segment: Int, _ frame: Int) -> Double? {
    if let subject = subject(segment) { return curves[subject, subjects][frame] }
    let recorded = baseline.plan.segments[baseline.plan.segment(ofFrame: frame)]
    if recorded.subject == nil { return Double(baseline.focusDisparities[frame]) }
    let before = plan.segments[..<segment].last { !$0.frames.isEmpty }
    guard let before, let subject = before.subject else { return nil }
    return curves[subject, subjects][before.frames.upperBound - 1]
  }

  /// Decisions that are closer than a rack is long compress it, but not below the shortest.
  private mutating func compress(_ index: Int) {
    let room = racks[index].arrival - (index > 0 ? racks[index - 1].arrival : 0)
    racks[index].duration = min(wanted[index], max(FocusTiming.shortestRack, room))
  }

  /// A recorded rack that a new one overlaps is planned anew, which may in turn reach into the ones beside it.
  mutating func dropOverlappedRacks() {
    var index = 0
    while index < racks.count {
      guard racks[index].recorded != nil, isOverlapped(index) else {
        index += 1
        continue
      }
      racks[index].recorded = nil
      // The one before was looked at while this one was still replayed. One step back for each rack that goes: linear in all.
      index = max(0, index - 1)
    }
  }

  private func isOverlapped(_ index: Int) -> Bool {
    let own = racks[index].interval(start)
    func overlaps(_ other: Int) -> Bool {
      guard racks.indices.contains(other), racks[other].recorded == nil, racks[other].duration > 0 else { return false }
      let theirs = racks[other].interval(start)
      return theirs.lowerBound < own.upperBound && own.lowerBound < theirs.upperBound
    }
    return overlaps(index - 1) || overlaps(index + 1)
  }

  /// A frame is replayed if its subject is the recording's, and no recorded rack that is gone moved the focus on it.
  mutating func markReplayedFrames() {
    for segment in plan.segments where !segment.frames.isEmpty {
      for old in baseline.plan.segments[baseline.plan.segment(ofFrame: segment.frames.lowerBound)...] {
        guard old.frames.lowerBound < segment.frames.upperBound else { break }
        guard old.subject == segment.subject else { continue }
        for frame in old.frames.clamped(to: segment.frames) { isReplayed[frame] = true }
      }
    }
    let kept = Set(racks.compactMap(\.recorded))
    for rack in baseline.racks {
      guard let recorded = rack.recorded, !kept.contains(recorded) else { continue }
      for frame in recorded.frames where recorded.isAway(frame, arrival: rack.frame) { isReplayed[frame] = false }
    }
  }

  /// Gives every frame that is not replayed the smoothed disparity of its subject.
  mutating func settle() {
    for segment in plan.segments {
      var frame = segment.frames.lowerBound
      while frame < segment.frames.upperBound {
        let first = frame
        while frame < segment.frames.upperBound && !isReplayed[frame] { frame += 1 }
        if first < frame { settle(first..<frame, segment) }
        while frame < segment.frames.upperBound && isReplayed[frame] { frame += 1 }
      }
    }
    settleLeadingNobody()
  }

  /// The difference to the replayed frames around fades, so that the focus does not jump:
  ///
  ///     replayed ──┐                 ┌── replayed
  ///                 ╲_______________╱
  ///                  smoothed curve
  private mutating func settle(_ frames: Range<Int>, _ segment: FocusPlan.Segment) {
    let before = max(frames.lowerBound - 1, 0)
    let after = min(frames.upperBound, seconds.count - 1)
    let held = SubjectCurve(constant: disparities[before])
    let curve = segment.subject.map { curves[$0, subjects] } ?? held
    let left = frames.lowerBound > segment.frames.lowerBound ? Double(disparities[before]) - curve[before] : 0
    let right = frames.upperBound < segment.frames.upperBound ? Double(disparities[after]) - curve[after] : 0
    // Each fade has at most half of the stretch, so that they do not add up.
    let fade = max(min(FocusTiming.fade, (seconds[after] - seconds[before]) / 2), 1e-9)
    for frame in frames {
      let leftShare = 1 - FocusTiming.minimumJerk((seconds[frame] - seconds[before]) / fade)
      let rightShare = 1 - FocusTiming.minimumJerk((seconds[after] - seconds[frame]) / fade)
      disparities[frame] = Float(curve[frame] + left * leftShare + right * rightShare)
    }
  }

  /// Frames before anybody comes into focus wait where the first subject will be.
  private mutating func settleLeadingNobody() {
    guard let first = plan.segments.first(where: { !$0.frames.isEmpty }), first.subject == nil,
      let frame = first.frames.first, !isReplayed[frame], first.frames.upperBound < disparities.count
    else { return }
    for frame in first.frames where !isReplayed[frame] { disparities[frame] = disparities[first.frames.upperBound] }
  }

  /// Leads the focus from subject to subject. Each rack works on what the ones before it left, so that racks that overlap chain without
  /// a jump in position or velocity; and each value lies between its two ends, so nothing overshoots.
  mutating func rack() {
    for rack in racks where rack.recorded == nil && rack.duration > 0 {
      let curve = subject(rack.to).map { curves[$0, subjects] } ?? SubjectCurve(constant: disparities[rack.frame])
      let offset = Double(disparities[rack.frame]) - curve[rack.frame]
      let begin = rack.arrival - rack.duration
      for frame in stride(from: rack.frame - 1, through: 0, by: -1) {
        guard seconds[frame] > begin else { break }
        let share = FocusTiming.minimumJerk((seconds[frame] - begin) / rack.duration)
        let from = Double(disparities[frame])
        disparities[frame] = Float(from + share * (curve[frame] + offset - from))
      }
    }
  }
}

/// The curves of the subjects that were asked for last; a script may have very many.
private struct CurveCache {
  private var curves: [(subject: CNDecision.FocusDetectionID, curve: SubjectCurve)] = []
  private static let capacity = 16

  subscript(subject: CNDecision.FocusDetectionID, subjects: FocusSubjects) -> SubjectCurve {
    mutating get {
      if let index = curves.firstIndex(where: { $0.subject == subject }) {
        let found = curves.remove(at: index)
        curves.append(found)
        return found.curve
      }
      if curves.count == Self.capacity { curves.removeFirst() }
      let curve = subjects.curve(subject)
      curves.append((subject, curve))
      return curve
    }
  }
}
