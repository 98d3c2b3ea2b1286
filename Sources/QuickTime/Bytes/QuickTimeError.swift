/// What keeps a movie from being read or written.
package struct QuickTimeError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// The file is something else.
    case notAMovie
    /// The file ends before what it promises.
    case truncated
    /// A length, count or value in the file is impossible.
    case malformed
    /// The file is sound but uses something that is not implemented.
    case unsupported
    /// The operating system refused a read or a write.
    case io
  }

  package var kind: Kind
  /// One sentence: what is wrong, where, and what to do.
  package var message: String
  /// The atom that is concerned, as in `moov/trak[2]/mdia`; empty for the file as a whole. Tracks count from 1.
  package var path: String
  /// The byte in the file, or nil where none is meant.
  package var offset: Int64?
  /// The operating system's error number of `.io`, otherwise 0.
  package var errorNumber: Int32

  package init(_ kind: Kind, _ message: String, path: String = "", offset: Int64? = nil, errorNumber: Int32 = 0) {
    self.kind = kind
    self.message = message
    self.path = path
    self.offset = offset
    self.errorNumber = errorNumber
  }

  package var description: String { message }
}
