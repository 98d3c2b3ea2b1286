import Cinematic
import CoreMedia

/// The decisions of a script as `info` and `edit list` show them.
struct DecisionList {
  let base: [CNDecision]
  let user: [CNDecision]
  private let firstFrame: CMTime?

  init(_ script: CNScript) {
    base = script.baseDecisions(in: script.timeRange)
    user = script.userDecisions(in: script.timeRange)
    firstFrame = script.recorded.times.first
  }

  var json: JSON {
    .object([
      ("base", .array(base.map(baseJSON))), ("user", .array(user.map(Self.userJSON))),
    ])
  }

  private func baseJSON(_ decision: CNDecision) -> JSON {
    .object([
      ("time", .time(decision.time)), ("id", .integer(decision.subjectID)),
      ("first_frame", .bool(decision.time == firstFrame)),
    ])
  }

  static func userJSON(_ decision: CNDecision) -> JSON {
    .object([
      ("time", .time(decision.time)), ("id", .integer(decision.subjectID)), ("group", .bool(decision.isForGroup)),
      ("strong", .bool(decision.isStrongDecision)),
    ])
  }
}

extension CNScript {
  /// For people: `f/2.8`.
  var apertureText: String { "f/\((Double(fNumber) * 100).rounded() / 100)".replacing(/\.0$/, with: "") }
}

extension CNDecision {
  /// The detection's or the group's id.
  var subjectID: Int {
    switch focusDetectionID {
    case .single(let id): Int(id.rawValue)
    case .group(let id): Int(id.rawValue)
    }
  }

  var isForGroup: Bool {
    if case .group = focusDetectionID { true } else { false }
  }

  /// For people: `2 (cat head)`, `group 12`, `5 (fixed focus at 1.20)`.
  func subjectText(in script: CNScript) -> String {
    if isForGroup { return "group \(subjectID)" }
    guard let track = script.detectionTrack(for: self) else { return "\(subjectID) (unknown)" }
    return "\(subjectID) (\(track.description(of: track)))"
  }
}

extension CNDetectionTrack {
  fileprivate func description(of track: CNDetectionTrack) -> String {
    guard let fixed = track as? CNFixedDetectionTrack else { return track.detectionType.text }
    return "fixed focus at \(FrameReport.short(fixed.focusDisparity))"
  }
}

extension CNDetectionType {
  /// For people.
  var text: String {
    switch self {
    case .unknown: "unknown"
    case .humanFace: "face"
    case .humanHead: "head"
    case .humanTorso: "torso"
    case .catBody: "cat"
    case .dogBody: "dog"
    case .catHead: "cat head"
    case .dogHead: "dog head"
    case .sportsBall: "ball"
    case .autoFocus: "autofocus"
    case .fixedFocus: "fixed focus"
    case .custom: "custom"
    default: "type \(rawValue)"
    }
  }
}
