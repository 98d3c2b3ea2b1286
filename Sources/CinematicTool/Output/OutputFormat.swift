/// What a command can write, by the endings of names that say so.
package struct OutputFormat: Sendable {
  package let endings: [String]

  package static let png = Self(endings: ["png"])
  package static let quickTime = Self(endings: ["mov", "qt"])
  package static let movie = Self(endings: ["mov", "qt", "mp4", "m4v"])

  /// Whether `name` promises nothing else: standard output and names without an ending promise nothing.
  package func fits(_ name: String) -> Bool {
    let ending = Self.ending(of: name)
    return ending.isEmpty || endings.contains(ending)
  }

  /// Whether the ending of `name` asks for MPEG-4.
  package static func isMPEG4(_ name: String) -> Bool { ["mp4", "m4v"].contains(ending(of: name)) }

  private static func ending(of name: String) -> String {
    let last = name.split(separator: "/").last ?? ""
    guard let dot = last.lastIndex(of: "."), dot != last.startIndex else { return "" }
    return last[last.index(after: dot)...].lowercased()
  }
}
