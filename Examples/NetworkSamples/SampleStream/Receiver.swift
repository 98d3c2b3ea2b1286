public import CoreMedia
public import CoreVideo
import Foundation
import VideoToolbox

/// What became of a frame that came over the wire.
public struct ReceivedFrame: Equatable, Sendable {
  public let time: CMTime
  /// Four characters; empty where there is no picture.
  public let pixelFormat: String
  public let width: Int
  public let height: Int
  /// FNV-1a over the rows' visible bytes; 0 where there is no picture.
  public let checksum: UInt64
  /// 0, or VideoToolbox's reason why there is no picture.
  public let status: OSStatus
}

/// Makes samples of what comes over a connection by hand, and decodes them in order.
public final class Receiver {
  private var session: VTDecompressionSession?
  private var format: CMVideoFormatDescription?
  private let report: (ReceivedFrame) -> Void
  private let tally = Tally()

  /// Frames that may be inside the session; then reading waits.
  private static let mostFrames = 8

  /// - Parameter report: called once for each frame, one at a time and in order, on whichever thread.
  public init(report: @escaping (ReceivedFrame) -> Void) { self.report = report }

  /// Frames that came, and those of them that could not be decoded.
  public var counts: (frames: Int, lost: Int) { tally.counts }

  deinit { if let session { VTDecompressionSessionInvalidate(session) } }

  /// Follows a stream to its end. A frame that cannot be decoded is reported; a stream that breaks the rules is an error.
  public func receive(from connection: Connection) throws {
    while let message = try connection.receive() {
      switch message {
      case .format(let format): try use(format.formatDescription())
      case .sample(let sample): try decode(sample)
      case .end: break
      }
    }
    if let session { VTDecompressionSessionWaitForAsynchronousFrames(session) }
  }

  private func use(_ format: CMVideoFormatDescription) throws {
    self.format = format
    if let session, VTDecompressionSessionCanAcceptFormatDescription(session, formatDescription: format) { return }
    if let session {
      VTDecompressionSessionWaitForAsynchronousFrames(session)
      VTDecompressionSessionInvalidate(session)
    }
    let status = VTDecompressionSessionCreate(
      allocator: kCFAllocatorDefault, formatDescription: format, decoderSpecification: nil, imageBufferAttributes: nil,
      outputCallback: nil, decompressionSessionOut: &session)
    guard status == noErr else { throw StreamError("No decoder takes \(format) (\(status)).") }
  }

  private func decode(_ sample: StreamSample) throws {
    guard let session, let format else { throw StreamError("A sample came before any format; the stream is damaged.") }
    var inside: Int?
    _ = VTSessionCopyProperty(
      session, key: kVTDecompressionPropertyKey_NumberOfFramesBeingDecoded, allocator: nil, valueOut: &inside)
    if inside ?? 0 >= Self.mostFrames { VTDecompressionSessionWaitForAsynchronousFrames(session) }
    let (report, tally) = (report, tally)
    let status = VTDecompressionSessionDecodeFrame(
      session, sampleBuffer: try sample.sampleBuffer(format), flags: ._EnableAsynchronousDecompression,
      infoFlagsOut: nil
    ) { status, _, image, time, _ in
      tally.count(isLost: status != noErr)
      report(ReceivedFrame(time, image, status))
    }
    guard status == noErr else { throw StreamError("A frame is not taken by the decoder (\(status)).") }
  }
}

/// Counts frames from whichever thread.
private final class Tally: @unchecked Sendable {
  // Unchecked: guarded by the lock.
  private let guardian = NSLock()
  private var kept = (frames: 0, lost: 0)

  var counts: (frames: Int, lost: Int) { guardian.withLock { kept } }

  func count(isLost: Bool) {
    guardian.withLock { kept = (kept.frames + 1, kept.lost + (isLost ? 1 : 0)) }
  }
}

