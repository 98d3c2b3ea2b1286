import Cinematic
import CoreMedia
import Foundation
import QuickTime
import Testing

@Suite struct RackTests {
  /// K(f/2) at 1080p for 26 mm: pixels of blur radius for each unit of disparity.
  static let radiusPerDisparity = 0.026 * 0.026 / 4 * 1920 / 0.036

  static func duration(_ change: Double) -> Double {
    min(max(0.3 + 0.12 * (radiusPerDisparity * abs(change)).squareRoot(), 0.3), 1.2)
  }

  static func minimumJerk(_ u: Double) -> Double { 10 * pow(u, 3) - 15 * pow(u, 4) + 6 * pow(u, 5) }

  static let world = World(
    frameCount: 120,
    subjects: [
      Subject(1, 0...119, at: 0.5), Subject(2, 0...119, at: 2), Subject(3, 0...119, at: 1), Subject(4, 20...70, at: 3),
    ])

  @Test func aRackFollowsTheCurveAndEndsAtTheDecision() throws {
    let script = try Self.world.script(base: [(0, 1)])
    script.addUserDecision(weak(2, at: 60))
    let duration = Self.duration(1.5)
    let range = script.timeRangeOfTransition(before: weak(2, at: 60))
    #expect(range.end == World.time(60))
    #expect(abs(range.duration.seconds - duration) < 1e-4)
    for (frame, focus) in script.focus.enumerated() {
      let u = (Double(frame) / 30 - (2 - duration)) / duration
      let expected = 0.5 + 1.5 * Self.minimumJerk(min(max(u, 0), 1))
      #expect(abs(Double(focus) - expected) < 1e-6, "frame \(frame)")
    }
  }

  @Test func primaryAndSecondaryDuringARack() throws {
    let script = try Self.world.script(base: [(0, 1)])
    script.addUserDecision(strong(2, at: 60))
    let base = script.baseDecisions(in: script.timeRange)[0]
    #expect(script.primaryDecision(at: World.time(30)) == base)
    #expect(script.secondaryDecision(at: World.time(30)) == nil)
    #expect(script.primaryDecision(at: World.time(59)) == base)
    #expect(script.secondaryDecision(at: World.time(59)) == strong(2, at: 60))
    #expect(script.primaryDecision(at: World.time(60)) == strong(2, at: 60))
    #expect(script.secondaryDecision(at: World.time(60)) == nil)
    #expect(script.primaryDecision(at: World.time(120)) == nil && script.primaryDecision(at: World.time(-1)) == nil)
    #expect(script.timeRangeOfTransition(after: base) == script.timeRangeOfTransition(before: strong(2, at: 60)))
    #expect(!script.timeRangeOfTransition(before: base).isValid)
    #expect(!script.timeRangeOfTransition(before: weak(3, at: 3)).isValid)
  }

  @Test func theSameSubjectAgainMovesNothing() throws {
    let script = try Self.world.script(base: [(0, 1)])
    let before = script.focus
    script.addUserDecision(strong(1, at: 40))
    #expect(script.focus == before)
    #expect(script.decisions(in: script.timeRange).count == 2)
  }

  @Test func closeDecisionsCompressTheirRacks() throws {
    let script = try Self.world.script(base: [(0, 1)])
    script.addUserDecision(weak(2, at: 50))
    script.addUserDecision(weak(3, at: 59))
    let range = script.timeRangeOfTransition(before: weak(3, at: 59))
    #expect(abs(range.duration.seconds - 0.3) < 1e-4)
    let focus = script.focus
    #expect(focus[50] == 2 && focus[59] == 1)
    script.addUserDecision(weak(1, at: 62))
    #expect(abs(script.timeRangeOfTransition(before: weak(1, at: 62)).duration.seconds - 0.2) < 1e-4)
    #expect(script.focus[62] == 0.5)
  }

  /// The last rack of several that overlap ends at its decision all the same.
  @Test func racksThatOverlapChain() throws {
    let script = try Self.world.script(base: [(0, 1)])
    for (index, id) in [Int64(2), 3, 4, 1, 2].enumerated() { script.addUserDecision(weak(id, at: 60 + 2 * index)) }
    let focus = script.focus
    #expect(focus[68] == 2)
    expectSmooth(focus, span: 2.5, shortest: 0.2)
    #expect(focus.allSatisfy { $0 >= 0.5 && $0 <= 3 })
  }

  /// Ends are tracked: a rack between moving subjects stays between them, and meets the new one.
  @Test func theEndsOfARackAreTracked() throws {
    let world = World(
      frameCount: 120,
      subjects: [Subject(1, 0...119) { 0.5 + Float($0) / 240 }, Subject(2, 0...119) { 3 - Float($0) / 120 }])
    let script = try world.script(base: [(0, 1)])
    script.addUserDecision(weak(2, at: 60))
    for (frame, focus) in script.focus.enumerated() {
      let (from, to) = (0.5 + Float(frame) / 240, 3 - Float(frame) / 120)
      #expect(focus >= from - 0.03 && focus <= to + 0.03)
      if frame >= 60 { #expect(abs(focus - to) < 0.03) }
    }
    expectSmooth(script.focus, span: 2.5, shortest: 0.3)
  }

  /// A decision in the first frames has no time before: its rack is under way when the movie starts.
  @Test func aRackMayBeginBeforeTheMovie() throws {
    let script = try Self.world.script(base: [(0, 1)])
    script.addUserDecision(weak(2, at: 3))
    let focus = script.focus
    #expect(focus[0] > 0.5 && focus[0] < focus[1] && focus[1] < focus[2] && focus[2] < 2 && focus[3] == 2)
    #expect(script.timeRangeOfTransition(before: weak(2, at: 3)).start == .zero)
    script.addUserDecision(weak(4, at: 0))
    #expect(script.focus[0] > 2)
  }

  /// Many random scripts: continuous, within the subjects' disparities, and at the subject once a decision's time has come.
  @Test(arguments: 0..<60) func randomScripts(_ seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    let script = try Self.world.script(base: [(0, 1), (45, 2), (90, 3)])
    for _ in 0..<random.next(8) {
      let frame = random.next(120)
      let id = Int64(1 + random.next(4))
      script.addUserDecision(random.next(2) == 0 ? weak(id, at: frame) : strong(id, at: frame))
    }
    let focus = script.focus
    expectSmooth(focus, span: 2.5, shortest: 0.2)
    #expect(focus.allSatisfy { $0 >= 0.5 - 1e-6 && $0 <= 3 + 1e-6 })
    let disparities: [Int64: Float] = [1: 0.5, 2: 2, 3: 1, 4: 3]
    for (frame, id) in script.focused.enumerated() where id >= 0 {
      guard script.secondaryDecision(at: World.time(frame)) == nil else { continue }
      #expect(abs(focus[frame] - disparities[id]!) < 1e-5, "frame \(frame)")
    }
  }
}

/// No step between frames is larger than the steepest minimum-jerk curve over the span makes.
func expectSmooth(_ focus: [Float], span: Float, shortest: Float, sourceLocation: SourceLocation = #_sourceLocation) {
  // The curve's greatest slope is 15/8; two racks that overlap add up.
  let limit = 2 * 1.875 * span / shortest / 30
  for (a, b) in zip(focus, focus.dropFirst()) {
    #expect(abs(b - a) <= limit, sourceLocation: sourceLocation)
  }
}

/// A small generator whose numbers are the same everywhere.
struct SplitMix {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  /// From 0 up to the limit, without it.
  mutating func next(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
