import Foundation
import Glibc
import Synchronization

extension Console {
  /// Standard output and standard error of this process.
  ///
  /// Colours appear on terminals only, and not with `NO_COLOR` (https://no-color.org) or `TERM=dumb`.
  package static func process() -> Console {
    let environment = ProcessInfo.processInfo.environment
    let isDumb = environment["TERM"] == "dumb"
    let mayColor = (environment["NO_COLOR"] ?? "").isEmpty && !isDumb
    let terminal = (output: isatty(STDOUT_FILENO) == 1, errors: isatty(STDERR_FILENO) == 1)
    let output = DescriptorState(), errors = DescriptorState()
    return Console(
      output: sink(STDOUT_FILENO, output), errors: sink(STDERR_FILENO, errors),
      outputFailure: { output.failure.withLock { $0 } }, style: Style(isColored: mayColor && terminal.output),
      errorStyle: Style(isColored: mayColor && terminal.errors),
      isInteractive: terminal.errors && !isDumb)
  }

  /// Writes to a file descriptor until that fails once, and is silent from then on: `cinematic info | head` is fine.
  private static func sink(_ descriptor: Int32, _ state: DescriptorState) -> Sink {
    { data in
      state.failure.withLock { failure in
        if failure == 0 { failure = writeAll(data, to: descriptor) }
      }
    }
  }

  /// Fills the places of standard streams that are closed, or the next file that is opened would take them, and what is said would
  /// go into it. Writing to standard output goes on failing, as it should. Call before any file is opened.
  static func occupyStandardDescriptors() {
    for (descriptor, mode) in [(STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_WRONLY)]
    where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", mode)
    }
  }

  /// Writes all bytes; returns 0 or the error number.
  static func writeAll(_ data: Data, to descriptor: Int32) -> Int32 {
    data.withUnsafeBytes { bytes in
      var position = 0
      while position < bytes.count {
        let written = Glibc.write(descriptor, bytes.baseAddress! + position, bytes.count - position)
        if written < 0, errno == EINTR || errno == EAGAIN { continue }
        if written < 0 { return errno }
        position += written
      }
      return 0
    }
  }
}

private final class DescriptorState: Sendable {
  /// The error number of the first write that failed; 0 before.
  let failure = Mutex(Int32(0))
}
