import Foundation
import Synchronization

/// The unfinished files of this process, so that an interruption can remove them.
package enum TemporaryFiles {
  private struct State {
    var paths: Set<String> = []
    /// What the user calls the output that is written to a temporary file, by that file's name. Kept for sentences that come late.
    var outputNames: [String: (folder: String, output: String)] = [:]
    var isClosed = false
  }

  private static let state = Mutex(State())

  /// Remembers a file that must not outlive the process, and the output that it is for. Throws `CancellationError` after an
  /// interruption.
  static func add(_ url: URL, for output: String) throws {
    try state.withLock { state in
      if state.isClosed { throw CancellationError() }
      state.paths.insert(url.path)
      let name = output == "-" ? "standard output" : output
      state.outputNames[url.lastPathComponent] = (url.deletingLastPathComponent().path, name)
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
      for path in state.paths { remove(URL(fileURLWithPath: path)) }
      state.paths = []
    }
  }

  /// Removes a file, and what writers keep beside it under a name that holds its name.
  static func remove(_ url: URL) {
    let folder = url.deletingLastPathComponent(), name = url.lastPathComponent
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for found in names where found.contains(name) {
      try? FileManager.default.removeItem(at: folder.appendingPathComponent(found))
    }
  }

  /// The sentence with the outputs' own names in place of those of their temporary files.
  package static func withOutputNames(_ sentence: String) -> String {
    // Inside a folder writers hide what is unfinished behind a dot and an identifier: `parts/.picture.mov.UUID.partial`.
    let shown = withFolderNames(sentence)
    return shown.replacing(/\/\.([^\/]+)\.[0-9A-F-]{36}\.partial/) { "/\($0.output.1)" }
  }

  private static func withFolderNames(_ sentence: String) -> String {
    state.withLock { $0.outputNames }.reduce(sentence) { sentence, names in
      guard let place = sentence.range(of: names.key) else { return sentence }
      // Writers put a dot before and an identifier behind it, and a sentence may have the whole path.
      let folder = names.value.folder + "/"
      var start = place.lowerBound
      if sentence[..<start].hasSuffix(".") { start = sentence.index(before: start) }
      if sentence[..<start].hasSuffix(folder) { start = sentence.index(start, offsetBy: -folder.count) }
      let rest = sentence[place.upperBound...]
      let tail = rest.prefixMatch(of: /\.[0-9A-F-]{36}\.partial/)?.range.upperBound
      let whole = start..<(tail ?? place.upperBound)
      return sentence.replacingCharacters(in: whole, with: names.value.output)
    }
  }
}
