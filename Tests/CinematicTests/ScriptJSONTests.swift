import Cinematic
import CoreMedia
import Foundation
import QuickTime
import Testing

@Suite struct ScriptJSONTests {
  private static let world = World(
    frameCount: 40,
    subjects: [
      Subject(1, 0...39, group: 11) { 0.5 + Float($0) / 97 }, Subject(2, 10...30, group: 12, type: 102, at: 2.2),
    ])

  /// A recording with racks, a tap and a group, whose numbers need all their bits.
  private func recording() throws -> RecordedScript {
    let base = [(0, 1), (20, 2)].map { frame, id in
      CNDecision(
        time: World.time(frame), focusDetectionID: .single(CNDetectionID(Int64(id))), strong: false, user: false)
    }
    var script = try Self.world.recording().authored(base: base, taps: [strong(1, at: 25)], fNumber: 2.8)
    script.movieBlob = .written(fNumber: 2.8)
    return script
  }

  private func json(_ script: RecordedScript) throws -> Data {
    var data = Data()
    try script.writeJSON { data += $0 }
    return data
  }

  private func frames(_ script: RecordedScript) -> [RecordedFrame] { (0..<script.frameCount).map(script.frame) }

  @Test func `a script reads back as it was written`() throws {
    let script = try recording()
    let read = try RecordedScript(json: json(script))
    #expect(frames(read) == frames(script) && read.timeRange == script.timeRange)
    #expect(read.movieBlob == script.movieBlob)
    // Twice the same text.
    #expect(try json(read) == json(script))
  }

  @Test func `every bit of a number survives`() throws {
    var script = RecordedScript(timeRange: CMTimeRange(start: .zero, end: World.time(200)))
    var generator = Random(state: 7)
    for index in 0..<200 {
      var frame = RecordedFrame(time: World.time(index))
      (frame.fNumber, frame.focusDisparity, frame.rawFocusDisparity) = (
        generator.float(), generator.float(), generator.float()
      )
      frame.detections = [
        CinematicDetection(
          trackID: .max - Int64(index), groupID: -1, type: UInt32(index), focusDisparity: generator.float(),
          x: generator.float(), y: generator.float(), width: generator.float(), height: generator.float())
      ]
      frame.flags = .init(rawValue: UInt32.max - UInt32(index))
      frame.userFocusTrackID = .max
      try script.append(frame)
    }
    #expect(try frames(RecordedScript(json: json(script))) == frames(script))
  }

  @Test func `what JSON cannot say reads as what holds without it`() throws {
    var script = RecordedScript(timeRange: CMTimeRange(start: .zero, end: World.time(1)))
    var frame = RecordedFrame(time: .zero)
    frame.focusDisparity = .nan
    frame.fNumber = .infinity
    frame.detections = [
      CinematicDetection(
        trackID: 1, groupID: -1, type: 1, focusDisparity: .nan, x: .nan, y: 0, width: .infinity, height: 1)
    ]
    try script.append(frame)
    let read = try RecordedScript(json: json(script)).frame(0)
    #expect(read.focusDisparity == RecordedFrame.standardFocusDisparity)
    #expect(read.fNumber == RecordedFrame.standardFNumber)
    #expect(read.detections[0].focusDisparity.isNaN && read.detections[0].x == 0 && read.detections[0].width == 0)
  }

