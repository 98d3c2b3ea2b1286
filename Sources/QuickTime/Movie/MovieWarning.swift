/// Something odd in a movie that does not keep it from being used.
package struct MovieWarning: Hashable, Sendable, CustomStringConvertible {
  /// One sentence: what is odd, where, and what follows from it.
  package var message: String
  /// The atom that is concerned; empty for the file as a whole.
  package var path: String
  /// The byte in the file, or nil where none is meant.
  package var offset: Int64?

  package init(_ message: String, path: String = "", offset: Int64? = nil) {
    self.message = message
    self.path = path
    self.offset = offset
  }

  init(_ error: QuickTimeError) {
    self.init(error.message, path: error.path, offset: error.offset)
  }

  package var description: String { message }
}
