internal import CFFmpeg
internal import Foundation

/// Owns one AVPacket: compressed bytes on their way in or out.
final class Packet {
  private let raw: UnsafeMutablePointer<AVPacket>

  init() throws {
    guard let raw = av_packet_alloc() else {
      throw CodecError(.outOfMemory, "There is no memory for a packet; free some and try again.")
    }
    self.raw = raw
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVPacket>? = raw
    av_packet_free(&pointer)
  }

  func with<R>(_ body: (UnsafeMutablePointer<AVPacket>) throws -> R) rethrows -> R {
    try withExtendedLifetime(self) { try body(raw) }
  }

  /// Replaces the content by a copy of `byteCount` bytes that `fill` writes.
  func load(byteCount: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) throws {
    guard byteCount <= Limits.sampleBytes else {
      throw CodecError(
        .overLimit, "A sample has \(byteCount) bytes, more than the \(Limits.sampleBytes) that one may have.")
    }
    av_packet_unref(raw)
    try checked(av_new_packet(raw, Int32(byteCount)), "making room for a sample of \(byteCount) bytes")
    try fill(UnsafeMutableRawBufferPointer(start: raw.pointee.data, count: byteCount))
  }

  func clear() { av_packet_unref(raw) }

  /// A copy of the bytes.
  var data: Data {
    guard let bytes = raw.pointee.data, raw.pointee.size > 0 else { return Data() }
    return Data(bytes: bytes, count: Int(raw.pointee.size))
  }

  var isKey: Bool { raw.pointee.flags & CFFMPEG_PKT_KEY != 0 }
  var presentationTime: Int64 { raw.pointee.pts }
  var decodeTime: Int64 { raw.pointee.dts }
}
