internal import Codecs
internal import CoreMedia
internal import CoreVideo
internal import Foundation
internal import ProRes

/// The decoders of a session, one for each format description that comes, with the frames inside them.
///
/// Used on one queue, but for what is said to be safe from any thread.
final class DecodingBench: @unchecked Sendable {
  // Unchecked: `pools` and `current` are guarded by the lock; the rest is used on one queue.
  typealias Put = ([FrameAnswer]) -> Void

  let traits: Traits
  private let factory: PictureDecoderFactory
  private let choice: PictureDecoderOptions.Choice
  private let wanted: OSType?
  private var decodings: [Decoding] = []
  private var generation = 0
  private var isLowDelay = true
  private var frames = FrameCounter()
  private let guardian = NSLock()
  private var pools: Pools
  private var current: any PictureDecoder

  /// Descriptions that a track may change between without a new decoder each time.
  private static let mostDecodings = 4

  struct Pools {
    let output: PicturePool
    /// Of pictures that are then scaled or deinterlaced.
    let between: PicturePool
  }

  init(
    _ format: CMFormatDescription, _ specification: DecoderSpecification, _ attributes: ImageBufferAttributes,
    _ factory: PictureDecoderFactory
  ) throws {
    self.factory = factory
    choice = specification.choice
    let first = try factory.makeDecoder(for: format, options: PictureDecoderOptions(choice: choice))
    if specification.requiresHardware, !first.isHardware { throw SessionError(status: kVTCouldNotFindVideoDecoderErr) }
    let isProRes = ProResDecoder.codecs.contains(CMFormatDescriptionGetMediaSubType(format))
    current = try Self.decoder(format, choice, attributes.pixelFormats, factory) ?? first
    // What another description is decoded as must not depend on it.
    wanted = attributes.pixelFormats.isEmpty && !isProRes ? nil : current.pixelFormat
    traits = Traits(
      format: format, isProRes: isProRes, isIntra: first.isIntra, isHardware: first.isHardware,
      nativeFormat: first.pixelFormat, attributes: attributes)
    pools = Self.pools(attributes, attributes.minimumCount)
  }

  /// The decoder for the first format that costs no conversion, else for the first that can be made; nil where none is asked for.
  private static func decoder(
    _ format: CMFormatDescription, _ choice: PictureDecoderOptions.Choice, _ candidates: [OSType],
    _ factory: PictureDecoderFactory
  ) throws -> (any PictureDecoder)? {
    guard !candidates.isEmpty else { return nil }
    let made = candidates.prefix(64).compactMap {
      try? factory.makeDecoder(for: format, options: PictureDecoderOptions(pixelFormat: $0, choice: choice))
    }
    guard let first = made.first else { throw SessionError(status: kVTPixelTransferNotSupportedErr) }
    return made.first { $0.conversion == nil } ?? first
  }

  private static func pools(_ attributes: ImageBufferAttributes, _ minimumCount: Int) -> Pools {
    func pool() -> PicturePool {
      PicturePool(attributes: attributes.others, minimumCount: minimumCount, threshold: attributes.threshold)
    }
    return Pools(output: pool(), between: pool())
  }
}

// MARK: - From any thread

extension DecodingBench {
  private var currentPools: Pools { guardian.withLock { pools } }
  private var currentDecoder: any PictureDecoder { guardian.withLock { current } }

  var pixelFormat: OSType { wanted ?? currentDecoder.pixelFormat }
  var pool: CVPixelBufferPool? { currentPools.output.pool }
  var isShared: Bool { currentDecoder.conversion == nil && traits.attributes.size == nil }

  func preparedPool(_ width: Int, _ height: Int) -> CVPixelBufferPool? {
    try? currentPools.output.prepare(width: width, height: height, format: pixelFormat)
  }

  func renewPools(minimumCount: Int) {
    let made = Self.pools(traits.attributes, minimumCount)
    let old = guardian.withLock {
      defer { pools = made }
      return pools
    }
    old.output.stopWaiting()
    old.between.stopWaiting()
  }

