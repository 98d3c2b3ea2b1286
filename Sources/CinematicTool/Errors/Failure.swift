import Foundation

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

  /// The system has no memory, or no permission, for another thread.
  package static let noThread = Failure(
    "there is no memory for one more thread: close other programs, or raise the limit")

  /// The sides in pixels that encoders take.
  static let encodedSides = 16...16_384

  /// Why a picture of this size cannot be encoded; nil for one that can.
  static func unencodable(_ name: String, width: Double, height: Double) -> Failure? {
    let sides = Double(encodedSides.lowerBound)...Double(encodedSides.upperBound)
    guard !sides.contains(width) || !sides.contains(height) else { return nil }
    let (least, most) = (encodedSides.lowerBound, encodedSides.upperBound)
    return Failure(
      name: "unsupported", code: 5,
      message: "the picture of '\(name)' would have \(whole(width))x\(whole(height)) pixels, and each side may have "
        + "\(least) to \(most): scale it first")
  }

  /// Without its decimals; sizes of hostile movies need not fit into an integer.
  private static func whole(_ number: Double) -> String { String(format: "%.0f", number) }

  /// The command was asked to stop.
  package static let interrupted = Failure(name: "cancelled", code: 7, message: "interrupted")

  /// `{"name": …, "code": …, "message": …}`
  package var json: JSON {
    .object([("name", .string(name)), ("code", .integer(code)), ("message", .string(message))])
  }

  /// The sentence on one line, with its full stop.
  ///
  /// Names come from files and command lines: control characters in them, which would move a terminal's cursor or colour it, show as �.
  package var sentence: String {
    let words = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    let line = String(
      String.UnicodeScalarView(
        words.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }))
    return line.hasSuffix(".") || line.hasSuffix("!") ? line : line + "."
  }
}
