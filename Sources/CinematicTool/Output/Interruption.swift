import Dispatch
import Foundation

/// What signals do: SIGINT, SIGTERM and SIGHUP remove unfinished files and end the process. SIGPIPE and SIGXFSZ do nothing: the write
/// fails instead, and the failure is told.
enum Interruption {
  private nonisolated(unsafe) static var source: (any DispatchSourceRead)?
  /// The end of a pipe that a signal writes to: what it holds waits for its reader, where a signal that comes early would be lost.
  private nonisolated(unsafe) static var bell: Int32 = -1

  /// Call once, at the start of the process.
  static func install() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    // Without a pipe signals keep the system's way to end the process.
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    bell = ends[1]
    let source = DispatchSource.makeReadSource(
      fileDescriptor: ends[0], queue: .global(qos: .userInteractive))
    source.setEventHandler { end() }
    source.resume()
    self.source = source
    for number in [SIGINT, SIGTERM, SIGHUP] where number != SIGHUP || !isIgnored(number) {
      signal(number) { _ in
        var ring: UInt8 = 1
        _ = write(Interruption.bell, &ring, 1)
      }
    }
  }

  /// `nohup` wants a hang-up to be ignored.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Ends at once: work in other threads is abandoned, its files are removed.
  private static func end() {
    TemporaryFiles.removeAll()
    let newline = isatty(STDERR_FILENO) == 1 ? "\n" : ""
    _ = Console.writeAll(Data("\(newline)cinematic: interrupted.\n".utf8), to: STDERR_FILENO)
    _exit(ExitStatus.interrupted)
  }
}
