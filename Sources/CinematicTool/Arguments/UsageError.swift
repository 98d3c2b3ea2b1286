/// The command line was not understood: exit status 2.
package struct UsageError: Error, Equatable, Sendable {
  /// One sentence without its full stop.
  package var message: String
  /// The command whose help explains more: `["cinematic", "edit"]`.
  package var path: [String]

  package init(_ message: String, path: [String]) {
    self.message = message
    self.path = path
  }

  /// The sentence with a pointer to the help.
  package var sentence: String {
    let help = "'\(path.joined(separator: " ")) --help'."
    return message.hasSuffix("?") ? "\(message) See \(help)" : "\(message); see \(help)"
  }
}
