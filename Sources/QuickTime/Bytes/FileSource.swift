package import Foundation

/// A file on disk, read in place: it is neither loaded nor mapped as a whole.
package final class FileSource: ByteSource {
  package let url: URL
  package let byteCount: Int64
  private let descriptor: Int32
  private let identity: (device: UInt64, file: UInt64)

  /// Opens a regular file for reading. Throws `.io` with the system's reason.
  package init(_ url: URL) throws(QuickTimeError) {
    // Without O_NONBLOCK a pipe that nobody writes to would keep the call waiting; regular files do not know the difference.
    let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileSource.failure("open", url.path, errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let number = errno
      close(descriptor)
      throw FileSource.failure("look at", url.path, number)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw QuickTimeError(.io, "\(url.path) is not a regular file; name a movie file.", errorNumber: EINVAL)
    }
    self.url = url
    self.descriptor = descriptor
    byteCount = Int64(status.st_size)
    identity = (UInt64(status.st_dev), UInt64(status.st_ino))
  }

  deinit {
    close(descriptor)
  }

  package var name: String { url.lastPathComponent }

  /// Whether the path leads to this very file.
  func isSameFile(as url: URL) -> Bool {
    var status = stat()
    return stat(url.path, &status) == 0 && identity == (UInt64(status.st_dev), UInt64(status.st_ino))
  }

  package func read(at offset: Int64, count: Int) throws(QuickTimeError) -> Data {
    try check(at: offset, count: count)
    var data = Data(count: count)
    let result = data.withUnsafeMutableBytes { memory in
      Result { () throws(QuickTimeError) in try read(at: offset, into: memory) }
    }
    try result.get()
    return data
  }

  package func read(at offset: Int64, into memory: UnsafeMutableRawBufferPointer) throws(QuickTimeError) {
    try check(at: offset, count: memory.count)
    var done = 0
    while done < memory.count {
      let read = pread(descriptor, memory.baseAddress! + done, memory.count - done, off_t(offset) + off_t(done))
      if read < 0 && errno == EINTR { continue }
      guard read >= 0 else { throw FileSource.failure("read", url.path, errno) }
      guard read > 0 else {
        throw QuickTimeError(
          .truncated, "\(name) became shorter while it was read, at byte \(offset + Int64(done)); open it again.",
          offset: offset + Int64(done))
      }
      done += read
    }
  }

  /// The one translation of the system's error numbers.
  static func failure(_ verb: String, _ path: String, _ number: Int32) -> QuickTimeError {
    let reason = String(cString: strerror(number))
    return QuickTimeError(.io, "Could not \(verb) \(path): \(reason).", errorNumber: number)
  }
}
