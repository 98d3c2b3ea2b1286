import CoreMedia
public import Foundation

extension CNScript.Changes {
  /// Nil for data that is not the binary form of changes, or is damaged. Apple's own form is private and not read.
  public init?(dataRepresentation: Data) {
    do throws(CNCinematicError) {
      try self.init(reading: dataRepresentation)
    } catch {
      return nil
    }
  }

  /// Throws `.malformed` for damaged data, `.unsupported` for something else or a schema of another major version.
  package init(reading data: Data) throws(CNCinematicError) {
    guard data.count <= ChangesSchema.maximumBytes else {
      throw CNCinematicError(
        .unsupported, "The changes file has \(data.count) bytes, more than changes can have; choose another.")
    }
    guard data.prefix(ChangesSchema.name.utf8.count).elementsEqual(ChangesSchema.name.utf8) else {
      throw CNCinematicError(
        .unsupported, "The file holds no changes of a script; choose one that was saved as changes.")
    }
    var reader = ChangesReader(data)
    try reader.skip(ChangesSchema.name.utf8.count)
    let major = try reader.fixed(1)
    guard major == ChangesSchema.majorVersion else {
      throw CNCinematicError(
        .unsupported, "The changes have version \(major), while 1 is understood; open them with a newer version.")
    }
    self.init()
    unknown.minorVersion = max(UInt8(try reader.fixed(1)), ChangesSchema.minorVersion)
    let checksum = try reader.fixed(4)
    guard checksum == UInt64(ChangesSchema.checksum(reader.rest)) else {
      throw reader.damaged("does not have the checksum that it names")
    }
    for field in try reader.fields() { try read(field) }
  }

  private mutating func read(_ field: ChangesField) throws(CNCinematicError) {
    var reader = ChangesReader(field.payload)
    switch field.tag {
    case ChangesSchema.Tag.fNumber:
      let fNumber = try reader.float()
      guard fNumber.isFinite else { throw reader.damaged("has an f-number that is not a number") }
      setFNumber = fNumber
    case ChangesSchema.Tag.movie:
      let hash = try reader.fixed(8)
      movie = ScriptFingerprint(frameCount: Int(clamping: try reader.unsigned()), hash: hash)
    case ChangesSchema.Tag.decisionsAreSet: setDecisions = setDecisions ?? []
    case ChangesSchema.Tag.decision:
      let (decision, unknown) = try CNDecision.read(&reader)
      try append(decision, unknown)
    case ChangesSchema.Tag.track:
      let (track, unknown) = try CNDetectionTrack.read(&reader)
      addedDetectionTracks.append(track)
      if !unknown.isEmpty { self.unknown.tracks[track.detectionID.rawValue] = unknown }
    default: unknown.fields.append(field)
    }
  }

  /// The most user decisions that are read: ten a second for a day.
  package static let maximumDecisions = 1 << 20

  /// Takes a decision that was read. Throws `.unsupported` beyond the limit.
  mutating func append(_ decision: CNDecision, _ unknown: [ChangesField]) throws(CNCinematicError) {
    setDecisions = setDecisions ?? []
    guard userDecisions.count < Self.maximumDecisions else {
      throw CNCinematicError(
        .unsupported,
        "The changes have more than \(Self.maximumDecisions) decisions; remove some, or cut the movie into parts.")
    }
    setDecisions?.append(decision)
    if !unknown.isEmpty { self.unknown.decisions[decision] = unknown }
  }

  /// The compact binary form, which `ChangesSchema` describes. It is valid only with the movie that the changes were made for.
  public var dataRepresentation: Data {
    var fields = ChangesWriter()
    if let setFNumber { fields.field(ChangesSchema.Tag.fNumber) { $0.float(setFNumber) } }
    if let movie {
      fields.field(ChangesSchema.Tag.movie) {
        $0.fixed(movie.hash, 8)
        $0.unsigned(UInt64(movie.frameCount))
      }
    }
    if setDecisions != nil { fields.field(ChangesSchema.Tag.decisionsAreSet) { _ in } }
    for decision in setDecisions ?? [] {
      fields.field(ChangesSchema.Tag.decision) { decision.write(to: &$0, unknown.decisions[decision] ?? []) }
    }
    for track in addedDetectionTracks {
      fields.field(ChangesSchema.Tag.track) { track.write(to: &$0, unknown.tracks[track.detectionID.rawValue] ?? []) }
    }
    fields.fields(unknown.fields)
    var writer = ChangesWriter()
    writer.append(ChangesSchema.name)
    writer.fixed(UInt64(ChangesSchema.majorVersion), 1)
    writer.fixed(UInt64(unknown.minorVersion), 1)
    writer.fixed(UInt64(ChangesSchema.checksum(fields.bytes)), 4)
    return Data(writer.bytes + fields.bytes)
  }
}

