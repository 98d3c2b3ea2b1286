import Cinematic
import CoreMedia
import Foundation
import Testing

@Suite struct ScriptTests {
  static let world = World(
    frameCount: 60, subjects: [Subject(1, 0...59, at: 1), Subject(2, 0...59, at: 2), Subject(3, 0...59, at: 3)])

  @Test func framesAreFoundWithinTheTolerance() throws {
    let script = try Self.world.script(base: [(0, 1)])
    let half = CMTime(value: 10, timescale: 600)
    #expect(script.frame(at: World.time(5), tolerance: .zero)?.time == World.time(5))
    #expect(script.frame(at: World.time(5) + half, tolerance: .zero) == nil)
    #expect(script.frame(at: World.time(5) + half, tolerance: half)?.time == World.time(5))
    #expect(script.frame(at: World.time(100), tolerance: World.time(1)) == nil)
    #expect(script.frame(at: World.time(100), tolerance: .positiveInfinity)?.time == World.time(59))
    #expect(script.frame(at: World.time(-9), tolerance: .positiveInfinity)?.time == .zero)
    #expect(script.frame(at: .invalid, tolerance: .positiveInfinity) == nil)
    #expect(script.frame(at: .indefinite, tolerance: .positiveInfinity) == nil)
    let range = CMTimeRange(start: World.time(10), end: World.time(12))
    #expect(script.frames(in: range).map(\.time) == [10, 11].map(World.time))
    #expect(script.frames(in: .invalid).isEmpty)
  }

  @Test func anEmptyScriptAnswers() {
    let script = CNScript(recorded: RecordedScript(timeRange: CMTimeRange(start: .zero, end: World.time(10))))
    #expect(script.frame(at: .zero, tolerance: .positiveInfinity) == nil && script.focus.isEmpty)
    #expect(script.primaryDecision(at: .zero) == nil && script.decisions(in: script.timeRange).isEmpty)
    #expect(!script.addUserDecision(weak(1, at: 0)))
    let fixed = script.addDetectionTrack(CNFixedDetectionTrack(focusDisparity: 1))
    #expect(script.addUserDecision(CNDecision(time: .zero, detectionID: fixed, strong: true)))
    #expect(script.changes().userDecisions.count == 1)
    #expect(CNScript(recorded: RecordedScript(timeRange: .zero)).changes().userDecisions.isEmpty)
  }

  @Test func framesOutOfOrderAreRefused() throws {
    var script = RecordedScript(timeRange: CMTimeRange(start: .zero, end: World.time(10)))
    try script.append(RecordedFrame(time: World.time(3)))
    for time in [World.time(3), World.time(2), World.time(10), .invalid, .positiveInfinity] {
      let error = #expect(throws: CNCinematicError.self) { try script.append(RecordedFrame(time: time)) }
      #expect(error?.code == .malformed)
    }
    #expect(script.frameCount == 1)
  }

  @Test func theFNumberMustBeOne() throws {
    let script = try Self.world.script(base: [(0, 1)], fNumber: 2.8)
    for value: Float in [0, -1, .nan, .infinity] {
      script.fNumber = value
      #expect(script.fNumber == 2.8)
    }
    script.fNumber = 16
    #expect(script.fNumber == 16 && script.changes().fNumber == 16)
    script.reload(changes: nil)
    #expect(script.fNumber == 2.8)
  }

  /// Changes from many threads all count, and look-ups among them see one state or another.
  @Test func manyThreads() async throws {
    let script = try Self.world.script(base: [(0, 1)])
    await withTaskGroup(of: Bool.self) { group in
      for frame in 1..<60 {
        group.addTask { script.addUserDecision(strong(Int64(1 + frame % 3), at: frame)) }
        group.addTask {
          let frames = script.frames(in: script.timeRange)
          return frames.count == 60 && frames.allSatisfy { $0.focusDisparity >= 1 && $0.focusDisparity <= 3 }
        }
      }
      for await isRight in group { #expect(isRight) }
    }
    #expect(script.userDecisions(in: script.timeRange).count == 59)
    let expected: [Int64] = (0..<60).map { Int64(1 + $0 % 3) }
    #expect(script.focused == expected)
  }
}

@Suite struct CinematicErrorTests {
  @Test func codesAndWords() {
    let codes: [CNCinematicError.Code] = [
      .unknown, .unreadable, .incomplete, .malformed, .unsupported, .incompatible, .cancelled,
    ]
    #expect(codes.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7])
    #expect(codes.map(\.name).first == "unknown" && codes.map(\.name).last == "cancelled")
    let error: any Error = CNCinematicError(.malformed, "Frame 7 is odd.")
    #expect(error.localizedDescription == "Frame 7 is odd.")
    #expect((error as NSError).domain == CNCinematicErrorDomain && (error as NSError).code == 4)
    #expect(Set(codes.map { CNCinematicError($0).localizedDescription }).count == 7)
    do { throw error } catch CNCinematicError.cancelled {
      Issue.record("malformed is not cancelled")
    } catch CNCinematicError.malformed {
      return
    } catch {
      Issue.record("malformed is malformed")
    }
  }

  /// What the container says becomes the code that a caller acts on, and keeps its words.
  @Test func containerErrorsKeepTheirWords() async {
    let asset = AVURLAsset(url: URL(fileURLWithPath: "/nowhere/at-all.mov"))
    let error = await #expect(throws: CNCinematicError.self) { try await CNScript(asset: asset) }
    #expect(error?.code == .unreadable && error?.localizedDescription.contains("at-all.mov") == true)
  }
}
