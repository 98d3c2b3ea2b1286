public import CoreMedia

extension CNScript {
  /// The decision in effect that starts nearest to the time, if not farther than the tolerance.
  public func decision(at time: CMTime, tolerance: CMTime) -> CNDecision? {
    let decisions = snapshot.effectiveDecisions
    return decisions.index(nearest: time, tolerance: tolerance) { $0.time }.map { decisions[$0] }
  }

  /// The decisions in effect that start in the range, base and user ones.
  ///
  /// One for each stretch of focus; a base decision that resumes after a user decision has ended is listed with the time at which it
  /// resumes.
  public func decisions(in timeRange: CMTimeRange) -> [CNDecision] {
    snapshot.effectiveDecisions.filter { timeRange.containsTime($0.time) }
  }

  /// The first decision in effect that starts after the time.
  public func decision(after time: CMTime) -> CNDecision? {
    snapshot.effectiveDecisions.first { $0.time > time }
  }

  /// The last decision in effect that starts before the time.
  public func decision(before time: CMTime) -> CNDecision? {
    snapshot.effectiveDecisions.last { $0.time < time }
  }

  /// The decision in effect; during a transition the one that is being left. Nil outside the time range, and where nobody is in focus.
  public func primaryDecision(at time: CMTime) -> CNDecision? {
    let snapshot = snapshot
    let plan = snapshot.schedule.plan
    guard let segment = plan.segment(at: time) else { return nil }
    // A rack that ends with its decision leaves the one in effect. A rack that began with a tap leaves the one before.
    guard let rack = snapshot.rack(at: time), plan.segments[rack.to].start <= time else {
      return plan.segments[segment].decision
    }
    return plan.segments[rack.from].decision
  }

  /// The decision that is being approached; nil unless in a transition.
  public func secondaryDecision(at time: CMTime) -> CNDecision? {
    let snapshot = snapshot
    let plan = snapshot.schedule.plan
    guard plan.segment(at: time) != nil else { return nil }
    return snapshot.rack(at: time).flatMap { plan.segments[$0.to].decision }
  }

  /// When the focus moves away from the decision. Empty, at the time of the change, where it does not move; invalid for a decision that is
  /// not in effect or that nothing follows.
  public func timeRangeOfTransition(after decision: CNDecision) -> CMTimeRange {
    transition { plan, rack in plan.segments[rack.from].decision?.isSame(as: decision) == true }
  }

  /// When the focus moves towards the decision. A rack ends at the decision's time, except a recorded one that started with a tap.
  /// Empty, at the time of the change, where it does not move; invalid for a decision that is not in effect or is the first.
  public func timeRangeOfTransition(before decision: CNDecision) -> CMTimeRange {
    transition { plan, rack in plan.segments[rack.to].decision?.isSame(as: decision) == true }
  }

  private func transition(_ isMeant: (FocusPlan, FocusRack) -> Bool) -> CMTimeRange {
    let snapshot = snapshot
    let rack = snapshot.schedule.racks.first { isMeant(snapshot.schedule.plan, $0) }
    return rack.map(snapshot.timeRange(of:)) ?? .invalid
  }

  /// The user decisions in the range, with the taps made while recording.
  public func userDecisions(in timeRange: CMTimeRange) -> [CNDecision] {
    snapshot.edits.userDecisions.filter { timeRange.containsTime($0.time) }
  }

  /// The automatic decisions in the range; they apply where no user decision overrides them.
  public func baseDecisions(in timeRange: CMTimeRange) -> [CNDecision] {
    source.baseDecisions.filter { timeRange.containsTime($0.time) }
  }
}

extension ScriptSnapshot {
  /// The first rack that moves at the time.
  fileprivate func rack(at time: CMTime) -> FocusRack? {
    schedule.racks.first { timeRange(of: $0).containsTime(time) }
  }
}

extension CNDecision {
  /// The same subject at the same time; the strength is not compared.
  fileprivate func isSame(as other: CNDecision) -> Bool {
    time == other.time && focusDetectionID == other.focusDetectionID && isUserDecision == other.isUserDecision
  }
}
