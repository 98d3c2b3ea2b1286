import CoreMedia
import Foundation
import QuickTime

// A recorded script for people and programs. Everything but `frames` is optional:
//
//     { "schema": "cinematic-script", "version": 1,
//       "time_range": { "start": "0/1", "end": "6/1" },
//       "movie_blob": "… base64 …",
//       "focal_length": 26,
//       "aperture": 2.8,
//       "decisions": [ { "time": "3/1", "detection": 2, "strong": false, "user": false } ],
//       "frames": [ { "time": "0/1", "focus_id": 1, "base_id": 1, "user_id": -1, "aperture": 2.8, "focus_disparity": 0.65,
//                     "raw_focus_disparity": 0.65, "coefficient": 1, "elapsed": 0, "duration": 0, "flags": 1,
//                     "detections": [ { "id": 1, "group": 11, "type": 1, "rect": [0.7, 0.65, 0.2, 0.2], "disparity": 0.65 } ] } ] }
//
// With `decisions` the focus is worked out from them, as a phone would have recorded it; without, the frames say it.

extension RecordedScript {
  private static let schema = "cinematic-script"
  /// The largest file that is read: two hours at 60 frames a second with four detections a frame.
  package static let maximumJSONBytes = 512 << 20

  /// Writes the JSON piece by piece, so that a long script needs no memory of its own.
  package func writeJSON(_ write: (Data) throws -> Void) throws {
    var head: ChangesJSON.Object = [
      "start": ChangesJSON.time(timeRange.start), "end": ChangesJSON.time(timeRange.end),
    ]
    head = ["schema": Self.schema, "version": 1, "time_range": head]
    head["movie_blob"] = movieBlob?.payload.base64EncodedString()
    // The blob says it for itself.
    if FocalLength.checked(movieBlob?.focalLength35mm) == nil { head["focal_length"] = itemFocalLength35mm }
    let text = try Self.text(head).dropLast()
    try write(text + Data(",\n\"frames\": [".utf8))
    for index in 0..<frameCount {
      try write(Data((index == 0 ? "\n" : ",\n").utf8) + Self.text(frame(index).jsonObject))
    }
    try write(Data("\n]}\n".utf8))
  }

  private static func text(_ object: ChangesJSON.Object) throws -> Data {
    try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
  }

  /// Reads the JSON. Throws `CNCinematicError`: `.malformed` with the member that is wrong.
  package init(json: Data) throws {
    guard json.count <= Self.maximumJSONBytes,
      let object = try? JSONSerialization.jsonObject(with: json) as? ChangesJSON.Object
    else { throw CNCinematicError(.malformed, "The script is not a JSON object; check it with a JSON tool.") }
    guard object["schema"] as? String == Self.schema else {
      throw CNCinematicError(
        .unsupported, "The JSON has no \"schema\": \"\(Self.schema)\"; choose a file that holds a script.")
    }
    let frames = try ChangesJSON.objects(object["frames"] ?? [], "frames").map(RecordedFrame.init(jsonObject:))
    var script = RecordedScript(timeRange: try Self.timeRange(object["time_range"], frames))
    if let text = object["movie_blob"] {
      guard let data = (text as? String).flatMap({ Data(base64Encoded: $0) }),
        let blob = try? CinematicMovieBlob(payload: data)
      else { throw ChangesJSON.wrong("movie_blob", "the movie's blob in base64") }
      script.movieBlob = blob
    }
    if let value = object["focal_length"] {
      guard let length = FocalLength.checked(try ChangesJSON.float(value, "focal_length")) else {
        throw ChangesJSON.wrong("focal_length", "a focal length in millimetres, 5 to 1000")
      }
      script.itemFocalLength35mm = length
    }
    for frame in frames { try script.append(frame) }
    self = try script.following(object)
  }

  private static func timeRange(_ value: Any?, _ frames: [RecordedFrame]) throws -> CMTimeRange {
    if let value {
      let object = try ChangesJSON.object(value, "time_range")
      let start = try ChangesJSON.time(object["start"], "time_range.start")
      let end = try ChangesJSON.time(object["end"], "time_range.end")
      guard start <= end else { throw ChangesJSON.wrong("time_range.end", "a time that is not before the start") }
      return CMTimeRange(start: start, end: end)
    }
    guard let first = frames.first, let last = frames.last else {
      throw CNCinematicError(.malformed, "The script has no frames; give it one for each picture.")
    }
    // The last frame is shown as long as the one before it. Times that do not rise are refused with the frame's number later.
    let step = frames.count > 1 ? last.time - frames[frames.count - 2].time : .zero
    return CMTimeRange(start: first.time, end: last.time + (step > .zero ? step : CMTime(value: 1, timescale: 30)))
  }

