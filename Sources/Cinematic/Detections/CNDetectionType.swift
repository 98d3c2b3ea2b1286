/// What kind of thing was detected. Other numbers that a movie holds are kept: a value need not be one of the constants.
public struct CNDetectionType: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int

  /// Never nil; failable as the imported enumeration's initialiser is.
  public init?(rawValue: Int) {
    self.init(number: rawValue)
  }

  package init(number: Int) {
    rawValue = number
  }

  public static let unknown = CNDetectionType(number: 0)
  public static let humanFace = CNDetectionType(number: 1)
  public static let humanHead = CNDetectionType(number: 2)
  public static let humanTorso = CNDetectionType(number: 3)
  public static let catBody = CNDetectionType(number: 4)
  public static let dogBody = CNDetectionType(number: 5)
  public static let catHead = CNDetectionType(number: 9)
  public static let dogHead = CNDetectionType(number: 10)
  public static let sportsBall = CNDetectionType(number: 11)
  /// What the camera's autofocus chose.
  public static let autoFocus = CNDetectionType(number: 100)
  /// An explicit disparity.
  public static let fixedFocus = CNDetectionType(number: 101)
  /// Found by a custom tracker.
  public static let custom = CNDetectionType(number: 102)
}

extension CNDetectionType {
  /// Which member of a group is focused on: the lowest rank that is present.
  ///
  ///     face  head  torso          →  face
  ///           head  torso          →  head
  ///                 torso  custom  →  torso
  var focusRank: Int {
    switch self {
    case .humanFace: 0
    case .humanHead, .catHead, .dogHead: 1
    case .humanTorso: 2
    case .catBody, .dogBody: 3
    case .sportsBall: 4
    case .custom: 5
    case .autoFocus: 6
    case .fixedFocus: 7
    default: 8
    }
  }
}
