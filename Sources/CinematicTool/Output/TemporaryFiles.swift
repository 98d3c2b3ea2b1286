import Foundation
import Synchronization

/// The unfinished files of this process, so that an interruption can remove them.
enum TemporaryFiles {
  private struct State {
    var paths: Set<String> = []
    var isClosed = false
  }

  private static let state = Mutex(State())

  /// Remembers a file that must not outlive the process. Throws `CancellationError` after an interruption.
  static func add(_ url: URL) throws {
    try state.withLock { state in
      if state.isClosed { throw CancellationError() }
      state.paths.insert(url.path)
    }
  }

  /// Runs `body`, which gives the file its final place or removes it, and forgets the file. An interruption waits
  /// for `body`, or keeps it from running: then this throws `CancellationError`.
  static func settle<R>(_ url: URL, _ body: () throws -> R) throws -> R {
    try state.withLock { state in
      if state.isClosed { throw CancellationError() }
      defer { state.paths.remove(url.path) }
      return try body()
    }
  }

  /// Removes all of them and lets none be added or settled any more. Called when the process is about to end.
  static func removeAll() {
    state.withLock { state in
      state.isClosed = true
      for path in state.paths { try? FileManager.default.removeItem(atPath: path) }
      state.paths = []
    }
  }
}
