import Cinematic
import CoreMedia
import QuickTime
import Testing

@Suite struct DecisionRuleTests {
  enum Kind: CaseIterable { case base, weak, strong }

  struct Choice: Hashable {
    var kind: Kind
    var subject: Int64
    var frame: Int
    var isUser: Bool { kind != .base }
  }

  static let frameCount = 6
  /// 1 and 2 stay, 3 is there on frames 1 to 3.
  static let lastFrames: [Int64: Int] = [1: 5, 2: 5, 3: 3]

  static let world = World(
    frameCount: frameCount, subjects: [Subject(1, 0...5, at: 1), Subject(2, 0...5, at: 2), Subject(3, 1...3, at: 3)])

  /// The rules once more, frame by frame: who is in focus, -1 for nobody.
  static func oracle(_ choices: [Choice]) -> [Int64] {
    var user: Choice?
    var base: Choice?
    return (0..<frameCount).map { frame in
      let here = choices.filter { $0.frame == frame }
      if let newBase = here.first(where: { !$0.isUser }) {
        base = newBase
        if user?.kind == .weak { user = nil }
      }
      if let newUser = here.first(where: \.isUser) { user = newUser }
      if let held = user, frame > lastFrames[held.subject]! { user = nil }
      let alive = base.flatMap { frame <= lastFrames[$0.subject]! ? $0.subject : nil }
      return user?.subject ?? alive ?? -1
    }
  }

  /// A script with the base choices recorded and the others added.
  static func script(_ base: [Choice]) throws -> CNScript {
    CNScript(
      recorded: try world.recording { frame, index in
        frame.baseFocusTrackID = base.last { $0.frame <= index }?.subject ?? -1
      })
  }

  static func decision(_ choice: Choice) -> CNDecision {
    choice.kind == .strong ? strong(choice.subject, at: choice.frame) : weak(choice.subject, at: choice.frame)
  }

  static func all(_ kinds: [Kind], _ subjects: [Int64]) -> [Choice] {
    kinds.flatMap { kind in
      subjects.flatMap { subject in (0..<frameCount).map { Choice(kind: kind, subject: subject, frame: $0) } }
    }
  }

  /// Every choice of up to `count` of the options with at most one a frame, in order of frames.
  static func choices(_ options: [Choice], upTo count: Int) -> [[Choice]] {
    guard count > 0 else { return [[]] }
    var sets: [[Choice]] = [[]]
    for (index, option) in options.enumerated() {
      for rest in choices(Array(options[(index + 1)...]), upTo: count - 1)
      where !rest.contains(where: { $0.frame == option.frame }) {
        sets.append(([option] + rest).sorted { $0.frame < $1.frame })
      }
    }
    return sets
  }

  /// Every script of up to four decisions over six frames, against the oracle.
  @Test func everySmallScript() throws {
    let users = Self.choices(Self.all([.weak, .strong], [2, 3]), upTo: 4)
    var count = 0
    for base in Self.choices(Self.all([.base], [1, 3]), upTo: 4) {
      // Two decisions for one subject in a row are one in a recording.
      guard zip(base, base.dropFirst()).allSatisfy({ $0.subject != $1.subject }) else { continue }
      let script = try Self.script(base)
      for user in users where base.count + user.count <= 4 {
        script.reload(changes: CNScript.Changes(userDecisions: user.map(Self.decision)))
        let expected = Self.oracle(base + user)
        // An expectation for each would take minutes.
        guard script.focused == expected else {
          Issue.record("\(base + user): \(script.focused), not \(expected)")
          return
        }
        count += 1
      }
    }
    #expect(count > 20_000)
  }

  /// The decision in effect, and the list of those in effect, say the same as the frames.
  @Test func theListSaysWhatTheFramesSay() throws {
    for base in Self.choices(Self.all([.base], [1, 3]), upTo: 2) {
      let script = try Self.script(base)
      for user in Self.choices(Self.all([.weak, .strong], [2, 3]), upTo: 2) {
        script.reload(changes: CNScript.Changes(userDecisions: user.map(Self.decision)))
        for (frame, focused) in script.focused.enumerated() {
          let time = World.time(frame)
          let primary = script.primaryDecision(at: time)
          let last = script.decision(before: time + CMTime(value: 1, timescale: 600))
          let expected: CNDecision.FocusDetectionID? = focused < 0 ? nil : .single(CNDetectionID(focused))
          if primary?.focusDetectionID != expected || (focused >= 0 && last != primary) {
            Issue.record("\(base + user), frame \(frame): \(String(describing: primary)), \(String(describing: last))")
          }
        }
      }
    }
  }

  @Test func unknownSubjectsAndTimesOutsideAreRefused() throws {
    let script = try Self.script([])
    #expect(!script.addUserDecision(weak(9, at: 1)))
    #expect(!script.addUserDecision(weak(1, at: 6)))
    #expect(!script.addUserDecision(weak(1, at: -1)))
    #expect(!script.addUserDecision(CNDecision(time: .invalid, detectionID: CNDetectionID(1), strong: true)))
    #expect(!script.addUserDecision(CNDecision(time: .zero, detectionGroupID: CNDetectionGroupID(1), strong: true)))
    #expect(script.userDecisions(in: script.timeRange).isEmpty)
    let error = #expect(throws: CNCinematicError.self) { try script.add(weak(9, at: 1)) }
    #expect(error?.code == .incompatible)
    #expect(error?.localizedDescription.contains("detection 9") == true)
  }

