import CoreMedia
public import Foundation

extension CNScript.Changes {
  private static let members: Set<String> = [
    "schema", "version", "fNumber", "movie", "userDecisions", "addedDetectionTracks",
  ]

  /// The changes for people and for comparisons: JSON, sorted and indented, with everything that the binary form has.
  public var jsonRepresentation: Data {
    var object: ChangesJSON.Object = ["schema": ChangesJSON.schema, "version": Int(ChangesSchema.majorVersion)]
    object["fNumber"] = setFNumber
    if let movie {
      object["movie"] = ["fingerprint": String(movie.hash, radix: 16), "frames": movie.frameCount] as [String: Any]
    }
    object["userDecisions"] = setDecisions.map { decisions in
      decisions.map { $0.jsonObject(unknown.decisions[$0] ?? []) }
    }
    if !addedDetectionTracks.isEmpty {
      object["addedDetectionTracks"] = addedDetectionTracks.map {
        AddedTrackParts($0).jsonObject(unknown.tracks[$0.detectionID.rawValue] ?? [])
      }
    }
    ChangesJSON.add(unknown.fields, to: &object, known: Self.members)
    let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Everything in the object is a string, a finite number, a list or an object, so that writing cannot fail.
    return (try? JSONSerialization.data(withJSONObject: object, options: options)) ?? Data()
  }

  /// Reads the JSON view. Throws `CNCinematicError`: `.malformed` with the member that is wrong, `.unsupported` for another schema.
  public init(jsonRepresentation: Data) throws {
    guard jsonRepresentation.count <= ChangesSchema.maximumBytes,
      let object = try? JSONSerialization.jsonObject(with: jsonRepresentation) as? ChangesJSON.Object
    else { throw CNCinematicError(.malformed, "The changes are not a JSON object; check them with a JSON tool.") }
    guard object["schema"] as? String == ChangesJSON.schema else {
      throw CNCinematicError(
        .unsupported, "The JSON has no \"schema\": \"\(ChangesJSON.schema)\"; choose a file that holds changes.")
    }
    let version =
      try object["version"].map { value throws(CNCinematicError) in try ChangesJSON.integer(value, "version") } ?? 1
    guard version == Int64(ChangesSchema.majorVersion) else {
      throw CNCinematicError(
        .unsupported, "The changes have version \(version), while 1 is understood; open them with a newer version.")
    }
    self.init()
    try read(object)
  }

  private mutating func read(_ object: ChangesJSON.Object) throws(CNCinematicError) {
    if let value = object["fNumber"] { setFNumber = try ChangesJSON.float(value, "fNumber") }
    if let value = object["movie"] { movie = try ScriptFingerprint(ChangesJSON.object(value, "movie")) }
    if let value = object["userDecisions"] {
      setDecisions = []
      for decision in try ChangesJSON.objects(value, "userDecisions") {
        let (decision, unknown) = try CNDecision.read(decision)
        try append(decision, unknown)
      }
    }
    if let value = object["addedDetectionTracks"] {
      for track in try ChangesJSON.objects(value, "addedDetectionTracks") {
        let (parts, unknown) = try AddedTrackParts.read(track)
        addedDetectionTracks.append(try parts.track())
        if !unknown.isEmpty { self.unknown.tracks[parts.id] = unknown }
      }
    }
    unknown.fields = try ChangesJSON.unknownFields(object, known: Self.members, "")
  }
}

extension ScriptFingerprint {
  fileprivate init(_ object: ChangesJSON.Object) throws(CNCinematicError) {
    guard let text = object["fingerprint"] as? String, let hash = UInt64(text, radix: 16) else {
      throw ChangesJSON.wrong("movie.fingerprint", "a hexadecimal number in quotes")
    }
    let frames = try ChangesJSON.integer(object["frames"], "movie.frames")
    guard frames >= 0 else { throw ChangesJSON.wrong("movie.frames", "a number of frames") }
    self.init(frameCount: Int(frames), hash: hash)
  }
}

extension CNDecision {
  private static let members: Set<String> = ["time", "strong", "detection", "group"]

