import Cinematic
import CoreMedia
import Foundation
import QuickTime
import Testing

@Suite struct ChangesTests {
  static let world = World(
    frameCount: 90,
    subjects: [
      Subject(1, 0...89, group: 5, at: 1), Subject(2, 0...89, group: 6, at: 2), Subject(3, 20...40, group: 6, at: 3),
    ])

  static func script() throws -> CNScript {
    try world.script(base: [(0, 1), (60, 2)], taps: [weak(2, at: 30)], fNumber: 2.8)
  }

  /// A script with every kind of edit.
  static func edited() throws -> CNScript {
    let script = try script()
    script.fNumber = 1.4
    let custom = CNCustomDetectionTrack(
      detections: (50...55).map { DetectionTrackTests.detection($0, 0.5 + Float($0) / 128) }, smooth: false)
    let id = script.addDetectionTrack(custom)
    let original = DetectionTrackTests.detection(3, 0.7)
    let fixed = script.addDetectionTrack(CNFixedDetectionTrack(originalDetection: original))
    script.addUserDecision(CNDecision(time: World.time(50), detectionID: id, strong: true))
    script.addUserDecision(CNDecision(time: World.time(10), detectionID: fixed, strong: false))
    script.addUserDecision(CNDecision(time: World.time(70), detectionGroupID: CNDetectionGroupID(5), strong: true))
    return script
  }

