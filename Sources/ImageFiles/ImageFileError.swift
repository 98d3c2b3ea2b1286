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

  /// A pipe or a device would keep the reader waiting, or never end. What is not there is left to the reader.
  static func refuseStreams(_ url: URL) throws(ImageFileError) {
    var status = stat()
    guard stat(url.path, &status) == 0, status.st_mode & S_IFMT != S_IFREG else { return }
    throw ImageFileError(.file, "'\(url.path)' cannot be read: it is no regular file.")
  }

  package var errorDescription: String? { description }
}

/// The most pixels of a picture file that is read.
package let maximumImagePixels = 1 << 26

/// The longest side in pixels of a picture file that is read.
package let maximumImageSide = 32_768
