/// Why a command did not do what it was asked to: exit status 1.
///
/// `name` and `code` are those of `CNCinematicError` where its meaning fits: `unreadable` 2 (not a movie, or cut off),
/// `incomplete` 3 (a Cinematic track is missing), `malformed` 4, `unsupported` 5, `incompatible` 6, `cancelled` 7;
/// all else (a full disk, a refused edit) is `unknown` 1. A wrong command line is `usage` 0.
package struct Failure: Error, Equatable, Sendable {
  package var name: String
  package var code: Int
  /// One sentence: what is wrong, where, and what to do.
  package var message: String

  package init(name: String, code: Int, message: String) {
    self.name = name
    self.code = code
    self.message = message
  }

  /// A failure that is none of the movie's.
  package init(_ message: String) { self.init(name: "unknown", code: 1, message: message) }

  /// The command was asked to stop.
  package static let interrupted = Failure(name: "cancelled", code: 7, message: "interrupted")

  /// `{"name": …, "code": …, "message": …}`
  package var json: JSON {
    .object([("name", .string(name)), ("code", .integer(code)), ("message", .string(message))])
  }

  /// The sentence on one line, with its full stop.
  package var sentence: String {
    let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    return line.hasSuffix(".") || line.hasSuffix("!") ? line : line + "."
  }
}
