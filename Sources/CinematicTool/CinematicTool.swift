import Foundation

/// The command `cinematic`.
package enum CinematicTool {
  package static let version = "0.1.0"

  /// Runs one command line, without the tool's own name, in this process, and returns the exit status.
  ///
  /// Installs the handling of SIGINT, SIGTERM and SIGPIPE.
  package static func run(_ arguments: [String]) async -> Int32 {
    Console.occupyStandardDescriptors()
    Interruption.install()
    return await run(arguments, console: .process())
  }

  /// Runs one command line and speaks through `console`: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
  package static func run(_ arguments: [String], console: Console) async -> Int32 {
    let wantsJSON = arguments.prefix { $0 != "--" }.contains("--json")
    let report = ErrorReport(console: console, wantsJSON: wantsJSON)
    do {
      switch try ArgumentParser.parse(arguments.isEmpty ? ["--help"] : arguments, for: root, console: console) {
      case .help(let commands): console.write(Data(HelpText(commands).render(console.style).utf8))
      case .version: console.print("cinematic \(version)")
      case .run(let command, let invocation): try await command.action?(invocation)
      }
      try console.checkOutput()
      return ExitStatus.done
    } catch {
      return report.status(after: error)
    }
  }
}
