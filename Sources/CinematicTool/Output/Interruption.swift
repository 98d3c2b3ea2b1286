import Dispatch
import Foundation

/// What signals do: SIGINT, SIGTERM and SIGHUP remove unfinished files and end the process; SIGPIPE does nothing.
enum Interruption {
  private nonisolated(unsafe) static var sources: [any DispatchSourceSignal] = []

  /// Call once, at the start of the process.
  static func install() {
    signal(SIGPIPE, SIG_IGN)
    for (number, status) in [(SIGINT, ExitStatus.interrupted), (SIGTERM, 128 + SIGTERM), (SIGHUP, 128 + SIGHUP)] {
      // The default action would end the process before the source hears of the signal.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInteractive))
      source.setEventHandler { end(status) }
      source.resume()
      sources.append(source)
    }
  }

  /// Ends at once: work in other threads is abandoned, its files are removed.
  private static func end(_ status: Int32) {
    TemporaryFiles.removeAll()
    let newline = isatty(STDERR_FILENO) == 1 ? "\n" : ""
    _ = Console.writeAll(Data("\(newline)cinematic: interrupted.\n".utf8), to: STDERR_FILENO)
    _exit(status)
  }
}
