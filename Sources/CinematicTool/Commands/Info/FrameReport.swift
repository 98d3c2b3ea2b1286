import Cinematic
import Foundation
import QuickTime

/// What `info --frames` tells about a shown frame: what is stored, and what follows from it.
struct FrameReport {
  let frame: MetadataMatcher.Frame

  private var metadata: FrameMetadata { frame.entry?.metadata ?? FrameMetadata() }

  var json: JSON {
    let focus = metadata.effectiveFocusDisparity
    return .object([
      ("index", .integer(frame.index)), ("time", .time(frame.time)), ("media_frame", .integer(frame.mediaFrame)),
      ("metadata_time", .optional(frame.entry) { .time($0.time) }),
      ("metadata_frame", .optional(frame.entry) { .integer($0.mediaFrame) }),
      ("focus_disparity", .number(focus.value)), ("aperture", .number(metadata.effectiveFNumber.value)),
      ("source", .string(focus.source.rawValue)), ("frame", .optional(metadata.frame?.header, Self.json)),
      ("rendering", .optional(metadata.rendering) { Self.pair($0.focusDisparity, $0.fNumber) }),
      ("floats", floats), ("detections", .array((metadata.frame?.detections ?? []).map(Self.json))),
    ])
  }

  private var floats: JSON {
    if metadata.focusDisparity == nil && metadata.fNumber == nil { return .null }
    return Self.pair(metadata.focusDisparity, metadata.fNumber)
  }

  private static func pair(_ disparity: Float?, _ fNumber: Float?) -> JSON {
    .object([("focus_disparity", .optional(disparity, JSON.number)), ("aperture", .optional(fNumber, JSON.number))])
  }

  private static func json(_ header: CinematicFrameHeader) -> JSON {
    .object([
      ("focus_id", .integer(Int(header.focusTrackID))), ("base_id", .integer(Int(header.baseFocusTrackID))),
      ("user_id", .integer(Int(header.userFocusTrackID))), ("aperture", .number(header.aperture)),
      ("focus_disparity", .number(header.focusDisparity)), ("raw_focus_disparity", .number(header.rawFocusDisparity)),
      ("coefficient", .number(header.transitionCoefficient)), ("elapsed", .number(header.transitionElapsed)),
      ("duration", .number(header.transitionDuration)), ("flags", .integer(Int(header.flags.rawValue))),
    ])
  }

  private static func json(_ detection: CinematicDetection) -> JSON {
    let rectangle = [detection.x, detection.y, detection.width, detection.height]
    return .object([
      ("id", .integer(Int(detection.trackID))), ("group", .integer(Int(detection.groupID))),
      ("type", .integer(Int(detection.type))), ("rect", .array(rectangle.map(JSON.number))),
      ("disparity", .number(detection.focusDisparity)),
    ])
  }

  static let heading = ["frame", "time", "focus", "f/", "from", "on", "base", "tap", "detections"]

  /// One line of the table for people, under `heading`.
  var row: [String] {
    let header = metadata.frame?.header
    let id = { (id: Int64?) in id.map { $0 < 0 ? "-" : "\($0)" } ?? "" }
    let detections = (metadata.frame?.detections ?? []).map { "\($0.trackID) at \(Self.short($0.focusDisparity))" }
    return [
      "#\(frame.index)", frame.time.time(preferredScale: 600).clockText,
      Self.short(metadata.effectiveFocusDisparity.value), Self.short(metadata.effectiveFNumber.value),
      metadata.effectiveFocusDisparity.source.rawValue, id(header?.focusTrackID), id(header?.baseFocusTrackID),
      id(header?.userFocusTrackID), detections.joined(separator: ", "),
    ]
  }

  static func short(_ value: Float) -> String {
    value.isFinite ? String(format: abs(value) < 100 ? "%.3f" : "%.1f", value) : "\(value)"
  }
}