  /// With the focus that follows the object's decisions, if it has any.
  private func following(_ object: ChangesJSON.Object) throws -> RecordedScript {
    guard let value = object["decisions"] else { return self }
    var (base, taps): ([CNDecision], [CNDecision]) = ([], [])
    for object in try ChangesJSON.objects(value, "decisions") {
      let isTap = try ChangesJSON.boolean(object["user"], "decisions.user")
      let decision = try CNDecision(object, in: "decisions", user: isTap)
      if isTap { taps.append(decision) } else { base.append(decision) }
    }
    let fNumber = try object["aperture"].map { try ChangesJSON.float($0, "aperture") }
    return try authored(
      base: base, taps: taps, fNumber: fNumber ?? (frameCount > 0 ? frame(0).fNumber : RecordedFrame.standardFNumber))
  }
}

extension RecordedFrame {
  fileprivate var jsonObject: ChangesJSON.Object {
    let object: ChangesJSON.Object = [
      "time": ChangesJSON.time(time), "focus_id": focusTrackID, "base_id": baseFocusTrackID,
      "user_id": userFocusTrackID, "aperture": fNumber, "focus_disparity": focusDisparity,
      "raw_focus_disparity": rawFocusDisparity, "coefficient": transitionCoefficient, "elapsed": transitionElapsed,
      "duration": transitionDuration, "flags": flags.rawValue, "detections": detections.map(\.jsonObject),
    ]
    return object.withoutNonNumbers
  }

  fileprivate init(jsonObject object: ChangesJSON.Object) throws {
    self.init(time: try ChangesJSON.time(object["time"], "frames.time"))
    func number(_ name: String, _ standard: Float) throws -> Float {
      try object[name].map { try ChangesJSON.float($0, "frames." + name) } ?? standard
    }
    func id(_ name: String) throws -> Int64 {
      try object[name].map { try ChangesJSON.integer($0, "frames." + name) } ?? -1
    }
    (focusTrackID, baseFocusTrackID, userFocusTrackID) = (try id("focus_id"), try id("base_id"), try id("user_id"))
    fNumber = try number("aperture", fNumber)
    focusDisparity = try number("focus_disparity", focusDisparity)
    rawFocusDisparity = try number("raw_focus_disparity", focusDisparity)
    transitionCoefficient = try number("coefficient", transitionCoefficient)
    transitionElapsed = try number("elapsed", transitionElapsed)
    transitionDuration = try number("duration", transitionDuration)
    if let value = object["flags"] {
      guard let bits = UInt32(exactly: try ChangesJSON.integer(value, "frames.flags")) else {
        throw ChangesJSON.wrong("frames.flags", "a number of 32 bits")
      }
      flags = CinematicFrameHeader.Flags(rawValue: bits)
    }
    detections = try ChangesJSON.objects(object["detections"] ?? [], "frames.detections")
      .map(CinematicDetection.init(jsonObject:))
  }
}

extension CinematicDetection {
  fileprivate var jsonObject: ChangesJSON.Object {
    let rectangle = [x, y, width, height].map { $0.isFinite ? $0 : 0 }
    let object: ChangesJSON.Object = [
      "id": trackID, "group": groupID, "type": type, "rect": rectangle, "disparity": focusDisparity,
    ]
    return object.withoutNonNumbers
  }

  fileprivate init(jsonObject object: ChangesJSON.Object) throws {
    let place = "frames.detections."
    let rectangle = try (object["rect"] as? [Any] ?? []).map { try ChangesJSON.float($0, place + "rect") }
    guard rectangle.count == 4 else { throw ChangesJSON.wrong(place + "rect", "[x, y, width, height]") }
    func integer(_ name: String, _ standard: Int64) throws -> Int64 {
      try object[name].map { try ChangesJSON.integer($0, place + name) } ?? standard
    }
    guard let type = UInt32(exactly: try integer("type", 0)) else {
      throw ChangesJSON.wrong(place + "type", "a detection type")
    }
    self.init(
      trackID: try ChangesJSON.integer(object["id"], place + "id"),
      groupID: try integer("group", -1), type: type,
      focusDisparity: try object["disparity"].map { try ChangesJSON.float($0, place + "disparity") } ?? .nan,
      x: rectangle[0], y: rectangle[1], width: rectangle[2], height: rectangle[3])
  }
}

extension ChangesJSON.Object {
  /// JSON has neither NaN nor infinity: such members are left out, and read back as what holds without them.
  fileprivate var withoutNonNumbers: Self { filter { ($0.value as? Float)?.isFinite ?? true } }
}
