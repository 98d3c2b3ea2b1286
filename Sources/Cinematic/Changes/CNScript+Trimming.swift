import CoreMedia

extension ScriptSnapshot {
  /// See `CNScript.changes(trimmedBy:)`:
  ///
  ///     range          [          )
  ///     user      C              D    E
  ///     track C   ────────────
  ///     trimmed        C         D
  func changes(trimmedBy range: CMTimeRange) -> CNScript.Changes {
    let trimmed = source.recorded.trimmed(to: range)
    let tracks = edits.addedTracks.compactMap { $0.trimmed(to: range) }
    let subjects = FocusSubjects(source: ScriptSource(trimmed), tracks: tracks)
    let decisions = decisions(in: range)
      .map { $0.moved(to: $0.time - range.start) }
      .filter { trimmed.timeRange.containsTime($0.time) && subjects.contains($0.focusDetectionID) }
    var changes = CNScript.Changes(
      fNumber: edits.fNumber, userDecisions: decisions, addedDetectionTracks: tracks, movie: trimmed.fingerprint)
    changes.unknown.fields = edits.unknown.fields
    changes.unknown.minorVersion = edits.unknown.minorVersion
    return changes
  }

  /// The user decisions of the range; first, moved to its start, one that is in effect there.
  private func decisions(in range: CMTimeRange) -> [CNDecision] {
    let inside = edits.userDecisions.filter { range.containsTime($0.time) }
    guard inside.first?.time != range.start, let segment = schedule.plan.segment(at: range.start),
      let held = schedule.plan.segments[segment].decision, held.isUserDecision
    else { return inside }
    return [held.moved(to: range.start)] + inside
  }
}

extension CNDetectionTrack {
  /// The part of an added track in the range, shifted so that the range starts at zero; nil if nothing is left.
  fileprivate func trimmed(to range: CMTimeRange) -> CNDetectionTrack? {
    let track: CNDetectionTrack
    if let fixed = self as? CNFixedDetectionTrack {
      let original = fixed.originalDetection.map { $0.stamped($0.time - range.start) }
      track = CNFixedDetectionTrack(focusDisparity: fixed.focusDisparity, originalDetection: original)
    } else {
      let detections = detections(in: range).map { $0.stamped($0.time - range.start) }
      guard !detections.isEmpty else { return nil }
      track = CNCustomDetectionTrack(detections: detections, smooth: false)
    }
    track.assign(detectionID)
    return track
  }
}
