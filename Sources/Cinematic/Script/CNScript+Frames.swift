public import CoreMedia

extension CNScript {
  /// One frame of the movie: what is in it, and where the focus is.
  public struct Frame: Sendable {
    /// The presentation time of the picture, after the movie's edits.
    public let time: CMTime
    /// What to hand to the renderer. Larger is nearer.
    public let focusDisparity: Float
    /// The subject in focus; during a transition the one that is being left, unless a tap while recording began it. Where nobody is in
    /// focus: a fixed-focus detection at the frame's focus disparity, without ids and with an empty rectangle.
    public let focusDetection: CNDetection
    /// Everybody who was detected in the frame, recorded ones first, then those of tracks that were added.
    public let allDetections: [CNDetection]

    /// The detection with the id; nil if it is not in the frame.
    public func detection(for detectionID: CNDetectionID) -> CNDetection? {
      allDetections.first { $0.detectionID == detectionID }
    }

    /// The member of the group that a decision for the group focuses on: a face before a head before a torso.
    public func bestDetection(for detectionGroupID: CNDetectionGroupID) -> CNDetection? {
      // `min` answers the first of equals, as the schedule does.
      allDetections.filter { $0.detectionGroupID == detectionGroupID }
        .min { $0.detectionType.focusRank < $1.detectionType.focusRank }
    }
  }

  /// The frame nearest to the time, if not farther than the tolerance. One frame's duration is a good tolerance.
  public func frame(at time: CMTime, tolerance: CMTime) -> Frame? {
    let snapshot = snapshot
    return source.recorded.frame(nearest: time, tolerance: tolerance).map(snapshot.frame)
  }

  /// The frames with times in the range.
  public func frames(in timeRange: CMTimeRange) -> [Frame] {
    let snapshot = snapshot
    return source.recorded.frames(in: timeRange).map(snapshot.frame)
  }
}

extension ScriptSnapshot {
  func frame(_ index: Int) -> CNScript.Frame {
    let time = source.recorded.times[index]
    let disparity = schedule.focusDisparities[index]
    var detections = source.recorded.rows(ofFrame: index).map { source.detection(row: $0, time: time) }
    for track in subjects.added {
      if let detection = track.detection(onFrame: index) { detections.append(detection) }
    }
    let subject =
      schedule.plan.segments.isEmpty
      ? nil : schedule.plan.segments[schedule.plan.segment(ofFrame: index)].subject
    let focus = subject.flatMap { subjects.detection(of: $0, onFrame: index) }
    return CNScript.Frame(
      time: time, focusDisparity: disparity, focusDetection: focus ?? .nobody(time, disparity),
      allDetections: detections)
  }
}

extension CNDetection {
  fileprivate static func nobody(_ time: CMTime, _ disparity: Float) -> CNDetection {
    CNDetection(time: time, detectionType: .fixedFocus, normalizedRect: .zero, focusDisparity: disparity)
  }
}

extension FocusSubjects {
  /// The subject's detection on the frame; where it has none there, its nearest one, stamped with the frame's time.
  func detection(of subject: CNDecision.FocusDetectionID, onFrame frame: Int) -> CNDetection? {
    let time = source.recorded.times[frame]
    if case .single(let id) = subject, let added = addedTrack(id) {
      return added.detection(onFrame: frame) ?? added.track.detection(nearest: time)?.stamped(time)
    }
    return chosenRow(of: subject, nearest: frame).map { source.detection(row: Int($0.row), time: time) }
  }

  /// Like `chosenRows`, but only the one on the frame or nearest to it.
  private func chosenRow(of subject: CNDecision.FocusDetectionID, nearest frame: Int) -> DetectionRows.Row? {
    let rows =
      switch subject {
      case .single(let id): source.tracks[id.rawValue]
      case .group(let id): source.groups[id.rawValue]
      }
    guard !rows.isEmpty else { return nil }
    let next = rows.partitioningIndex { Int($0.frame) >= frame }
    let candidates = [next - 1, next].filter(rows.indices.contains)
    guard let near = candidates.min(by: { abs(Int(rows[$0].frame) - frame) < abs(Int(rows[$1].frame) - frame) }) else {
      return nil
    }
    let first = rows.partitioningIndex { $0.frame >= rows[near].frame }
    let same = rows[first...].prefix { $0.frame == rows[near].frame }
    if case .group = subject { return same.min { source.focusRank($0) < source.focusRank($1) } }
    return same.first
  }
}
