package import Foundation

/// Bytes that are read at any place, from any thread: a file on disk or data in memory.
package protocol ByteSource: AnyObject, Sendable {
  /// The length in bytes.
  var byteCount: Int64 { get }
  /// A name for messages, such as the file's.
  var name: String { get }
  /// Exactly `count` bytes from `offset`. Throws `.truncated` if the source ends before, `.io` if reading fails.
  func read(at offset: Int64, count: Int) throws(QuickTimeError) -> Data
  /// Fills memory with the bytes from `offset`. Throws as `read(at:count:)`; the memory may then be filled in part.
  func read(at offset: Int64, into memory: UnsafeMutableRawBufferPointer) throws(QuickTimeError)
}

extension ByteSource {
  package func read(at offset: Int64, into memory: UnsafeMutableRawBufferPointer) throws(QuickTimeError) {
    try read(at: offset, count: memory.count).copyBytes(to: memory)
  }

  /// Throws `.truncated` unless `count` bytes from `offset` lie inside.
  package func check(at offset: Int64, count: Int) throws(QuickTimeError) {
    guard offset >= 0, count >= 0, offset <= byteCount, Int64(count) <= byteCount - offset else {
      throw QuickTimeError(
        .truncated,
        "\(name) ends at byte \(byteCount), before the \(count) bytes wanted from byte \(offset); copy the file again.",
        offset: offset)
    }
  }
}

/// Bytes in memory.
package final class DataSource: ByteSource {
  package let name: String
  private let data: Data

  package init(_ data: Data, name: String = "The movie in memory") {
    self.data = data
    self.name = name
  }

  package var byteCount: Int64 { Int64(data.count) }

  package func read(at offset: Int64, count: Int) throws(QuickTimeError) -> Data {
    try check(at: offset, count: count)
    let start = data.startIndex + Int(offset)
    return Data(data[start..<start + count])
  }
}