  @Test func `metadata samples hold the same frames`() throws {
    let script = try recording(), keys = CinematicLocalIDs(CinematicKey.writtenKeyTable)
    for index in 0..<script.frameCount {
      let frame = script.frame(index)
      let metadata = FrameMetadata(sample: script.metadataBytes(index), keys: keys)
      let header = try #require(metadata.frame?.header), detections = try #require(metadata.frame?.detections)
      #expect(RecordedFrame(time: frame.time, header: header, detections: detections) == frame)
      #expect(
        metadata.rendering?.focusDisparity == frame.focusDisparity && metadata.rendering?.fNumber == frame.fNumber)
      #expect(metadata.focusDisparity == frame.focusDisparity && metadata.fNumber == frame.fNumber)
      #expect(metadata.problems == [] && metadata.invalidValues == [])
    }
  }

  @Test func `decisions are worked out as a phone would have`() throws {
    var object = try #require(JSONSerialization.jsonObject(with: json(Self.world.recording())) as? [String: Any])
    object["aperture"] = 4
    object["decisions"] = [
      ["time": "20/30", "detection": 2], ["time": 0, "detection": 1],
      ["time": "25/30", "group": 11, "user": true, "strong": true],
    ]
    let read = try RecordedScript(json: JSONSerialization.data(withJSONObject: object))
    let base = [(0, 1), (20, 2)].map { frame, id in
      CNDecision(
        time: World.time(frame), focusDetectionID: .single(CNDetectionID(Int64(id))), strong: false, user: false)
    }
    let tap = CNDecision(time: World.time(25), detectionGroupID: CNDetectionGroupID(11), strong: true)
    #expect(try frames(read) == frames(Self.world.recording().authored(base: base, taps: [tap], fNumber: 4)))
    let script = CNScript(recorded: read)
    #expect(script.baseDecisions(in: script.timeRange).map(\.time) == [World.time(0), World.time(20)])
    #expect(script.userDecisions(in: script.timeRange).map(\.focusDetectionID) == [.group(CNDetectionGroupID(11))])
  }

  @Test func `without a time range the last frame lasts as long as the one before`() throws {
    let read = try script(#""frames": [{"time": "1/30"}, {"time": "3/30"}]"#)
    #expect(read.timeRange == CMTimeRange(start: CMTime(value: 1, timescale: 30), end: CMTime(value: 5, timescale: 30)))
    #expect(try script(#""frames": [{"time": 2}]"#).timeRange.end == CMTime(value: 61, timescale: 30))
  }

  private func script(_ members: String) throws -> RecordedScript {
    try RecordedScript(json: Data("{\"schema\": \"cinematic-script\", \(members)}".utf8))
  }

  @Test(arguments: [
    (#""frames": 1"#, "“frames”"), (#""frames": [1]"#, "“frames”"), (#""frames": []"#, "no frames"),
    (#""time_range": {"start": "0/1", "end": "9/0"}, "frames": []"#, "“time_range.end”"),
    (#""time_range": {"start": "5/1", "end": "2/1"}, "frames": []"#, "“time_range.end”"),
    (#""time_range": 7, "frames": []"#, "“time_range”"),
    (#""frames": [{}]"#, "“frames.time”"), (#""frames": [{"time": "1/2/3"}]"#, "“frames.time”"),
    (#""frames": [{"time": 1}, {"time": 1}]"#, "Frame 1"), (#""frames": [{"time": 1}, {"time": 0}]"#, "Frame"),
    (#""frames": [{"time": 0, "focus_id": 1.5}]"#, "“frames.focus_id”"),
    (#""frames": [{"time": 0, "focus_id": true}]"#, "“frames.focus_id”"),
    (#""frames": [{"time": 0, "aperture": "2"}]"#, "“frames.aperture”"),
    (#""frames": [{"time": 0, "aperture": 1e300}]"#, "“frames.aperture”"),
    (#""frames": [{"time": 0, "flags": -1}]"#, "“frames.flags”"),
    (#""frames": [{"time": 0, "flags": 4294967296}]"#, "“frames.flags”"),
    (#""frames": [{"time": 0, "detections": [{"rect": [0, 0, 1, 1]}]}]"#, "“frames.detections.id”"),
    (#""frames": [{"time": 0, "detections": [{"id": 1, "rect": [0, 0, 1]}]}]"#, "“frames.detections.rect”"),
    (#""frames": [{"time": 0, "detections": [{"id": 1, "rect": [0, 0, 1, "1"]}]}]"#, "“frames.detections.rect”"),
    (
      #""frames": [{"time": 0, "detections": [{"id": 1, "type": -1, "rect": [0, 0, 1, 1]}]}]"#,
      "“frames.detections.type”"
    ),
    (#""movie_blob": "?", "frames": [{"time": 0}]"#, "“movie_blob”"),
    (#""movie_blob": 1, "frames": [{"time": 0}]"#, "“movie_blob”"),
    (#""frames": [{"time": 0}], "decisions": {}"#, "“decisions”"),
    (#""frames": [{"time": 0}], "decisions": [{"time": 0}]"#, "“decisions”"),
    (#""frames": [{"time": 0}], "decisions": [{"time": 0, "detection": 1, "group": 1}]"#, "“decisions”"),
    (#""frames": [{"time": 0}], "decisions": [{"time": 0, "detection": 1, "strong": 1}]"#, "“decisions.strong”"),
    (#""frames": [{"time": 0}], "decisions": [], "aperture": "wide""#, "“aperture”"),
  ])
  func `a wrong member is named`(members: String, name: String) throws {
    let error = #expect(throws: CNCinematicError.self) { try script(members) }
    #expect(error?.code == .malformed && error?.description.contains(name) == true, "\(error?.description ?? "")")
  }

  @Test func `other files and impossible decisions are refused`() throws {
    func code(_ text: String) -> CNCinematicError.Code? {
      do {
        _ = try RecordedScript(json: Data(text.utf8))
        return nil
      } catch { return (error as? CNCinematicError)?.code }
    }
    for text in ["", "[]", "{", "null", "7"] { #expect(code(text) == .malformed) }
    #expect(code("{}") == .unsupported && code(#"{"schema": "cinematic-changes"}"#) == .unsupported)
    let frame = #"{"time": 0, "detections": [{"id": 1, "group": 5, "rect": [0, 0, 1, 1], "disparity": 1}]}"#
    func decided(_ decision: String) -> CNCinematicError.Code? {
      code(#"{"schema": "cinematic-script", "frames": [\#(frame)], "decisions": [\#(decision)]}"#)
    }
    #expect(decided(#"{"time": 0, "detection": 1}"#) == nil)
    #expect(decided(#"{"time": 0, "detection": 2}"#) == .incompatible)
    #expect(decided(#"{"time": 9, "detection": 1}"#) == .incompatible)
    #expect(decided(#"{"time": 0, "group": 5}"#) == .unsupported)
  }

  @Test func `frames take other times`() throws {
    let script = try recording()
    let times = (0..<40).map { CMTime(value: Int64($0) * 1001, timescale: 24_000) }
    let range = CMTimeRange(start: .zero, end: CMTime(value: 40 * 1001, timescale: 24_000))
    let retimed = try script.retimed(times, range)
    #expect(retimed.times == times && retimed.timeRange == range && retimed.movieBlob == script.movieBlob)
    var first = script.frame(20)
    first.time = times[20]
    #expect(retimed.frame(20) == first)
    #expect(throws: CNCinematicError.self) { try script.retimed(Array(times.dropLast()), range) }
  }
}

/// Numbers that are the same in every run (xorshift64*, Marsaglia 2003).
private struct Random {
  var state: UInt64

  mutating func bits() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }

  /// A number of any size with all bits of its fraction at random.
  mutating func float() -> Float {
    let exponent = Int(bits() % 200) - 100
    return Float(sign: .plus, exponent: exponent, significand: 1 + Float(bits() >> 41) / Float(1 << 23))
  }
}
