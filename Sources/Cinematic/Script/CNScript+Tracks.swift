import CoreMedia

extension CNScript {
  /// All detections of the id over the script; nil for an unknown id.
  public func detectionTrack(for detectionID: CNDetectionID) -> CNDetectionTrack? {
    track(for: .single(detectionID))
  }

  /// All detections that the decision would choose; nil if its subject is unknown.
  public func detectionTrack(for decision: CNDecision) -> CNDetectionTrack? {
    track(for: decision.focusDetectionID)
  }

  /// The ids of the recorded tracks in rising order.
  package var recordedDetectionIDs: [CNDetectionID] { source.tracks.ids.map { CNDetectionID($0) } }

  private func track(for subject: CNDecision.FocusDetectionID) -> CNDetectionTrack? {
    let subjects = snapshot.subjects
    if case .single(let id) = subject, let added = subjects.addedTrack(id) { return added.track }
    let rows = subjects.chosenRows(subject)
    return rows.first.map { RecordedDetectionTrack(source, subject, rows, first: $0) }
  }
}

/// A track that was recorded with the movie, or the best members of a recorded group.
private final class RecordedDetectionTrack: CNDetectionTrack, @unchecked Sendable {
  private let source: ScriptSource
  /// In order of frames, one a frame.
  private let rows: [DetectionRows.Row]

  init(
    _ source: ScriptSource, _ subject: CNDecision.FocusDetectionID, _ rows: [DetectionRows.Row],
    first: DetectionRows.Row
  ) {
    self.source = source
    self.rows = rows
    let detection = source.detection(row: Int(first.row), frame: Int(first.frame))
    var ids = IDs(detection: detection.detectionID ?? CNDetectionID(-1), group: detection.detectionGroupID)
    // The members of a group have ids of their own, the group has none.
    if case .group = subject { ids.detection = CNDetectionID(-1) }
    super.init(detectionType: detection.detectionType, isUserCreated: false, isDiscrete: true, ids: ids)
  }

  override func detection(atOrBefore time: CMTime) -> CNDetection? {
    let times = source.recorded.times
    let next = rows.partitioningIndex { times[Int($0.frame)] > time }
    return next > 0 ? detection(rows[next - 1]) : nil
  }

  override func detection(nearest time: CMTime) -> CNDetection? {
    let times = source.recorded.times
    let index = rows.index(nearest: time, tolerance: .positiveInfinity) { times[Int($0.frame)] }
    return index.map { detection(rows[$0]) }
  }

  override func detections(in timeRange: CMTimeRange) -> [CNDetection] {
    let frames = source.recorded.frames(in: timeRange)
    let first = rows.partitioningIndex { Int($0.frame) >= frames.lowerBound }
    return rows[first...].prefix { Int($0.frame) < frames.upperBound }.map(detection)
  }

  override var discreteDetections: [CNDetection] { rows.map(detection) }

  private func detection(_ row: DetectionRows.Row) -> CNDetection {
    source.detection(row: Int(row.row), frame: Int(row.frame))
  }
}
