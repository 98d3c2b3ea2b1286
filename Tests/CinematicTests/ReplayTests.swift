import Cinematic
import CoreMedia
import Foundation
import QuickTime
import Testing

@Suite struct ReplayTests {
  /// Three subjects that move, with a jitter of the detector.
  static let world = World(
    frameCount: 300,
    subjects: [
      Subject(1, 0...299) { 0.6 + 0.1 * sin(Float($0) / 40) + 0.004 * Float($0 % 3) },
      Subject(2, 0...299) { 2 + 0.3 * cos(Float($0) / 50) - 0.004 * Float($0 % 5) },
      Subject(3, 30...260, at: 1.2),
    ])

  static func script(taps: [CNDecision] = []) throws -> CNScript {
    try world.script(base: [(0, 1), (100, 2), (200, 1)], taps: taps)
  }

  static func recording(_ script: CNScript) -> [Float] {
    (0..<script.recorded.frameCount).map { script.recorded.frame($0).focusDisparity }
  }

  @Test func withoutChangesTheRecordingIsReplayed() throws {
    let script = try Self.script(taps: [strong(3, at: 140), weak(1, at: 150)])
    #expect(script.focus == Self.recording(script))
    #expect(script.decisions(in: script.timeRange).map(\.time) == [0, 100, 140, 150, 200].map(World.time))
  }

  /// A foreign recording need not make sense to be replayed.
  @Test func anyNumbersAreReplayed() throws {
    let recording = try Self.world.recording { frame, index in
      frame.baseFocusTrackID = Int64(1 + index / 7 % 3)
      frame.userFocusTrackID = index % 40 < 15 ? Int64(1 + index / 40 % 3) : -1
      frame.focusDisparity = Float(index * 7919 % 1000) / 100
      frame.transitionDuration = index % 11 < 4 ? 0.3 : 0
      frame.transitionElapsed = Float(index % 11) / 30
      frame.transitionCoefficient = 0.5
    }
    let script = CNScript(recorded: recording)
    #expect(script.focus == Self.recording(script))
    script.addUserDecision(strong(1, at: 150))
    script.removeUserDecision(strong(1, at: 150))
    #expect(script.focus == Self.recording(script))
    script.addUserDecision(strong(1, at: 150))
    script.reload(changes: nil)
    #expect(script.focus == Self.recording(script))
  }

  /// Only what a change touches differs from the recording.
  @Test func theRestIsReplayed() throws {
    let script = try Self.script()
    let recording = Self.recording(script)
    script.addUserDecision(weak(3, at: 150))
    let focus = script.focus
    let rack = script.timeRangeOfTransition(before: weak(3, at: 150))
    for frame in 0..<300 where World.time(frame) < rack.start { #expect(focus[frame] == recording[frame]) }
    // The base's rack to subject 1 ends at 200 as before, from another subject.
    #expect(abs(focus[150] - 1.2) < 1e-5 && abs(focus[170] - 1.2) < 1e-5)
    #expect(Array(focus[200...]) == Array(recording[200...]))
    expectSmooth(focus, span: 2, shortest: 0.2)
  }

  /// A recorded rack whose subject stays in focus is gone, and the focus fades back to the recording without a jump.
  @Test func aRackThatIsGoneLeavesNoTrace() throws {
    let script = try Self.script()
    let recording = Self.recording(script)
    script.addUserDecision(strong(1, at: 50))
    let focus = script.focus
    // Recorded and effective subject are the same before the recorded rack and after the last one.
    #expect(Array(focus[..<80]) == Array(recording[..<80]))
    #expect(Array(focus[201...]) == Array(recording[201...]))
    for (a, b) in zip(focus, focus.dropFirst()) { #expect(abs(a - b) < 0.02) }
    #expect(focus.allSatisfy { $0 > 0.45 && $0 < 0.75 })
  }

  /// A new rack that overlaps a recorded one: both are planned anew, and both end on their decisions.
  @Test func anOverlappedRackIsPlannedAnew() throws {
    let script = try Self.script()
    script.addUserDecision(weak(3, at: 92))
    let base = script.baseDecisions(in: script.timeRange)
    #expect(abs(script.timeRangeOfTransition(before: base[1]).duration.seconds - 8.0 / 30) < 1e-4)
    #expect(abs(script.focus[92] - 1.2) < 1e-5)
    #expect(Array(script.focus[101...]) == Array(Self.recording(script)[101...]))
  }

  /// A tap's recorded rack starts with the tap; planned anew it ends there.
  @Test func aTapThatIsTouchedEndsItsRackAtItsTime() throws {
    let tap = strong(3, at: 140)
    let script = try Self.script(taps: [tap])
    let recorded = script.timeRangeOfTransition(before: tap)
    #expect(recorded.start == World.time(140) && recorded.duration.seconds > 0.3 && recorded.duration.seconds <= 0.5)
    #expect(script.primaryDecision(at: World.time(145))?.focusDetectionID == .single(CNDetectionID(2)))
    #expect(script.secondaryDecision(at: World.time(145)) == tap)
    #expect(abs(script.focus[140] - 1.2) > 0.3)
    script.addUserDecision(strong(1, at: 120))
    #expect(script.timeRangeOfTransition(before: tap).end == World.time(140))
    #expect(abs(script.focus[140] - 1.2) < 1e-5)
  }

  @Test func aTapCanBeRemovedAndComesBack() throws {
    let tap = weak(3, at: 140)
    let script = try Self.script(taps: [tap])
    let recording = Self.recording(script)
    #expect(script.removeUserDecision(tap))
    #expect(!script.focused.contains(3))
    #expect(abs(script.focus[160] - 2) < 0.4)
    #expect(script.addUserDecision(tap))
    #expect(script.focus == recording)
  }

  /// Nobody in focus: the focus stays where it was, and a fixed-focus detection says where.
  @Test func nobodyInFocus() throws {
    let world = World(frameCount: 90, subjects: [Subject(1, 0...30, at: 1), Subject(2, 0...89, at: 2)])
    let script = try world.script(base: [(0, 1), (60, 2)])
    let frame = try #require(script.frame(at: World.time(40), tolerance: .zero))
    #expect(frame.focusDetection.detectionType == .fixedFocus)
    #expect(frame.focusDetection.detectionID == nil && frame.focusDetection.detectionGroupID == nil)
    #expect(frame.focusDetection.normalizedRect.isEmpty)
    #expect(frame.focusDetection.focusDisparity == frame.focusDisparity && frame.focusDisparity == 1)
    #expect(script.primaryDecision(at: World.time(40)) == nil)
    script.addUserDecision(weak(2, at: 10))
    #expect(script.focus[40] == 2)
    script.reload(changes: nil)
    script.addUserDecision(weak(2, at: 35))
    script.addUserDecision(weak(1, at: 36))
    #expect(script.focus[50] != 1)
  }
}