  @Test func anotherDecisionAtTheSameTimeReplaces() throws {
    let script = try Self.script([Choice(kind: .base, subject: 1, frame: 0)])
    #expect(script.addUserDecision(weak(2, at: 2)))
    #expect(script.addUserDecision(strong(3, at: 2)))
    #expect(script.userDecisions(in: script.timeRange) == [strong(3, at: 2)])
    #expect(script.removeUserDecision(strong(3, at: 2)))
    #expect(!script.removeUserDecision(strong(3, at: 2)))
    #expect(script.focused == [1, 1, 1, 1, 1, 1])
  }

  @Test func baseDecisionsStay() throws {
    let script = try Self.script([
      Choice(kind: .base, subject: 1, frame: 0), Choice(kind: .base, subject: 3, frame: 2),
    ])
    let base = script.baseDecisions(in: script.timeRange)
    #expect(base.map(\.time) == [World.time(0), World.time(2)])
    #expect(base.allSatisfy { !$0.isUserDecision && !$0.isStrongDecision })
    #expect(!script.removeUserDecision(base[1]))
    script.removeAllUserDecisions()
    #expect(script.focused == [1, 1, 3, 3, -1, -1])
  }

  @Test func neighboursAreStrict() throws {
    let script = try Self.script([Choice(kind: .base, subject: 1, frame: 0)])
    script.addUserDecision(weak(2, at: 2))
    script.addUserDecision(weak(3, at: 3))
    #expect(script.decision(after: World.time(2)) == weak(3, at: 3))
    #expect(script.decision(before: World.time(2))?.focusDetectionID == .single(CNDetectionID(1)))
    #expect(script.decision(before: .zero) == nil)
    #expect(script.decision(after: World.time(4)) == nil)
    #expect(script.decision(at: World.time(2), tolerance: .zero) == weak(2, at: 2))
    #expect(script.decision(at: World.time(5), tolerance: World.time(1)) == script.decision(before: World.time(5)))
    // 3 ends on frame 3: the base resumes on frame 4, and is listed there.
    let resumed = script.decision(before: World.time(5))
    #expect(resumed?.time == World.time(4) && resumed?.isUserDecision == false)
    #expect(script.decisions(in: CMTimeRange(start: World.time(2), end: World.time(4))).count == 2)
  }
}

@Suite struct GroupTests {
  /// A person whose face (1) is seen on frames 0…2 and 6…9, head (2) on 0…4, torso (3) always; a dog's body (5) and head (6).
  static let world = World(
    frameCount: 10,
    subjects: [
      Subject(3, 0...9, group: 7, type: 3, at: 3), Subject(2, 0...4, group: 7, type: 2, at: 2),
      Subject(1, 0...2, group: 7, type: 1, at: 1), Subject(4, 6...9, group: 7, type: 1, at: 4),
      Subject(5, 0...8, group: 8, type: 5, at: 5), Subject(6, 2...3, group: 8, type: 10, at: 6),
      Subject(9, 0...9, at: 9),
    ])

  static func group(_ id: Int64, at frame: Int, strong: Bool = true) -> CNDecision {
    CNDecision(time: World.time(frame), detectionGroupID: CNDetectionGroupID(id), strong: strong)
  }

  @Test func theBestMemberIsInFocus() throws {
    let script = try Self.world.script(base: [(0, 9)])
    #expect(script.addUserDecision(Self.group(7, at: 0)))
    #expect(script.focused == [1, 1, 1, 2, 2, 3, 4, 4, 4, 4])
    let frames = script.frames(in: script.timeRange)
    #expect(frames.allSatisfy { $0.bestDetection(for: CNDetectionGroupID(7)) == $0.focusDetection })
    #expect(frames[0].bestDetection(for: CNDetectionGroupID(99)) == nil)
  }

  @Test func aGroupEndsWithItsLastMember() throws {
    let script = try Self.world.script(base: [(0, 9)])
    script.addUserDecision(Self.group(8, at: 1))
    #expect(script.focused == [9, 5, 6, 6, 5, 5, 5, 5, 5, 9])
  }

  @Test func theTrackOfADecisionHasWhatItChooses() throws {
    let script = try Self.world.script(base: [(0, 9)])
    let track = try #require(script.detectionTrack(for: Self.group(8, at: 1)))
    #expect(track.isDiscrete && !track.isUserCreated)
    #expect(track.detectionGroupID == CNDetectionGroupID(8))
    #expect(track.detections(in: script.timeRange).map { $0.detectionID?.rawValue } == [5, 5, 6, 6, 5, 5, 5, 5, 5])
    #expect(script.detectionTrack(for: weak(77, at: 0)) == nil)
  }

  @Test func aRecordedGroupTapIsRead() throws {
    let script = try Self.world.script(base: [(0, 9)], taps: [Self.group(7, at: 3, strong: true)])
    #expect(script.userDecisions(in: script.timeRange) == [Self.group(7, at: 3, strong: true)])
    #expect(script.focused == [9, 9, 9, 2, 2, 3, 4, 4, 4, 4])
  }
}
