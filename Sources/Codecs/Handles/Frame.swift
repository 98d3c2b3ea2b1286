internal import CFFmpeg

/// Owns one AVFrame: a picture in planes, or a stretch of sound.
final class Frame {
  typealias Raw = UnsafeMutablePointer<AVFrame>

  private let raw: Raw

  init() throws {
    guard let raw = av_frame_alloc() else {
      throw CodecError(.outOfMemory, "There is no memory for a frame; free some and try again.")
    }
    self.raw = raw
  }

  deinit {
    var pointer: Raw? = raw
    av_frame_free(&pointer)
  }

  func with<R>(_ body: (Raw) throws -> R) rethrows -> R {
    try withExtendedLifetime(self) { try body(raw) }
  }

  /// A picture with its own memory; its content is what the caller writes into it.
  convenience init(width: Int, height: Int, format: AVPixelFormat) throws {
    try self.init()
    raw.pointee.width = Int32(clamping: width)
    raw.pointee.height = Int32(clamping: height)
    raw.pointee.format = format.rawValue
    try checked(av_frame_get_buffer(raw, 0), "making room for a picture of \(width)x\(height)")
  }

  /// Sees to it that nobody else reads the memory while it is written.
  func makeWritable() throws {
    try checked(av_frame_make_writable(raw), "making a frame writable")
  }

  func clear() { av_frame_unref(raw) }

  var width: Int { Int(raw.pointee.width) }
  var height: Int { Int(raw.pointee.height) }
  var pixelFormat: AVPixelFormat { AVPixelFormat(raw.pointee.format) }

  /// The first byte and the row pitch in bytes (may be negative) of a plane while `body` runs.
  func withPlane<R>(_ plane: Int, _ body: (UnsafeMutableRawPointer, Int) throws -> R) throws -> R {
    try with { frame in
      guard let base = dataPointer(frame, plane) else {
        throw CodecError(.library, "A decoded picture lacks its plane \(plane); the stream is damaged.")
      }
      return try body(UnsafeMutableRawPointer(base), lineSize(frame, plane))
    }
  }
}

/// Plane `index` of a frame; the library's arrays of eight are tuples in Swift.
func dataPointer(_ frame: Frame.Raw, _ index: Int) -> UnsafeMutablePointer<UInt8>? {
  precondition(index >= 0 && index < 8)
  return withUnsafeBytes(of: frame.pointee.data) {
    $0.load(
      fromByteOffset: index * MemoryLayout<UnsafeMutablePointer<UInt8>?>.stride, as: UnsafeMutablePointer<UInt8>?.self)
  }
}

func lineSize(_ frame: Frame.Raw, _ index: Int) -> Int {
  precondition(index >= 0 && index < 8)
  return withUnsafeBytes(of: frame.pointee.linesize) {
    Int($0.load(fromByteOffset: index * MemoryLayout<Int32>.stride, as: Int32.self))
  }
}
