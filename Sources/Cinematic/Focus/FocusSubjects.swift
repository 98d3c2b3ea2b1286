import CoreMedia

/// The subjects of a script, recorded and added, and where each is in disparity.
struct FocusSubjects: Sendable {
  let source: ScriptSource
  let added: [AddedTrack]
  private let addedIndex: [Int64: Int]

  /// A track that a user added, with the frames that its detections fall on.
  struct AddedTrack: Sendable {
    let track: CNDetectionTrack
    /// The time of the last detection of a discrete track.
    let last: CMTime?
    /// The detections of a discrete track and the frames nearest to them, in order, as far as one is within a frame's duration.
    let onFrames: [(frame: Int, detection: CNDetection)]
  }

  init(source: ScriptSource, tracks: [CNDetectionTrack]) {
    self.source = source
    added = tracks.map { AddedTrack($0, source) }
    addedIndex = Dictionary(
      tracks.enumerated().map { ($0.element.detectionID.rawValue, $0.offset) }, uniquingKeysWith: { first, _ in first })
  }

  func addedTrack(_ id: CNDetectionID) -> AddedTrack? { addedIndex[id.rawValue].map { added[$0] } }

  func contains(_ subject: CNDecision.FocusDetectionID) -> Bool {
    switch subject {
    case .single(let id): addedIndex[id.rawValue] != nil || source.tracks.contains(id.rawValue)
    case .group(let id): source.groups.contains(id.rawValue)
    }
  }

  /// The subjects of the same kind that there are, named by their ids: "its detections: 1, 2".
  func words(like subject: CNDecision.FocusDetectionID) -> String {
    let (kind, ids) =
      switch subject {
      case .single: ("detections", source.tracks.ids + addedIndex.keys.sorted())
      case .group: ("groups", source.groups.ids)
      }
    // A long movie has hundreds; the first say what they look like.
    let named = ids.prefix(12).map(String.init).joined(separator: ", ") + (ids.count > 12 ? ", …" : "")
    return ids.isEmpty ? "its \(kind), of which it has none" : "its \(kind): \(named)"
  }

  /// The first time at which the subject's track has ended: that of the frame after its last detection. Nil for an unknown subject.
  func trackEnd(_ subject: CNDecision.FocusDetectionID) -> CMTime? {
    let range = source.recorded.timeRange
    if case .single(let id) = subject, let added = addedTrack(id) {
      guard added.track.isDiscrete else { return range.end }
      guard let last = added.last else { return nil }
      return end(afterFrame: source.recorded.times.partitioningIndex { $0 > last } - 1)
    }
    let rows = recordedRows(subject)
    return rows.last.map { end(afterFrame: Int($0.frame)) }
  }

  private func end(afterFrame frame: Int) -> CMTime {
    let times = source.recorded.times
    return frame + 1 < times.count ? times[frame + 1] : source.recorded.timeRange.end
  }

  private func recordedRows(_ subject: CNDecision.FocusDetectionID) -> ArraySlice<DetectionRows.Row> {
    switch subject {
    case .single(let id): source.tracks[id.rawValue]
    case .group(let id): source.groups[id.rawValue]
    }
  }
}

extension FocusSubjects.AddedTrack {
  fileprivate init(_ track: CNDetectionTrack, _ source: ScriptSource) {
    self.track = track
    let detections = track.discreteDetections
    let step = source.frameDuration
    last = detections.last?.time
    onFrames = detections.compactMap { detection in
      source.recorded.frame(nearest: detection.time, tolerance: step).map { ($0, detection) }
    }
  }

  /// The track's detection on the frame; of several the last.
  func detection(onFrame frame: Int) -> CNDetection? {
    let next = onFrames.partitioningIndex { $0.frame > frame }
    return next > 0 && onFrames[next - 1].frame == frame ? onFrames[next - 1].detection : nil
  }
}

extension ScriptSource {
  /// The mean duration of a frame; zero for fewer than two.
  var frameDuration: CMTime {
    guard let first = seconds.first, let last = seconds.last, last > first else { return .zero }
    return CMTime(seconds: (last - first) / Double(seconds.count - 1), preferredTimescale: 90_000)
  }
}

/// Where a subject is in disparity on every frame.
struct SubjectCurve: Sendable {
  /// The frame of the first value; the first and the last value hold beyond.
  private let first: Int
  private let values: [Float]

  init(constant: Float) {
    first = 0
    values = [constant]
  }

  init(first: Int, values: [Float]) {
    self.first = first
    self.values = values
  }

  subscript(frame: Int) -> Double { Double(values[min(max(frame - first, 0), values.count - 1)]) }
}

extension FocusSubjects {
  /// The smoothed disparity of a subject.
  func curve(_ subject: CNDecision.FocusDetectionID) -> SubjectCurve {
    if case .single(let id) = subject, let added = addedTrack(id) {
      if let fixed = added.track as? CNFixedDetectionTrack { return SubjectCurve(constant: fixed.focusDisparity) }
      return curve(added.onFrames.map { ($0.frame, $0.detection.focusDisparity) })
    }
    return curve(chosenRows(subject).map { (Int($0.frame), source.recorded.disparities[Int($0.row)]) })
  }

  /// The recorded rows that a decision for the subject chooses, at most one a frame.
  func chosenRows(_ subject: CNDecision.FocusDetectionID) -> [DetectionRows.Row] {
    switch subject {
    case .single(let id): source.rows(ofTrack: id.rawValue)
    case .group(let id): source.bestRows(ofGroup: id.rawValue)
    }
  }

  private func curve(_ samples: [(frame: Int, disparity: Float)]) -> SubjectCurve {
    guard let first = samples.first?.frame, let last = samples.last?.frame else {
      return SubjectCurve(constant: RecordedFrame.standardFocusDisparity)
    }
    var disparities = [Float](repeating: .nan, count: last - first + 1)
    for sample in samples { disparities[sample.frame - first] = sample.disparity }
    let seconds = Array(source.seconds[first...last])
    let curve = TrackedDisparity(seconds: seconds, disparities: disparities, deadBand: source.lens.deadBand)
    return SubjectCurve(first: first, values: curve.values)
  }
}
