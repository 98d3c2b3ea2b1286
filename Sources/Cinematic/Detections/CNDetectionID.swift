/// One subject as one type of thing, over time. No two tracks of a script have the same id.
public struct CNDetectionID: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int64

  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  public init(_ rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// Ids count from 0; a negative one is that of a track which no script has.
  public static func isValidDetectionID(_ detectionID: CNDetectionID) -> Bool { detectionID.rawValue >= 0 }
}

/// One subject over the types of things it is: a person's face, head and torso are a group.
public struct CNDetectionGroupID: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int64

  public init(rawValue: Int64) {
    self.rawValue = rawValue
  }

  public init(_ rawValue: Int64) {
    self.rawValue = rawValue
  }

  /// Ids count from 0; a negative one stands for no group.
  public static func isValidDetectionGroupID(_ detectionGroupID: CNDetectionGroupID) -> Bool {
    detectionGroupID.rawValue >= 0
  }
}
