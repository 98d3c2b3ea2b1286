import Cinematic
import CoreMedia
import Foundation

/// Loads a movie's script, looks into it, edits it, and prints what that costs beside what is aimed at.
struct ScriptBenchmark {
  let url: URL

  func run() async throws {
    let before = Memory.resident
    let processor = clock()
    let (script, load) = try await measured { try await CNScript(asset: AVURLAsset(url: url)) }
    let busy = Double(clock() - processor) / Double(CLOCKS_PER_SEC)
    let frames = script.recorded.frameCount
    print("script of \(frames) frames with 4 detections each, \(Int(script.timeRange.duration.seconds / 60)) min")
    report("load", load, aim: 2, "s")
    report("  of processor time", busy, aim: 2, "s")
    report("memory", Double(Memory.resident - before) / 1e6, aim: 200, "MB")
    report("most memory", Double(Memory.peak - before) / 1e6, aim: 200, "MB")
    await lookUp(script, frames)
    await edit(script, frames)
  }

  /// The mean over many random times.
  private func lookUp(_ script: CNScript, _ frames: Int) async {
    let count = 100_000
    var index = 1
    let tolerance = LongMovie.time(1)
    let (found, frame) = await measured {
      (0..<count).reduce(into: 0) { found, _ in
        index = (index * 7919 + 12_345) % frames
        if script.frame(at: LongMovie.time(index), tolerance: tolerance) != nil { found += 1 }
      }
    }
    precondition(found == count, "every time has a frame")
    report("frame(at:)", frame / Double(count) * 1e6, aim: 5, "µs")
    let (_, decision) = await measured {
      for step in 0..<100 { _ = script.primaryDecision(at: LongMovie.time(step * frames / 100)) }
    }
    report("primaryDecision(at:)", decision / 100 * 1e6, aim: 1000, "µs")
  }

  private func edit(_ script: CNScript, _ frames: Int) async {
    let decision = CNDecision(time: LongMovie.time(frames / 2), detectionID: CNDetectionID(3), strong: true)
    let (_, add) = await measured { script.addUserDecision(decision) }
    report("addUserDecision", add * 1e3, aim: 50, "ms")
    let (_, clear) = await measured { script.removeAllUserDecisions() }
    report("removeAllUserDecisions", clear * 1e3, aim: 50, "ms")
    let (data, changes) = await measured { script.changes().dataRepresentation }
    report("changes as \(data.count) bytes", changes * 1e3, aim: 50, "ms")
  }

  private func measured<Value>(_ body: () async throws -> Value) async rethrows -> (Value, Double) {
    let clock = ContinuousClock()
    let start = clock.now
    let value = try await body()
    let duration = clock.now - start
    return (value, Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18)
  }

  private func report(_ name: String, _ value: Double, aim: Double, _ unit: String) {
    let padded = name.padding(toLength: 26, withPad: " ", startingAt: 0)
    print(padded + String(format: "%10.3f \(unit), %.2f of the aim of %g \(unit)", value, value / aim, aim))
  }
}

/// What the system says of this process, in bytes.
enum Memory {
  static var resident: Int { kilobytes("VmRSS:") * 1024 }
  static var peak: Int { kilobytes("VmHWM:") * 1024 }

  private static func kilobytes(_ key: String) -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(key) }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
  }
}
