import CoreMedia
import CoreVideo
import Dispatch
import Foundation
import Synchronization
import Testing
import VideoToolbox

/// What a callback was told.
struct Answer {
  let status: OSStatus
  let flags: VTDecodeInfoFlags
  let image: CVImageBuffer?
  let time: CMTime
  let duration: CMTime
  var reference = 0

  /// The frame's number, of a clip of 1/25 s a frame.
  var frame: Int { Int(time.convertScale(25, method: .default).value) }
}

extension Answer {
  var withoutImage: Answer {
    Answer(status: status, flags: flags, image: nil, time: time, duration: duration, reference: reference)
  }
}

/// Whether `work`, on another thread, comes to its end; false where it has not for a minute.
func ends(_ work: @escaping @Sendable () -> Void) -> Bool {
  let done = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    work()
    done.signal()
  }
  return done.wait(timeout: .now() + 60) == .success
}

/// Collects answers, and counts how many are given at a time.
final class Answers: @unchecked Sendable {
  // Unchecked: guarded by the condition's lock.
  private let guardian = NSCondition()
  private let keepsPictures: Bool
  private var kept: [Answer] = []
  private var running = 0
  private var mostRunning = 0

  /// - Parameter keepsPictures: whether pictures are held, or come back to their pool once the callback has returned.
  init(keepsPictures: Bool = true) { self.keepsPictures = keepsPictures }

  var all: [Answer] { guardian.withLock { kept } }
  var count: Int { all.count }
  var statuses: [OSStatus] { all.map(\.status) }
  var frames: [Int] { all.map(\.frame) }
  /// The most callbacks that ran at the same time.
  var overlap: Int { guardian.withLock { mostRunning } }

  func take(_ answer: Answer) {
    guardian.withLock {
      running += 1
      mostRunning = max(mostRunning, running)
    }
    Thread.sleep(forTimeInterval: 0)
    guardian.withLock {
      kept.append(keepsPictures ? answer : answer.withoutImage)
      running -= 1
      guardian.broadcast()
    }
  }

  /// Waits until so many answers are kept; false where they have not come for a minute.
  func wait(for count: Int) -> Bool {
    guardian.withLock {
      let limit = Date(timeIntervalSinceNow: 60)
      while kept.count < count { guard guardian.wait(until: limit) else { return false } }
      return true
    }
  }

  func removeAll() { guardian.withLock { kept = [] } }
  /// Forgets the first ones.
  func remove(_ count: Int) { guardian.withLock { kept.removeFirst(count) } }

  var handler: VTDecompressionOutputHandler {
    { self.take(Answer(status: $0, flags: $1, image: $2, time: $3, duration: $4)) }
  }
}

func makeSession(
  _ format: CMFormatDescription, _ attributes: [String: Any]? = nil, specification: [String: Any]? = nil
) throws -> VTDecompressionSession {
  var session: VTDecompressionSession?
  let status = VTDecompressionSessionCreate(
    allocator: kCFAllocatorDefault, formatDescription: format, decoderSpecification: specification,
    imageBufferAttributes: attributes, outputCallback: nil, decompressionSessionOut: &session)
  #expect(status == noErr)
  return try #require(session)
}

func creationStatus(
  _ format: CMFormatDescription, _ attributes: [String: Any]? = nil, specification: [String: Any]? = nil
) -> OSStatus {
  var session: VTDecompressionSession?
  let status = VTDecompressionSessionCreate(
    allocator: nil, formatDescription: format, decoderSpecification: specification, imageBufferAttributes: attributes,
    outputCallback: nil, decompressionSessionOut: &session)
  #expect((session == nil) == (status != noErr))
  return status
}

extension VTDecompressionSession {
  /// Decodes with a handler that collects.
  @discardableResult
  func decode(
    _ sample: CMSampleBuffer, _ flags: VTDecodeFrameFlags, _ answers: Answers,
    info: UnsafeMutablePointer<VTDecodeInfoFlags>? = nil
  ) -> OSStatus {
    VTDecompressionSessionDecodeFrame(
      self, sampleBuffer: sample, flags: flags, infoFlagsOut: info, outputHandler: answers.handler)
  }

  @discardableResult
  func decode(
    _ sample: CMSampleBuffer, _ answers: Answers, info: UnsafeMutablePointer<VTDecodeInfoFlags>? = nil
  ) -> OSStatus { decode(sample, [], answers, info: info) }

  func property<Value>(_ key: CFString, as type: Value.Type = Value.self) throws -> Value? {
    var value: Value?
    #expect(VTSessionCopyProperty(self, key: key, allocator: nil, valueOut: &value) == noErr)
    return value
  }

  func set(_ key: CFString, _ value: Any?) -> OSStatus { VTSessionSetProperty(self, key: key, value: value) }
}

extension CVBuffer {
  /// The visible bytes of each row of a plane.
  func rows(_ plane: Int) -> [[UInt8]] {
    let layout = PixelFormat.description(of: CVPixelBufferGetPixelFormatType(self))!.planes[plane]
    return withPlane(plane, readOnly: true) { base, pitch, width, height in
      let count = (width + layout.blockWidth - 1) / layout.blockWidth * layout.bytesPerBlock
      return (0..<height).map { Array(UnsafeRawBufferPointer(start: base + $0 * pitch, count: count)) }
    }
  }
}
