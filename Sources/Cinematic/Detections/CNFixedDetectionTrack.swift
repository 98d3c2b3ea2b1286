public import CoreMedia

/// A focus on one disparity at any time: a continuous track that never ends.
public final class CNFixedDetectionTrack: CNDetectionTrack, @unchecked Sendable {
  /// Larger is nearer. An invalid disparity counts as 0, the farthest.
  public let focusDisparity: Float
  /// The detection that the disparity was taken from. It is no part of the track, and has another id or none.
  public let originalDetection: CNDetection?

  /// Stays at the disparity; larger is nearer.
  public convenience init(focusDisparity: Float) {
    self.init(focusDisparity: focusDisparity, originalDetection: nil)
  }

  /// Stays at the disparity that the detection has.
  public convenience init(originalDetection: CNDetection) {
    self.init(focusDisparity: originalDetection.focusDisparity, originalDetection: originalDetection)
  }

  init(focusDisparity: Float, originalDetection: CNDetection?) {
    self.focusDisparity = CNDetection.isValidDisparity(focusDisparity) ? focusDisparity : 0
    self.originalDetection = originalDetection
    super.init(detectionType: .fixedFocus, isUserCreated: true, isDiscrete: false, ids: .none)
  }

  public override func detection(atOrBefore time: CMTime) -> CNDetection? { detection(nearest: time) }

  /// A detection stamped with the time; its rectangle is the original's, or empty.
  public override func detection(nearest time: CMTime) -> CNDetection? {
    let id = detectionID
    return CNDetection(
      time: time, detectionType: .fixedFocus, normalizedRect: originalDetection?.normalizedRect ?? .zero,
      focusDisparity: focusDisparity, detectionID: id.rawValue < 0 ? nil : id, detectionGroupID: nil)
  }
}
