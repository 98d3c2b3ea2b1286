import Foundation
import Synchronization

/// Progress of a long command: a bar on a terminal, lines of JSON for programs, or nothing.
///
/// Lines of JSON go to standard error, each an object
/// `{"progress": {"done": 30, "total": 180, "frames_per_second": 12.5, "seconds_left": 12.0}}`, at most ten a second
/// and one at the end; `total` and `seconds_left` are null where they are not known. Safe to use from any thread.
package final class ProgressReporter: Sendable {
  package enum Kind: String, Sendable {
    case bar, json, none
  }

  private struct State {
    var done = 0
    var drawn: Double = -1
    var isFinished = false
  }

  private let console: Console
  private let kind: Kind
  private let title: String
  private let total: Int?
  private let unit: String
  private let now: @Sendable () -> Double
  private let start: Double
  private let state = Mutex(State())

  /// - Parameters:
  ///   - kind: nil shows a bar where the console is a terminal.
  ///   - total: The number of frames, if known.
  ///   - unit: what is counted, where it is not frames: "MB". Lines of JSON then speak of `units_per_second`.
  ///   - now: Seconds on a clock that does not jump.
  package init(
    _ title: String, total: Int?, unit: String = "frames", kind: Kind?, console: Console,
    now: @escaping @Sendable () -> Double = { ProcessInfo.processInfo.systemUptime }
  ) {
    self.title = title
    self.total = total
    self.unit = unit
    self.kind = kind ?? (console.isInteractive ? .bar : .none)
    self.console = console
    self.now = now
    start = now()
  }

  /// Says that `done` frames are done in all.
  package func update(_ done: Int) {
    guard kind != .none else { return }
    let time = now()
    state.withLock { state in
      state.done = max(state.done, done)
      guard !state.isFinished, time - state.drawn >= 0.1 else { return }
      state.drawn = time
      draw(state.done, time, isLast: false)
    }
  }

  /// Shows the last state and leaves the line; later calls do nothing. Call it in any case, also after an error.
  package func finish() {
    let time = now()
    state.withLock { state in
      guard !state.isFinished, kind != .none else { return }
      state.isFinished = true
      draw(state.done, time, isLast: true)
    }
  }

  private func draw(_ done: Int, _ time: Double, isLast: Bool) {
    let elapsed = max(time - start, 1e-3)
    let rate = Double(done) / elapsed
    let left = total.flatMap { done > 0 ? Double(max(0, $0 - done)) / rate : nil }
    switch kind {
    case .bar: console.writeError("\r\u{1B}[K" + barLine(done, rate, left) + (isLast ? "\n" : ""))
    case .json: console.note(jsonLine(done, rate, left))
    case .none: break
    }
  }

  private func barLine(_ done: Int, _ rate: Double, _ left: Double?) -> String {
    let speed = String(format: "%.1f \(unit)/s", rate)
    guard let total, total > 0 else { return "\(title) \(done) \(unit)  \(speed)" }
    let share = min(1, Double(done) / Double(total)), width = 24
    let filled = Int(share * Double(width))
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    let rest = left.map { "  " + Self.clock($0) + " left" } ?? ""
    return "\(title) \(bar) \(Int(share * 100)) %  \(done)/\(total)  \(speed)\(rest)"
  }

  private func jsonLine(_ done: Int, _ rate: Double, _ left: Double?) -> String {
    let fields: [(String, JSON)] = [
      ("done", .integer(done)), ("total", total.map(JSON.integer) ?? .null),
      (unit == "frames" ? "frames_per_second" : "units_per_second", .number(rate)),
      ("seconds_left", left.map(JSON.number) ?? .null),
    ]
    return JSON.object([("progress", .object(fields))]).compactText
  }

  private static func clock(_ seconds: Double) -> String {
    let whole = Int(min(seconds.rounded(.up), 359_999))
    return whole < 3600
      ? String(format: "%d:%02d", whole / 60, whole % 60)
      : String(format: "%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60)
  }
}

extension Invocation {
  /// A reporter after `--progress`; without it a bar on a terminal.
  package func progress(_ title: String, total: Int?, unit: String = "frames") -> ProgressReporter {
    ProgressReporter(
      title, total: total, unit: unit, kind: value("progress").flatMap(ProgressReporter.Kind.init), console: console)
  }
}