  fileprivate func jsonObject(_ unknown: [ChangesField]) -> ChangesJSON.Object {
    var object: ChangesJSON.Object = ["time": ChangesJSON.time(time), "strong": isStrongDecision]
    switch focusDetectionID {
    case .single(let id): object["detection"] = id.rawValue
    case .group(let id): object["group"] = id.rawValue
    }
    ChangesJSON.add(unknown, to: &object, known: Self.members)
    return object
  }

  /// From an object of the list with the name.
  init(_ object: ChangesJSON.Object, in list: String, user: Bool) throws(CNCinematicError) {
    let subject: FocusDetectionID
    switch (object["detection"], object["group"]) {
    case (let id?, nil): subject = .single(CNDetectionID(try ChangesJSON.integer(id, list + ".detection")))
    case (nil, let id?): subject = .group(CNDetectionGroupID(try ChangesJSON.integer(id, list + ".group")))
    default: throw ChangesJSON.wrong(list, "a list of decisions with either a detection or a group")
    }
    self.init(
      time: try ChangesJSON.time(object["time"], list + ".time"), focusDetectionID: subject,
      strong: try ChangesJSON.boolean(object["strong"], list + ".strong"), user: user)
  }

  fileprivate static func read(
    _ object: ChangesJSON.Object
  ) throws(CNCinematicError) -> (CNDecision, [ChangesField]) {
    let decision = try CNDecision(object, in: "userDecisions", user: true)
    return (decision, try ChangesJSON.unknownFields(object, known: members, "userDecisions."))
  }
}

extension AddedTrackParts {
  private static let members: Set<String> = ["id", "focusDisparity", "original", "detections"]

  fileprivate func jsonObject(_ unknown: [ChangesField]) -> ChangesJSON.Object {
    var object: ChangesJSON.Object = ["id": id]
    object["focusDisparity"] = focusDisparity
    object["original"] = original?.jsonObject
    if focusDisparity == nil { object["detections"] = detections.map(\.jsonObject) }
    ChangesJSON.add(unknown, to: &object, known: Self.members)
    return object
  }

  fileprivate static func read(
    _ object: ChangesJSON.Object
  ) throws(CNCinematicError) -> (AddedTrackParts, [ChangesField]) {
    let place = "addedDetectionTracks."
    var parts = AddedTrackParts()
    parts.id = try ChangesJSON.integer(object["id"], place + "id")
    if let value = object["focusDisparity"] {
      parts.focusDisparity = try ChangesJSON.float(value, place + "focusDisparity")
    }
    if let value = object["original"] {
      parts.original = try CNDetection(ChangesJSON.object(value, place + "original"))
    }
    if let value = object["detections"] {
      for detection in try ChangesJSON.objects(value, place + "detections") {
        parts.detections.append(try CNDetection(detection))
      }
    }
    return (parts, try ChangesJSON.unknownFields(object, known: members, place))
  }
}

extension CNDetection {
  fileprivate var jsonObject: ChangesJSON.Object {
    let rectangle = normalizedRect
    let values = [rectangle.origin.x, rectangle.origin.y, rectangle.size.width, rectangle.size.height]
    return [
      "time": ChangesJSON.time(time), "type": detectionType.rawValue, "disparity": focusDisparity,
      "rect": values.map { Float($0) },
    ]
  }

  fileprivate init(_ object: ChangesJSON.Object) throws(CNCinematicError) {
    let place = "addedDetectionTracks.detections."
    guard let list = object["rect"] as? [Any], list.count == 4 else {
      throw ChangesJSON.wrong(place + "rect", "[x, y, width, height]")
    }
    var values: [CGFloat] = []
    for value in list { values.append(CGFloat(try ChangesJSON.float(value, place + "rect"))) }
    self.init(
      time: try ChangesJSON.time(object["time"], place + "time"),
      detectionType: CNDetectionType(number: Int(try ChangesJSON.integer(object["type"], place + "type"))),
      normalizedRect: CGRect(x: values[0], y: values[1], width: values[2], height: values[3]),
      focusDisparity: try ChangesJSON.float(object["disparity"], place + "disparity"))
  }
}