  func stopWaiting() {
    let pools = currentPools
    pools.output.stopWaiting()
    pools.between.stopWaiting()
  }
}

// MARK: - On the decoding queue

extension DecodingBench {
  func perform(_ work: FrameWork, _ settings: SessionSettings, _ put: Put) {
    do {
      let decoding = try decoding(for: work, settings, put)
      if work.resets { decoding.abandon(noErr, .frameDropped, put) }
      for (sample, request) in zip(marked(work), work.requests) {
        if settings.leavesOut(sample) || (traits.isIntra && frames.drops(settings.delivery)) {
          put([request.answer(noErr, .frameDropped)])
        } else {
          decoding.decode(sample, request, put)
        }
      }
      // Frames of which none needs another are in flight only to be decoded together.
      if work.drains || (traits.isIntra && !work.mayWait) { decoding.drain(put) }
    } catch {
      put(work.requests.map { $0.answer(frameStatus(of: error), []) })
    }
  }

  /// Several samples of a buffer were reset and drained with it, not each.
  private func marked(_ work: FrameWork) -> [CMSampleBuffer] {
    guard work.samples.count > 1 else { return work.samples }
    for sample in work.samples {
      CMRemoveAttachment(sample, key: kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding)
      CMRemoveAttachment(sample, key: kCMSampleBufferAttachmentKey_DrainAfterDecoding)
    }
    return work.samples
  }

  func finish(_ put: Put) { for decoding in decodings { decoding.drain(put) } }

  func abandon(_ put: Put) {
    for decoding in decodings { decoding.abandon(kVTInvalidSessionErr, .frameInterrupted, put) }
    decodings = []
  }

  private func decoding(for work: FrameWork, _ settings: SessionSettings, _ put: Put) throws -> Decoding {
    // A decoder that works on several frames at a time holds them back: only callers who wait for nothing get one.
    let needsOther = settings.generation != generation || (work.mayWait && isLowDelay && !traits.isIntra)
    if needsOther {
      finish(put)
      decodings = []
      generation = settings.generation
      if work.mayWait { isLowDelay = false }
    }
    if let last = decodings.last, last.format == work.format { return last.with(currentPools, settings) }
    decodings.last?.drain(put)
    if let place = decodings.firstIndex(where: { $0.format == work.format }) {
      decodings.append(decodings.remove(at: place))
    } else {
      decodings.append(try makeDecoding(work.format, settings))
      if decodings.count > Self.mostDecodings { decodings.removeFirst() }
    }
    let chosen = decodings[decodings.count - 1]
    guardian.withLock { current = chosen.decoder }
    return chosen.with(currentPools, settings)
  }

  private func makeDecoding(_ format: CMFormatDescription, _ settings: SessionSettings) throws -> Decoding {
    let pools = currentPools
    var options = PictureDecoderOptions(pixelFormat: wanted, choice: choice)
    options.threads = settings.threads
    options.isLowDelay = isLowDelay
    options.concealment = settings.concealsWithPrevious ? .previousPicture : .grey
    options.scale = settings.scale(format.dimensions)
    options.pool = traits.attributes.size == nil && settings.fields == .both ? pools.output : pools.between
    return Decoding(
      format: format, decoder: try factory.makeDecoder(for: format, options: options), size: traits.attributes.size,
      isModifiable: !settings.concealsWithPrevious)
  }
}

/// Which frames of many are put out, evenly.
struct FrameCounter {
  private var seen = 0

  /// Counts a frame; whether it is left out. Of a share of 0.4, the frames 2, 4, 7, 9, 12… are put out.
  mutating func drops(_ share: Double?) -> Bool {
    guard let share else { return false }
    defer { seen += 1 }
    return (Double(seen + 1) * share + 1e-9).rounded(.down) == (Double(seen) * share + 1e-9).rounded(.down)
  }
}
