import Codecs
import CoreMedia
import Foundation
import ProRes
import Synchronization
import VideoToolbox

/// A device that decodes ProRes as the processor does, and holds several frames in flight.
struct SlowDevice: DecodingDevice {
  let name: String
  var isHardware = true
  var inFlight = 3
  /// Whether it decodes a part of the size.
  var takesParts = true
  /// The number of a sample that fails, in its turn.
  var failing: Int?
  /// Counts the decoders.
  let made = Counter()

  final class Counter: Sendable {
    private let number = Mutex(0)
    var count: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
  }

  func canDecode(_ codec: CMVideoCodecType) -> Bool { codec == kCMVideoCodecType_AppleProRes422HQ }

  func makeDecoder(for format: CMFormatDescription, options: PictureDecoderOptions) throws -> any PictureDecoder {
    guard takesParts || options.scale == .full else { throw CodecError(.unsupported, "Whole pictures only.") }
    made.add()
    var options = options
    options.choice = .processor
    let decoder = try PictureDecoderFactory.standard.makeDecoder(for: format, options: options)
    return SlowDecoder(decoder, self)
  }
}

private final class SlowDecoder: PictureDecoder, @unchecked Sendable {
  // Unchecked: guarded by the lock.
  private let guardian = NSLock()
  private let decoder: any PictureDecoder
  private var held: [DecodedPicture] = []
  private let inFlight: Int
  private let failing: Int?
  let name: String
  let isHardware: Bool

  init(_ decoder: any PictureDecoder, _ device: SlowDevice) {
    self.decoder = decoder
    name = device.name
    isHardware = device.isHardware
    inFlight = device.inFlight
    failing = device.failing
  }

  var isIntra: Bool { true }
  var pixelFormat: OSType { decoder.pixelFormat }
  var conversion: (from: OSType, to: OSType)? { decoder.conversion }
  var colorConflicts: [ColorConflict] { decoder.colorConflicts }

  func decode(_ sample: CMSampleBuffer) throws -> [DecodedPicture] {
    try guardian.withLock {
      held += try decoder.decode(sample)
      return try take(held.count - inFlight)
    }
  }

  /// The first `count` pictures that are held; only those before the sample that fails, and next time its error.
  private func take(_ count: Int) throws -> [DecodedPicture] {
    if let first = held.first, first.sample == failing, count > 0 {
      held.removeFirst()
      throw CodecError(.damaged, "The sample fails.", sample: first.sample)
    }
    let due = Array(held.prefix(max(0, count)).prefix { $0.sample != failing })
    held.removeFirst(due.count)
    return due
  }

  func finish() throws -> [DecodedPicture] {
    try guardian.withLock {
      held += try decoder.finish()
      return try take(held.count)
    }
  }

  func reset() {
    guardian.withLock { held = [] }
    decoder.reset()
  }
}
