import CinematicTool
import Foundation
import Synchronization

/// What the tool said, and how it ended.
struct ToolResult {
  var status: Int32
  var output: Data
  var errors: String

  var text: String { String(decoding: output, as: UTF8.self) }

  /// The output as a JSON object; empty if it is none.
  var json: [String: Any] { (try? JSONSerialization.jsonObject(with: output)) as? [String: Any] ?? [:] }

  /// The name in `{"error": {"name": …}}`, if the output has one.
  var errorName: String? { (json["error"] as? [String: Any])?["name"] as? String }
}

/// A console that keeps what is said.
final class TestConsole: Sendable {
  private let said = Mutex((output: Data(), errors: Data()))

  func console(isInteractive: Bool = false) -> Console {
    Console(
      output: { data in self.said.withLock { $0.output += data } },
      errors: { data in self.said.withLock { $0.errors += data } }, isInteractive: isInteractive)
  }

  var output: Data { said.withLock { $0.output } }
  var errors: String { said.withLock { String(decoding: $0.errors, as: UTF8.self) } }
}

/// Runs one command line of the tool inside the tests.
func cinematic(_ arguments: String...) async -> ToolResult { await cinematic(arguments) }

func cinematic(_ arguments: [String]) async -> ToolResult {
  let console = TestConsole()
  let status = await CinematicTool.run(arguments, console: console.console())
  return ToolResult(status: status, output: console.output, errors: console.errors)
}

/// A folder for one test, removed when the value goes.
final class TestFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("cinematic-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: url.appendingPathComponent(name))
    return path(name)
  }

  func text(of name: String) throws -> String {
    String(decoding: try Data(contentsOf: url.appendingPathComponent(name)), as: UTF8.self)
  }

  /// Names of all files in it, hidden ones too.
  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? [] }
}
