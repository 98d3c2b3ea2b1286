public import CoreMedia

/// Detections that a user's own tracker made: a discrete track.
public final class CNCustomDetectionTrack: CNDetectionTrack, @unchecked Sendable {
  private let sequence: DetectionSequence

  /// Sorts the detections by time; of several at one time the last one given stays. The first one's type is the track's. Detections
  /// whose time, rectangle or disparity is not a number are left out.
  ///
  /// `smooth` takes the jitter out of the disparities with the filter that also guides the focus: it never overshoots, and changes
  /// smaller than a quarter of the depth of field are left out.
  public init(detections: [CNDetection], smooth: Bool) {
    let sorted = DetectionSequence(detections)
    sequence = smooth ? sorted.smoothed() : sorted
    super.init(
      detectionType: sorted.detections.first?.detectionType ?? .custom, isUserCreated: true, isDiscrete: true,
      ids: .none)
  }

  /// All detections in order of time, with the id that the script assigned.
  public var allDetections: [CNDetection] { stamped(sequence.detections) }

  public override func detection(atOrBefore time: CMTime) -> CNDetection? { sequence.atOrBefore(time).map(stamped) }

  public override func detection(nearest time: CMTime) -> CNDetection? { sequence.nearest(time).map(stamped) }

  public override func detections(in timeRange: CMTimeRange) -> [CNDetection] { stamped(sequence.inRange(timeRange)) }

  package override var discreteDetections: [CNDetection] { allDetections }

  private func stamped(_ detections: [CNDetection]) -> [CNDetection] { detections.map(stamped) }

  /// With the id that the script assigned.
  private func stamped(_ detection: CNDetection) -> CNDetection {
    let id = detectionID
    var detection = detection
    detection.detectionID = id.rawValue < 0 ? nil : id
    detection.detectionGroupID = detectionGroupID
    return detection
  }
}

extension DetectionSequence {
  /// The same detections with smoothed disparities.
  func smoothed() -> DetectionSequence {
    let curve = TrackedDisparity(
      seconds: detections.map { $0.time.seconds }, disparities: detections.map(\.focusDisparity))
    return DetectionSequence(
      zip(detections, curve.values).map { detection, disparity in
        CNDetection(
          time: detection.time, detectionType: detection.detectionType, normalizedRect: detection.normalizedRect,
          focusDisparity: disparity)
      })
  }
}