  static func expectEqual(
    _ a: CNScript.Changes, _ b: CNScript.Changes, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(a.dataRepresentation == b.dataRepresentation, sourceLocation: sourceLocation)
    #expect(a.jsonRepresentation == b.jsonRepresentation, sourceLocation: sourceLocation)
    #expect(a.userDecisions == b.userDecisions && a.fNumber == b.fNumber, sourceLocation: sourceLocation)
    #expect(
      a.addedDetectionTracks.map(\.detectionID) == b.addedDetectionTracks.map(\.detectionID),
      sourceLocation: sourceLocation)
  }

  @Test func untouchedChangesSayWhatWasRecorded() throws {
    let changes = try Self.script().changes()
    #expect(changes.fNumber == 2.8 && changes.userDecisions == [weak(2, at: 30)])
    #expect(changes.addedDetectionTracks.isEmpty)
  }

  @Test func binaryAndJSONComeBack() throws {
    let script = try Self.edited()
    let changes = script.changes()
    let binary = try #require(CNScript.Changes(dataRepresentation: changes.dataRepresentation))
    let json = try CNScript.Changes(jsonRepresentation: changes.jsonRepresentation)
    Self.expectEqual(binary, changes)
    Self.expectEqual(json, changes)
    #expect(changes.dataRepresentation.count < 400)
    for read in [binary, json] {
      let other = try Self.script()
      other.reload(changes: read)
      #expect(other.focus == script.focus && other.focused == script.focused && other.fNumber == 1.4)
      let tracks = other.addedDetectionTracks
      #expect((tracks[0] as? CNCustomDetectionTrack)?.allDetections.count == 6)
      #expect((tracks[1] as? CNFixedDetectionTrack)?.originalDetection?.time == World.time(3))
    }
  }

  @Test func removedTapsStayRemoved() throws {
    let script = try Self.script()
    script.removeAllUserDecisions()
    let read = try #require(CNScript.Changes(dataRepresentation: script.changes().dataRepresentation))
    let other = try Self.script()
    other.reload(changes: read)
    #expect(other.userDecisions(in: other.timeRange).isEmpty && other.focused == script.focused)
    other.reload(changes: nil)
    #expect(other.userDecisions(in: other.timeRange) == [weak(2, at: 30)])
  }

  @Test func theJSONIsReadable() throws {
    let script = try Self.script()
    script.addUserDecision(strong(3, at: 25))
    let object = try #require(
      try JSONSerialization.jsonObject(with: script.changes().jsonRepresentation) as? [String: Any])
    #expect(object["schema"] as? String == "cinematic-changes" && object["version"] as? Int == 1)
    let decisions = try #require(object["userDecisions"] as? [[String: Any]])
    #expect(decisions[0]["time"] as? String == "500/600" && decisions[0]["detection"] as? Int == 3)
    #expect(decisions[0]["strong"] as? Bool == true && decisions[1]["strong"] as? Bool == false)
    #expect((object["movie"] as? [String: Any])?["frames"] as? Int == 90)
  }

  @Test func handWrittenJSON() throws {
    let json = """
      {"schema": "cinematic-changes", "userDecisions": [{"time": 1.5, "detection": 1, "strong": true},
       {"time": "40/30", "group": 6}]}
      """
    let script = try Self.script()
    try script.apply(CNScript.Changes(jsonRepresentation: Data(json.utf8)))
    #expect(script.fNumber == 2.8)
    #expect(script.focused[40...44].allSatisfy { $0 == 3 || $0 == 2 } && script.focused[89] == 1)
    try script.apply(CNScript.Changes(jsonRepresentation: Data(#"{"schema": "cinematic-changes", "fNumber": 8}"#.utf8)))
    #expect(script.fNumber == 8 && script.userDecisions(in: script.timeRange) == [weak(2, at: 30)])
  }

  @Test(
    arguments: [
      ("", "JSON object"), ("[]", "JSON object"), ("{}", "schema"),
      (#"{"schema": "cinematic-changes", "version": 2}"#, "version 2"),
      (#"{"schema": "cinematic-changes", "version": 1.5}"#, "version"),
      (#"{"schema": "cinematic-changes", "fNumber": true}"#, "fNumber"),
      (#"{"schema": "cinematic-changes", "fNumber": 1e300}"#, "fNumber"),
      (#"{"schema": "cinematic-changes", "userDecisions": {}}"#, "userDecisions"),
      (#"{"schema": "cinematic-changes", "userDecisions": [{"time": "1/0", "detection": 1}]}"#, "time"),
      (#"{"schema": "cinematic-changes", "userDecisions": [{"time": "1/30"}]}"#, "userDecisions"),
      (#"{"schema": "cinematic-changes", "userDecisions": [{"time": 1, "detection": 1, "group": 2}]}"#, "either"),
      (#"{"schema": "cinematic-changes", "userDecisions": [{"time": 1, "detection": 1.5}]}"#, "detection"),
      (#"{"schema": "cinematic-changes", "userDecisions": [{"time": 1, "detection": 1, "strong": 1}]}"#, "strong"),
      (#"{"schema": "cinematic-changes", "movie": {"fingerprint": "xyz", "frames": 1}}"#, "fingerprint"),
      (#"{"schema": "cinematic-changes", "addedDetectionTracks": [{"id": -1, "focusDisparity": 1}]}"#, "id"),
      (#"{"schema": "cinematic-changes", "addedDetectionTracks": [{"id": 9, "focusDisparity": -1}]}"#, "disparity"),
      (#"{"schema": "cinematic-changes", "addedDetectionTracks": [{"id": 9, "detections": [{"time": 1}]}]}"#, "rect"),
      (#"{"schema": "cinematic-changes", "unknownFields": [{"tag": 1}]}"#, "unknownFields"),
    ])
  func badJSONIsRefusedWithTheMember(_ json: String, _ words: String) {
    let error = #expect(throws: CNCinematicError.self) {
      try CNScript.Changes(jsonRepresentation: Data(json.utf8))
    }
    #expect(error?.localizedDescription.contains(words) == true, "\(error?.localizedDescription ?? "")")
  }

  /// Fields of a later version survive both forms, at every level.
  @Test func unknownFieldsSurvive() throws {
    let json = """
      {"schema": "cinematic-changes", "version": 1, "mood": {"of": [1, 2.5, "x", null, true]}, "fNumber": 2,
       "userDecisions": [{"time": "30/30", "detection": 1, "strong": false, "why": "smile"}],
       "addedDetectionTracks": [{"id": 9, "focusDisparity": 0.5, "colour": "red"}],
       "unknownFields": [{"tag": 77, "data": "AQID"}, {"tag": 300, "data": ""}, {"tag": 18446744073709551615, "data": "BAUG"}]}
      """
    let changes = try CNScript.Changes(jsonRepresentation: Data(json.utf8))
    let binary = try #require(CNScript.Changes(dataRepresentation: changes.dataRepresentation))
    Self.expectEqual(binary, changes)
    let script = try Self.script()
    script.reload(changes: binary)
    script.addUserDecision(weak(3, at: 33))
    let text = String(decoding: script.changes().jsonRepresentation, as: UTF8.self)
    for word in ["\"mood\"", "2.5", "\"why\"", "\"smile\"", "\"colour\"", "77", "AQID", "300", "BAUG"] {
      #expect(text.contains(word), "\(word) in \(text)")
    }
    #expect(try CNScript.Changes(jsonRepresentation: Data(text.utf8)).userDecisions.count == 2)
  }

  @Test func tooManyDecisionsAreRefused() {
    let many = [CNDecision](repeating: weak(1, at: 1), count: CNScript.Changes.maximumDecisions + 1)
    let error = #expect(throws: CNCinematicError.self) {
      try CNScript.Changes(reading: CNScript.Changes(userDecisions: many).dataRepresentation)
    }
    #expect(error?.code == .unsupported && error?.localizedDescription.contains("1048576") == true)
  }

  /// Kept members with the names of known ones must not speak for them.
  @Test func keptMembersDoNotReplaceKnownOnes() throws {
    for members in [#"{"fNumber": 9}"#, #"{"unknownFields": 3}"#, #"{"mood": 1, "userDecisions": []}"#] {
      let field = #"{"tag": 15, "data": "\#(Data(members.utf8).base64EncodedString())"}"#
      let json = #"{"schema": "cinematic-changes", "unknownFields": [\#(field)]}"#
      let changes = try CNScript.Changes(jsonRepresentation: Data(json.utf8))
      let binary = try CNScript.Changes(reading: changes.dataRepresentation)
      Self.expectEqual(try CNScript.Changes(jsonRepresentation: binary.jsonRepresentation), changes)
      #expect(binary.userDecisions.isEmpty && binary.fNumber == 4)
    }
  }

  @Test func everyCorruptByteIsRefused() throws {
    let data = try Self.edited().changes().dataRepresentation
    for index in data.indices {
      #expect(CNScript.Changes(dataRepresentation: data.prefix(index)) == nil)
      // Byte 9 is the minor version: a later one is read.
      for bit in 0..<8 where index != 9 {
        var broken = data
        broken[index] ^= 1 << bit
        #expect(CNScript.Changes(dataRepresentation: broken) == nil)
      }
    }
  }

  /// Behind a right checksum any bytes are read or refused with a typed error.
  @Test func anyFieldsAreReadOrRefused() throws {
    let data = try Self.edited().changes().dataRepresentation
    var refused = 0
    for index in 14..<data.count {
      for bit in 0..<8 {
        var broken = data
        broken[index] ^= 1 << bit
        sign(&broken)
        do throws(CNCinematicError) {
          let changes = try CNScript.Changes(reading: broken)
          _ = changes.jsonRepresentation
          Self.expectEqual(try CNScript.Changes(reading: changes.dataRepresentation), changes)
        } catch {
          refused += 1
          #expect(error.code == .malformed)
        }
      }
    }
    #expect(refused > 100)
  }

  /// Writes the checksum of the fields, which start at byte 14.
  private func sign(_ data: inout Data) {
    let hash = data[14...].reduce(UInt32(0x811C_9DC5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    for index in 0..<4 { data[10 + index] = UInt8(truncatingIfNeeded: hash >> UInt32(24 - 8 * index)) }
  }

  @Test func otherFilesAndVersionsAreNamed() {
    let other = #expect(throws: CNCinematicError.self) { try CNScript.Changes(reading: Data("bplist00 whatever".utf8)) }
    #expect(other?.code == .unsupported)
    let later = #expect(throws: CNCinematicError.self) {
      try CNScript.Changes(reading: Data("cnchange".utf8) + Data([2, 0, 0, 0, 0, 0]))
    }
    #expect(later?.localizedDescription.contains("version 2") == true)
    #expect(CNScript.Changes(dataRepresentation: Data()) == nil)
  }

  @Test func changesThatDoNotFitAreRefused() throws {
    let script = try Self.script()
    script.addUserDecision(strong(1, at: 40))
    let before = script.changes()
    let other = try World(frameCount: 30, subjects: [Subject(1, 0...29, at: 1)]).script(base: [(0, 1)])
    let cases: [(CNScript.Changes, String)] = [
      (other.changes(), "30 frames"),
      (CNScript.Changes(userDecisions: [weak(99, at: 3)]), "detection 99"),
      (CNScript.Changes(userDecisions: [weak(1, at: 90)]), "outside"),
      (CNScript.Changes(fNumber: -1), "f-number"),
      (try CNScript.Changes(jsonRepresentation: Data(Self.takenID.utf8)), "taken"),
    ]
    for (changes, words) in cases {
      let error = #expect(throws: CNCinematicError.self) { try script.apply(changes) }
      #expect(error?.localizedDescription.contains(words) == true)
      #expect(script.objection(to: changes) == error)
      script.reload(changes: changes)
      Self.expectEqual(script.changes(), before)
    }
  }

  static let takenID =
    #"{"schema": "cinematic-changes", "addedDetectionTracks": [{"id": 1, "focusDisparity": 1}]}"#

  @Test func theSameMovieAtAnotherScaleIsTheSame() throws {
    let recorded = try Self.script().recorded
    var scaled = RecordedScript(timeRange: recorded.timeRange)
    for index in 0..<recorded.frameCount {
      var frame = recorded.frame(index)
      frame.time = CMTime(value: frame.time.value * 150, timescale: 90_000)
      try scaled.append(frame)
    }
    #expect(scaled.fingerprint == recorded.fingerprint)
    var frame = recorded.frame(0)
    frame.focusDisparity += 0.001
    var changed = RecordedScript(timeRange: recorded.timeRange)
    try changed.append(frame)
    for index in 1..<recorded.frameCount { try changed.append(recorded.frame(index)) }
    #expect(changed.fingerprint != recorded.fingerprint)
  }
}

@Suite struct TrimmingTests {
  static func range(_ first: Int, _ end: Int) -> CMTimeRange {
    CMTimeRange(start: World.time(first), end: World.time(end))
  }

  @Test func trimmedChangesFitTheTrimmedMovie() throws {
    let script = try ChangesTests.edited()
    let range = Self.range(45, 75)
    let changes = script.changes(trimmedBy: range)
    let trimmed = CNScript(recorded: script.recorded.trimmed(to: range))
    #expect(trimmed.timeRange == Self.range(0, 30))
    try trimmed.apply(changes)
    #expect(trimmed.focused == Array(script.focused[45..<75]))
    #expect(trimmed.fNumber == 1.4)
    #expect(changes.userDecisions.map(\.time) == [0, 5, 25].map(World.time))
    #expect(changes.addedDetectionTracks.count == 2)
  }

  @Test func aDecisionInEffectAtTheStartIsKept() throws {
    let script = try ChangesTests.script()
    script.addUserDecision(strong(2, at: 10))
    let changes = script.changes(trimmedBy: Self.range(20, 29))
    #expect(changes.userDecisions == [strong(2, at: 0)])
  }

  @Test func whatDoesNotAppearIsLeftOut() throws {
    let script = try ChangesTests.script()
    // 3 is there on frames 20 to 40.
    script.addUserDecision(strong(3, at: 35))
    let custom = CNCustomDetectionTrack(detections: [DetectionTrackTests.detection(80, 1)], smooth: false)
    script.addDetectionTrack(custom)
    let changes = script.changes(trimmedBy: Self.range(38, 60))
    #expect(changes.userDecisions == [strong(3, at: 0)] && changes.addedDetectionTracks.isEmpty)
    #expect(script.changes(trimmedBy: Self.range(45, 60)).userDecisions.isEmpty)
    #expect(script.changes(trimmedBy: Self.range(200, 300)).userDecisions.isEmpty)
  }
}
