public import CoreMedia

/// From when on the focus is on a subject.
public struct CNDecision: Sendable, Hashable {
  /// What a decision focuses on.
  public enum FocusDetectionID: Sendable, Hashable {
    case single(CNDetectionID)
    /// The best member of the group at each time.
    case group(CNDetectionGroupID)
  }

  /// The first time at which the subject is in focus; the rack towards it ends here.
  public let time: CMTime
  public let focusDetectionID: FocusDetectionID
  /// A strong decision holds over base decisions, until the next user decision or the end of its track. A weak one holds until the
  /// next decision, base or user, or the end of its track.
  public let isStrongDecision: Bool
  /// Made by a person, while recording or afterwards; false for the automatic base decisions.
  public let isUserDecision: Bool

  /// A user decision for one detection.
  public init(time: CMTime, detectionID: CNDetectionID, strong: Bool) {
    self.init(time: time, focusDetectionID: .single(detectionID), strong: strong, user: true)
  }

  /// A user decision for the best detection of a group at each time.
  public init(time: CMTime, detectionGroupID: CNDetectionGroupID, strong: Bool) {
    self.init(time: time, focusDetectionID: .group(detectionGroupID), strong: strong, user: true)
  }

  package init(time: CMTime, focusDetectionID: FocusDetectionID, strong: Bool, user: Bool) {
    self.time = time
    self.focusDetectionID = focusDetectionID
    isStrongDecision = strong
    isUserDecision = user
  }

  /// The same decision at another time.
  package func moved(to time: CMTime) -> CNDecision {
    CNDecision(time: time, focusDetectionID: focusDetectionID, strong: isStrongDecision, user: isUserDecision)
  }
}
