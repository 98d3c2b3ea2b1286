import CinematicTool
import Foundation
import Synchronization
import Testing

@Suite struct ConsoleTests {
  @Test func `JSON reads back as it was`() throws {
    let value = JSON.object([
      ("z", .array([.integer(-3), .number(Float(2.8)), .number(1e-300), .null, .bool(true)])), ("a", .object([])),
      ("text", .string("\u{0}\t\"\\ \u{85}ü🎬")), ("list", .array([.object([("x", .array([]))])])),
      ("nan", .number(Double.nan)),
    ])
    for text in [value.text, value.compactText] {
      let read = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      let numbers = try #require(read["z"] as? [Any])
      #expect(numbers[0] as? Int == -3)
      #expect(numbers[1] as? Double == Double(Float(2.8)))
      #expect(numbers[2] as? Double == 1e-300)
      #expect(read["text"] as? String == "\u{0}\t\"\\ \u{85}ü🎬")
      #expect(read["nan"] is NSNull)
    }
    #expect(value.text.hasPrefix("{\n  \"z\": [-3, 2.799999952316284, 1e-300, null, true],\n  \"a\": {},\n"))
    #expect(!value.compactText.contains("\n"))
  }

  @Test func `colours appear only where they are wanted`() {
    #expect(Style(isColored: false).red("x") == "x")
    #expect(Style(isColored: true).red("x") == "\u{1B}[1;31mx\u{1B}[0m")
  }

  @Test func `progress is a bar for people and lines for programs`() throws {
    let clock = Mutex(0.0)
    let said = TestConsole()
    let reporter = ProgressReporter(
      "Rendering", total: 100, kind: .json, console: said.console(), now: { clock.withLock { $0 } })
    for (done, time) in [(1, 0.05), (10, 1.0), (11, 1.01), (50, 5.0)] {
      clock.withLock { $0 = time }
      reporter.update(done)
    }
    reporter.finish()
    reporter.update(60)
    let lines = said.errors.split(separator: "\n").map(String.init)
    #expect(
      lines == [
        #"{"progress": {"done": 1, "total": 100, "frames_per_second": 20.0, "seconds_left": 4.95}}"#,
        #"{"progress": {"done": 10, "total": 100, "frames_per_second": 10.0, "seconds_left": 9.0}}"#,
        #"{"progress": {"done": 50, "total": 100, "frames_per_second": 10.0, "seconds_left": 5.0}}"#,
        #"{"progress": {"done": 50, "total": 100, "frames_per_second": 10.0, "seconds_left": 5.0}}"#,
      ])
  }

  @Test func `the bar tells speed and time left`() {
    let clock = Mutex(0.0)
    let said = TestConsole()
    let console = said.console(isInteractive: true)
    let reporter = ProgressReporter(
      "Rendering", total: 400, kind: nil, console: console, now: { clock.withLock { $0 } })
    clock.withLock { $0 = 2 }
    reporter.update(100)
    #expect(said.errors.hasSuffix("Rendering ██████░░░░░░░░░░░░░░░░░░ 25 %  100/400  50.0 frames/s  0:06 left"))
    reporter.finish()
    #expect(said.errors.hasSuffix("\n"))
  }

  @Test func `without a terminal progress is silent`() {
    let said = TestConsole()
    let reporter = ProgressReporter("Rendering", total: 4, kind: nil, console: said.console())
    reporter.update(3)
    reporter.finish()
    #expect(said.errors.isEmpty)
  }
}
