internal import Codecs
internal import CoreMedia
internal import CoreVideo
internal import Foundation
internal import ProRes

/// The decoders of a session, one for each format description that comes, with the frames inside them.
///
/// Used on one queue, but for what is said to be safe from any thread.
final class DecodingBench: @unchecked Sendable {
  // Unchecked: `current` is guarded by the lock; the rest that changes is used on one queue.
  typealias Put = ([FrameAnswer]) -> Void

  let traits: Traits
  let pools: SessionPools
  private let maker: DecoderMaker
  private let wanted: OSType?
  private var decodings: [Decoding] = []
  private var generation = 0
  private var isLowDelay = true
  private var frames = FrameCounter()
  private let guardian = NSLock()
  private var current: any PictureDecoder

  /// Descriptions that a track may change between without a new decoder each time.
  private static let mostDecodings = 4

  init(
    _ format: CMFormatDescription, _ specification: DecoderSpecification, _ attributes: ImageBufferAttributes,
    _ factory: PictureDecoderFactory
  ) throws {
    maker = DecoderMaker(factory: factory, specification: specification)
    let first = try maker.decoder(format)
    let isProRes = ProResDecoder.codecs.contains(CMFormatDescriptionGetMediaSubType(format))
    current = try maker.decoder(format, candidates: attributes.pixelFormats) ?? first
    // What another description is decoded as must not depend on it.
    wanted = attributes.pixelFormats.isEmpty && !isProRes ? nil : current.pixelFormat
    traits = Traits(
      format: format, isProRes: isProRes, isIntra: first.isIntra, isDeviceRequired: specification.requiresDevice,
      nativeFormat: first.pixelFormat, attributes: attributes)
    pools = try SessionPools(attributes, current.pixelFormat)
  }
}

/// Makes decoders as a session's specification wants them.
struct DecoderMaker {
  let factory: PictureDecoderFactory
  let specification: DecoderSpecification

  /// Formats that are tried where several are asked for.
  private static let mostCandidates = 64

  func decoder(
    _ format: CMFormatDescription, pixelFormat: OSType? = nil,
    _ change: (inout PictureDecoderOptions) -> Void = { _ in }
  ) throws -> any PictureDecoder {
    var options = PictureDecoderOptions(pixelFormat: pixelFormat, choice: specification.choice)
    change(&options)
    let made = try factory.makeDecoder(for: format, options: options)
    if specification.requiresHardware, !made.isHardware { throw SessionError(status: kVTCouldNotFindVideoDecoderErr) }
    return made
  }

  /// The decoder for the first format that costs no conversion, else for the first that can be made; nil where none is asked for.
  func decoder(_ format: CMFormatDescription, candidates: [OSType]) throws -> (any PictureDecoder)? {
    guard !candidates.isEmpty else { return nil }
    var first: (any PictureDecoder)?
    for candidate in candidates.prefix(Self.mostCandidates) {
      guard let made = try? decoder(format, pixelFormat: candidate) else { continue }
      if made.conversion == nil { return made }
      first = first ?? made
    }
    guard let first else { throw SessionError(status: kVTPixelTransferNotSupportedErr) }
    return first
  }
}

// MARK: - From any thread

extension DecodingBench {
  private var currentDecoder: any PictureDecoder { guardian.withLock { current } }

  var pixelFormat: OSType { wanted ?? currentDecoder.pixelFormat }
  var isHardware: Bool { currentDecoder.isHardware }
  var isShared: Bool { currentDecoder.conversion == nil && traits.attributes.size == nil }

  /// The pool of what is put out.
  func pool(_ settings: SessionSettings) -> PicturePool {
    traits.attributes.size == nil && settings.fields == .both ? pools.decoded : pools.finished
  }
}

// MARK: - On the decoding queue

extension DecodingBench {
  /// - Parameter isIdle: whether no other work has come meanwhile.
  func perform(_ work: FrameWork, _ settings: SessionSettings, isIdle: () -> Bool, _ put: Put) {
    pools.setWaiting(work.isAsynchronous)
    do {
      let decoding = try decoding(for: work, settings, put)
      if work.resets { decoding.abandon(noErr, .frameDropped, put) }
      for (sample, request) in zip(work.samples, work.requests) {
        if settings.leavesOut(sample) || (traits.isIntra && frames.drops(settings.delivery)) {
          put([request.answer(noErr, .frameDropped)])
        } else {
          decoding.decode(sample, request, put)
        }
      }
      if work.drains { decoding.drain(put) }
    } catch {
      put(work.requests.map { $0.answer(frameStatus(of: error), []) })
    }
    // Frames of which none needs another are in flight only to be decoded together with those that have come already.
    guard let last = decodings.last, last.decoder.isIntra, last.owesAnswers else { return }
    if !work.isAsynchronous || isIdle() { last.drain(put) }
  }

  func finish(_ put: Put) { for decoding in decodings { decoding.drain(put) } }

  func abandon(_ put: Put) {
    for decoding in decodings { decoding.abandon(kVTInvalidSessionErr, .frameInterrupted, put) }
    decodings = []
  }

  private func decoding(for work: FrameWork, _ settings: SessionSettings, _ put: Put) throws -> Decoding {
    renew(for: work, settings, put)
    if let last = decodings.last, last.format == work.format { return last.with(settings) }
    decodings.last?.drain(put)
    if let place = decodings.firstIndex(where: { $0.format == work.format }) {
      decodings.append(decodings.remove(at: place))
    } else {
      decodings.append(try makeDecoding(work.format, settings))
      if decodings.count > Self.mostDecodings { decodings.removeFirst() }
    }
    // Each keeps the picture that it conceals with.
    pools.decoded.reserve = settings.concealsWithPrevious ? decodings.count : 0
    let chosen = decodings[decodings.count - 1]
    guardian.withLock { current = chosen.decoder }
    return chosen.with(settings)
  }

  /// Gives up decoders that others are to take the place of, once no frame to come needs those before.
  private func renew(for work: FrameWork, _ settings: SessionSettings, _ put: Put) {
    guard decodings.isEmpty || traits.isIntra || work.startsAnew else { return }
    // A decoder that works on several frames at a time holds them back: only callers who wait for nothing get one.
    let needsOther = settings.generation != generation || (work.mayWait && isLowDelay && !traits.isIntra)
    guard needsOther else { return }
    finish(put)
    decodings = []
    generation = settings.generation
    if work.mayWait { isLowDelay = false }
  }

  private func makeDecoding(_ format: CMFormatDescription, _ settings: SessionSettings) throws -> Decoding {
    let decoder = try maker.decoder(format, pixelFormat: wanted) { options in
      options.threads = settings.threads
      options.isLowDelay = isLowDelay
      options.concealment = settings.concealsWithPrevious ? .previousPicture : .grey
      options.scale = settings.scale(format.dimensions)
      options.pool = pools.decoded
    }
    return Decoding(
      format: format, decoder: decoder, size: traits.attributes.size, isModifiable: !settings.concealsWithPrevious,
      pools: pools)
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
