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
    return Console(
      output: descriptorSink(STDOUT_FILENO), errors: descriptorSink(STDERR_FILENO),
      style: Style(isColored: mayColor && terminal.output),
      errorStyle: Style(isColored: mayColor && terminal.errors),
      isInteractive: terminal.errors && !isDumb)
  }

  /// Writes to a file descriptor until that fails once, and is silent from then on: `cinematic info | head` is fine.
  private static func descriptorSink(_ descriptor: Int32) -> Sink {
    let isOpen = DescriptorState()
    return { data in
      isOpen.value.withLock { isOpen in
        isOpen = isOpen && writeAll(data, to: descriptor) == 0
      }
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
  let value = Mutex(true)
}
