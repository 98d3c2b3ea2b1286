import Cinematic
import CoreMedia

/// A detection track as `info` tells of it.
struct SubjectReport {
  let id: CNDetectionID
  let group: CNDetectionGroupID?
  let type: CNDetectionType
  let isAdded: Bool
  private(set) var frames = 0
  private(set) var first: CMTime?
  private(set) var last: CMTime?
  private(set) var disparities: ClosedRange<Float>?

  /// All recorded tracks by rising id, then the added ones.
  static func all(in script: CNScript) -> [SubjectReport] {
    let recorded = script.recordedDetectionIDs.compactMap { script.detectionTrack(for: $0) }
    return (recorded + script.addedDetectionTracks).map { SubjectReport($0, script.timeRange) }
  }

  private init(_ track: CNDetectionTrack, _ range: CMTimeRange) {
    id = track.detectionID
    group = track.detectionGroupID
    type = track.detectionType
    isAdded = track.isUserCreated
    if let fixed = track as? CNFixedDetectionTrack { disparities = fixed.focusDisparity...fixed.focusDisparity }
    for detection in track.detections(in: range) { add(detection) }
  }

  private mutating func add(_ detection: CNDetection) {
    frames += 1
    first = first ?? detection.time
    last = detection.time
    let disparity = detection.focusDisparity
    guard disparity.isFinite else { return }
    let range = disparities ?? disparity...disparity
    disparities = min(range.lowerBound, disparity)...max(range.upperBound, disparity)
  }

  var json: JSON {
    .object([
      ("id", .integer(Int(id.rawValue))), ("group", .integer(Int(group?.rawValue ?? -1))),
      ("type", .integer(type.rawValue)), ("added", .bool(isAdded)), ("frames", .integer(frames)),
      ("first", .optional(first, JSON.time)), ("last", .optional(last, JSON.time)),
      ("disparity", .optional(disparities) { .array([.number($0.lowerBound), .number($0.upperBound)]) }),
    ])
  }

  /// One line of the table for people.
  var row: [String] {
    let times = first.map { "\($0.clockText) – \(last?.clockText ?? "")" } ?? "always"
    let range = disparities.map { range in
      let ends = [range.lowerBound, range.upperBound].map(FrameReport.short)
      return "disparity " + (ends[0] == ends[1] ? ends[0] : ends.joined(separator: " – "))
    }
    return [
      "\(id.rawValue)", type.text, group.map { "group \($0.rawValue)" } ?? "", times,
      frames > 0 ? "\(frames) frames" : "", range ?? "", isAdded ? "added" : "",
    ]
  }
}