extension StreamSample {
  /// A sample buffer made by hand: a block of memory, a format, a time.
  func sampleBuffer(_ format: CMVideoFormatDescription) throws -> CMSampleBuffer {
    guard let memory = malloc(bytes.count) else { throw StreamError("There is no memory for a frame.") }
    bytes.copyBytes(to: memory.assumingMemoryBound(to: UInt8.self), count: bytes.count)
    var block: CMBlockBuffer?
    // From here on the block owns the memory, and frees it as `malloc`'s.
    var status = CMBlockBufferCreateWithMemoryBlock(
      allocator: kCFAllocatorDefault, memoryBlock: memory, blockLength: bytes.count, blockAllocator: kCFAllocatorMalloc,
      customBlockSource: nil, offsetToData: 0, dataLength: bytes.count, flags: 0, blockBufferOut: &block)
    guard status == noErr, let block else {
      free(memory)
      throw StreamError("A frame's bytes cannot be held (\(status)).")
    }
    var timing = CMSampleTimingInfo(duration: duration, presentationTimeStamp: time, decodeTimeStamp: .invalid)
    var size = bytes.count
    var buffer: CMSampleBuffer?
    status = CMSampleBufferCreateReady(
      allocator: kCFAllocatorDefault, dataBuffer: block, formatDescription: format, sampleCount: 1,
      sampleTimingEntryCount: 1, sampleTimingArray: &timing, sampleSizeEntryCount: 1, sampleSizeArray: &size,
      sampleBufferOut: &buffer)
    guard let buffer else { throw StreamError("A frame cannot be made a sample (\(status)).") }
    return buffer
  }
}

extension ReceivedFrame {
  public init(_ time: CMTime, _ image: CVImageBuffer?, _ status: OSStatus) {
    self.time = time
    self.status = status
    width = image.map(CVPixelBufferGetWidth) ?? 0
    height = image.map(CVPixelBufferGetHeight) ?? 0
    pixelFormat = image.map { fourCharacters(CVPixelBufferGetPixelFormatType($0)) } ?? ""
    checksum = image.map(Self.checksum) ?? 0
  }

  /// Bytes of a pixel in each plane, and the pixels that they stand for; the formats that ProRes is decoded to by itself.
  private static let rows: [OSType: [(bytes: Int, pixels: Int)]] = [
    kCVPixelFormatType_422YpCbCr16: [(8, 2)], kCVPixelFormatType_4444AYpCbCr16: [(8, 1)],
    kCVPixelFormatType_422YpCbCr10BiPlanarFullRange: [(2, 1), (4, 2)],
  ]

  private static func checksum(_ image: CVImageBuffer) -> UInt64 {
    _ = CVPixelBufferLockBaseAddress(image, .readOnly)
    defer { _ = CVPixelBufferUnlockBaseAddress(image, .readOnly) }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    let isPlanar = CVPixelBufferIsPlanar(image)
    for (index, row) in (rows[CVPixelBufferGetPixelFormatType(image)] ?? []).enumerated() {
      let base = isPlanar ? CVPixelBufferGetBaseAddressOfPlane(image, index) : CVPixelBufferGetBaseAddress(image)
      let pitch = isPlanar ? CVPixelBufferGetBytesPerRowOfPlane(image, index) : CVPixelBufferGetBytesPerRow(image)
      guard let base else { continue }
      let count = (CVPixelBufferGetWidth(image) + row.pixels - 1) / row.pixels * row.bytes
      for y in 0..<CVPixelBufferGetHeight(image) {
        for byte in UnsafeRawBufferPointer(start: base + y * pitch, count: count) {
          hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
      }
    }
    return hash
  }
}

extension ReceivedFrame: CustomStringConvertible {
  public var description: String {
    let place = String(format: "%9.3f s", time.seconds)
    return status == noErr
      ? "\(place)  \(pixelFormat)  \(width)x\(height)  \(String(format: "%016lx", checksum))"
      : "\(place)  cannot be decoded (\(status))"
  }
}
