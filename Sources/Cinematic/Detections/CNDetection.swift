public import CoreMedia

/// A subject at one time: where it is in the picture and at which disparity it is sharp.
public struct CNDetection: Sendable, Hashable {
  /// The presentation time of the frame in which the subject was seen, in the movie's time.
  public let time: CMTime
  public let detectionType: CNDetectionType
  /// From (0, 0) at the top left to (1, 1) at the bottom right of the un-rotated (natural) frame.
  public let normalizedRect: CGRect
  /// The disparity that focuses on the subject. Larger is nearer.
  public let focusDisparity: Float
  /// The same subject as the same type over time; nil until the detection's track is part of a script.
  public internal(set) var detectionID: CNDetectionID?
  /// The same subject over related types; nil where there is no group.
  public internal(set) var detectionGroupID: CNDetectionGroupID?

  /// A detection for a custom track, without ids.
  public init(time: CMTime, detectionType: CNDetectionType, normalizedRect: CGRect, focusDisparity: Float) {
    self.init(
      time: time, detectionType: detectionType, normalizedRect: normalizedRect, focusDisparity: focusDisparity,
      detectionID: nil, detectionGroupID: nil)
  }

  package init(
    time: CMTime, detectionType: CNDetectionType, normalizedRect: CGRect, focusDisparity: Float,
    detectionID: CNDetectionID?, detectionGroupID: CNDetectionGroupID?
  ) {
    self.time = time
    self.detectionType = detectionType
    self.normalizedRect = normalizedRect
    self.focusDisparity = focusDisparity
    self.detectionID = detectionID
    self.detectionGroupID = detectionGroupID
  }

  /// What a person hears for the type: a broad category, in English. The words are ours, for Apple's are not documented.
  public static func accessibilityLabel(for detectionType: CNDetectionType) -> String {
    switch detectionType {
    case .humanFace, .humanHead, .humanTorso: "Person"
    case .catBody, .catHead, .dogBody, .dogHead: "Pet"
    case .sportsBall: "Ball"
    case .autoFocus: "Automatic focus"
    case .fixedFocus: "Fixed focus"
    default: "Object"
    }
  }

  /// Whether a disparity can be focused on: a number from 0, the farthest, to 10 000.
  package static func isValidDisparity(_ disparity: Float) -> Bool {
    disparity >= 0 && disparity <= 10_000
  }
}

extension CNDetection {
  /// The same detection at another time.
  func stamped(_ time: CMTime) -> CNDetection {
    CNDetection(
      time: time, detectionType: detectionType, normalizedRect: normalizedRect, focusDisparity: focusDisparity,
      detectionID: detectionID, detectionGroupID: detectionGroupID)
  }
}