extension CNDecision {
  fileprivate static func read(
    _ reader: inout ChangesReader
  ) throws(CNCinematicError) -> (decision: CNDecision, unknown: [ChangesField]) {
    var time: CMTime?
    var subject: FocusDetectionID?
    var isStrong = false
    var unknown: [ChangesField] = []
    for field in try reader.fields() {
      var payload = ChangesReader(field.payload)
      switch field.tag {
      case ChangesSchema.DecisionTag.time: time = try payload.time()
      case ChangesSchema.DecisionTag.detection: subject = .single(CNDetectionID(try payload.signed()))
      case ChangesSchema.DecisionTag.group: subject = .group(CNDetectionGroupID(try payload.signed()))
      case ChangesSchema.DecisionTag.strong: isStrong = true
      default: unknown.append(field)
      }
    }
    guard let time, let subject else { throw reader.damaged("has a decision without a time or a subject") }
    return (CNDecision(time: time, focusDetectionID: subject, strong: isStrong, user: true), unknown)
  }

  fileprivate func write(to writer: inout ChangesWriter, _ unknown: [ChangesField]) {
    writer.field(ChangesSchema.DecisionTag.time) { $0.time(time) }
    switch focusDetectionID {
    case .single(let id): writer.field(ChangesSchema.DecisionTag.detection) { $0.signed(id.rawValue) }
    case .group(let id): writer.field(ChangesSchema.DecisionTag.group) { $0.signed(id.rawValue) }
    }
    if isStrongDecision { writer.field(ChangesSchema.DecisionTag.strong) { _ in } }
    writer.fields(unknown)
  }
}

extension CNDetectionTrack {
  fileprivate static func read(
    _ reader: inout ChangesReader
  ) throws(CNCinematicError) -> (track: CNDetectionTrack, unknown: [ChangesField]) {
    var parts = AddedTrackParts()
    var unknown: [ChangesField] = []
    for field in try reader.fields() {
      var payload = ChangesReader(field.payload)
      switch field.tag {
      case ChangesSchema.TrackTag.id: parts.id = try payload.signed()
      case ChangesSchema.TrackTag.focusDisparity: parts.focusDisparity = try payload.float()
      case ChangesSchema.TrackTag.original: parts.original = try CNDetection.read(&payload)
      case ChangesSchema.TrackTag.detections:
        while !payload.isAtEnd { parts.detections.append(try CNDetection.read(&payload)) }
      default: unknown.append(field)
      }
    }
    return (try parts.track(), unknown)
  }

  fileprivate func write(to writer: inout ChangesWriter, _ unknown: [ChangesField]) {
    let parts = AddedTrackParts(self)
    writer.field(ChangesSchema.TrackTag.id) { $0.signed(parts.id) }
    if let disparity = parts.focusDisparity {
      writer.field(ChangesSchema.TrackTag.focusDisparity) { $0.float(disparity) }
    }
    if let original = parts.original { writer.field(ChangesSchema.TrackTag.original) { original.write(to: &$0) } }
    if parts.focusDisparity == nil {
      writer.field(ChangesSchema.TrackTag.detections) { for detection in parts.detections { detection.write(to: &$0) } }
    }
    writer.fields(unknown)
  }
}

extension CNDetection {
  fileprivate static func read(_ reader: inout ChangesReader) throws(CNCinematicError) -> CNDetection {
    let time = try reader.time()
    let type = CNDetectionType(number: Int(clamping: try reader.signed()))
    let disparity = try reader.float()
    let rectangle = CGRect(
      x: CGFloat(try reader.float()), y: CGFloat(try reader.float()), width: CGFloat(try reader.float()),
      height: CGFloat(try reader.float()))
    return CNDetection(time: time, detectionType: type, normalizedRect: rectangle, focusDisparity: disparity)
  }

  fileprivate func write(to writer: inout ChangesWriter) {
    writer.time(time)
    writer.signed(Int64(detectionType.rawValue))
    writer.float(focusDisparity)
    let rectangle = normalizedRect
    for value in [rectangle.origin.x, rectangle.origin.y, rectangle.size.width, rectangle.size.height] {
      writer.float(Float(value))
    }
  }
}
