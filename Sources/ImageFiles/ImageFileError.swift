import Foundation

/// Why a picture file cannot be read or written.
package struct ImageFileError: Error, Hashable, Sendable, LocalizedError, CustomStringConvertible {
  package enum Kind: Sendable {
    /// The file system refused: no such file, no permission, no space.
    case file
    /// The file is no picture of its kind, or damaged.
    case malformed
    /// A kind of picture that is not read or written here.
    case unsupported
  }

  package var kind: Kind
  /// One sentence: what, where, what to do.
  package var description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  static func system(_ verb: String, _ url: URL) -> ImageFileError {
    ImageFileError(.file, "'\(url.path)' cannot be \(verb): \(String(cString: strerror(errno))).")
  }

  package var errorDescription: String? { description }
}

/// The longest side in pixels of a picture file that is read.
package let maximumImageSide = 32_768
