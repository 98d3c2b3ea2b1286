import Foundation

/// A file that is read as a whole: edits, scripts.
enum SmallFile {
  /// The most bytes that are read.
  static let maximumBytes = 1 << 28

  /// The bytes of a regular file, or of a pipe, such as a shell's `<(command)`, until its writer closes it.
  ///
  /// Throws `Failure` for anything else, and for more than `maximumBytes`. A pipe that nobody writes to counts as empty.
  static func contents(of path: String) throws -> Data {
    // Without O_NONBLOCK a pipe that nobody writes to would keep the call waiting.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Failure(errno: errno, "read", path) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Failure(errno: errno, "read", path) }
    switch status.st_mode & S_IFMT {
    case S_IFREG, S_IFIFO: break
    case S_IFDIR: throw Failure(errno: EISDIR, "read", path)
    default: throw Failure("cannot read '\(path)': it is a device, and a file is needed")
    }
    return try bytes(descriptor, path)
  }

  private static func bytes(_ descriptor: Int32, _ path: String) throws -> Data {
    var data = Data()
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &piece, piece.count)
      if count == 0 { return data }
      if count < 0, errno == EAGAIN || errno == EINTR {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&wait, 1, -1)
        continue
      }
      guard count > 0 else { throw Failure(errno: errno, "read", path) }
      guard data.count + count <= maximumBytes else {
        throw Failure(
          "'\(path)' has more than \(maximumBytes) bytes, too many for edits or a script: choose another file")
      }
      data.append(contentsOf: piece[..<count])
    }
  }
}
