import Foundation

/// A new file that is written from front to back and patched in a few places.
///
/// Every error is `.io` with the system's number: a full disk is `ENOSPC`.
final class FileSink {
  let path: String
  private(set) var position: Int64 = 0
  private var descriptor: Int32
  private let isRegular: Bool

  /// Makes the file, or empties one that is there.
  init(_ url: URL) throws(QuickTimeError) {
    path = url.path
    descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw FileSource.failure("create", path, errno) }
    var status = stat()
    isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  deinit {
    if descriptor >= 0 { _ = Foundation.close(descriptor) }
  }

  /// Appends.
  func write(_ data: Data) throws(QuickTimeError) {
    try write(data, at: position)
    position += Int64(data.count)
  }

  /// Leaves a hole; the file is as long only once something is written behind it.
  func skip(_ byteCount: Int64) {
    position += byteCount
  }

  /// Overwrites a part that is there already.
  func write(_ data: Data, at offset: Int64) throws(QuickTimeError) {
    var done = 0
    while done < data.count {
      let count = data.withUnsafeBytes { bytes in
        pwrite(descriptor, bytes.baseAddress! + done, bytes.count - done, off_t(offset) + off_t(done))
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw Self.failure(path, count < 0 ? errno : EIO) }
      done += count
    }
  }

  /// Makes room for `gap` bytes at `offset` by moving everything behind it; the gap's bytes are undefined.
  func insert(_ gap: Int, at offset: Int64) throws(QuickTimeError) {
    var end = position
    while end > offset {
      let count = Int(min(end - offset, Self.blockBytes))
      end -= Int64(count)
      try write(try read(at: end, count: count), at: end + Int64(gap))
    }
    position += Int64(gap)
  }

  private static let blockBytes: Int64 = 4 << 20

  private func read(at offset: Int64, count: Int) throws(QuickTimeError) -> Data {
    var data = Data(count: count)
    var done = 0
    while done < count {
      let read = data.withUnsafeMutableBytes { bytes in
        pread(descriptor, bytes.baseAddress! + done, count - done, off_t(offset) + off_t(done))
      }
      if read < 0 && errno == EINTR { continue }
      guard read > 0 else { throw FileSource.failure("read back", path, read < 0 ? errno : EIO) }
      done += read
    }
    return data
  }

  /// Closes the file. Some systems tell only now that the disk is full.
  func close() throws(QuickTimeError) {
    let result = Foundation.close(descriptor)
    descriptor = -1
    guard result == 0 else { throw Self.failure(path, errno) }
  }

  /// Closes and removes the file.
  func discard() {
    if descriptor >= 0 { _ = Foundation.close(descriptor) }
    descriptor = -1
    if isRegular { unlink(path) }
  }

  private static func failure(_ path: String, _ number: Int32) -> QuickTimeError {
    var error = FileSource.failure("write", path, number)
    if number == ENOSPC || number == EDQUOT {
      error.message = "Could not write \(path): the disk is full; free some space or name another place."
    }
    return error
  }
}
