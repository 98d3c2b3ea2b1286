internal import Codecs
internal import CoreMedia
internal import CoreVideo
internal import Dispatch
internal import Foundation

/// The work of a decompression session: frames are decoded one after the other on one queue, and their answers are given one after the
/// other by another, or by the caller who waits for them.
///
///     decode ─→ decoding queue ─→ answers ─→ output queue (asynchronous frames)
///                                       └──→ the caller (all others)
final class DecompressionEngine: @unchecked Sendable {
  // Unchecked: `state` is guarded by the lock, `bench` is used on the decoding queue alone.
  let format: CMFormatDescription
  let attributes: ImageBufferAttributes
  private let bench: DecodingBench
  private let guardian = NSLock()
  private var state: State
  private let decodingQueue = DispatchQueue(label: "VTDecompressionSession.decoding")
  private let outputQueue = DispatchQueue(label: "VTDecompressionSession.output")
  /// Held while a callback runs; the callback may call the session.
  private let turn = NSRecursiveLock()

  struct State {
    var settings = SessionSettings()
    var isInvalid = false
    var nextSerial = 0
    /// Works that have been handed in and not begun.
    var queued = 0
    /// The thread on which callbacks run, while they do.
    var callbackThread: pthread_t?
    /// The presentation times of frames that have not been answered.
    var waiting: [Int: CMTime] = [:]
    /// In the order in which they are given; those before `given` have been.
    var answers: [FrameAnswer] = []
    var given = 0
  }

  init(
    _ format: CMFormatDescription, _ specification: DecoderSpecification, _ attributes: ImageBufferAttributes,
    _ factory: PictureDecoderFactory
  ) throws {
    self.format = format
    self.attributes = attributes
    bench = try DecodingBench(format, specification, attributes, factory)
    state = State()
    state.settings.minimumCount = attributes.minimumCount
  }

  func withState<R>(_ body: (inout State) throws -> R) rethrows -> R { try guardian.withLock { try body(&state) } }
  var isValid: Bool { withState { !$0.isInvalid } }
  func accepts(_ format: CMFormatDescription) -> Bool { bench.traits.accepts(format) }
  var traits: DecodingBench.Traits { bench.traits }
}

// MARK: - Handing in

extension DecompressionEngine {
  func decode(
    _ buffer: CMSampleBuffer, _ flags: VTDecodeFrameFlags, _ infoOut: UnsafeMutablePointer<VTDecodeInfoFlags>?,
    _ output: FrameOutput
  ) -> OSStatus {
    infoOut?.pointee = []
    guard isValid else { return kVTInvalidSessionErr }
    guard buffer.isValid, buffer.imageBuffer == nil, buffer.numSamples == 0 || buffer.dataBuffer != nil,
      let samples = try? FrameWork.samples(of: buffer)
    else { return kVTParameterErr }
    guard accepts(buffer.formatDescription ?? format) else { return kVTFormatDescriptionChangeNotSupportedErr }
    guard let work = register(buffer, samples, flags, output) else { return kVTInvalidSessionErr }
    if work.isAsynchronous {
      infoOut?.pointee = .asynchronous
      decodingQueue.async(qos: withState { $0.settings.isRealTime } ? .userInitiated : .utility) { [self] in
        perform(work, putAndGive)
      }
    } else {
      decodeNow(work, infoOut)
    }
    return noErr
  }

  private func decodeNow(_ work: FrameWork, _ infoOut: UnsafeMutablePointer<VTDecodeInfoFlags>?) {
    // Where pictures are few, the first must be put out before there can be a second.
    let pieces = attributes.threshold == nil ? [work] : work.pieces
    withState { $0.queued += pieces.count - 1 }
    for piece in pieces {
      // The caller may be the one who holds the pictures that others wait for.
      bench.pools.hurrying { decodingQueue.sync { perform(piece, put) } }
      infoOut?.pointee.formUnion(outcome(of: piece))
      giveAnswers()
    }
  }

  private func register(
    _ buffer: CMSampleBuffer, _ samples: [CMSampleBuffer], _ flags: VTDecodeFrameFlags, _ output: FrameOutput
  ) -> FrameWork? {
    let isAsynchronous = flags.contains(._EnableAsynchronousDecompression)
    let requests = withState { state -> [FrameRequest]? in
      guard !state.isInvalid else { return nil }
      state.queued += 1
      return samples.map { sample in
        defer { state.nextSerial += 1 }
        state.waiting[state.nextSerial] = sample.presentationTimeStamp
        return FrameRequest(
          output: output, presentationTime: sample.presentationTimeStamp, duration: sample.duration,
          isAsynchronous: isAsynchronous, mayBeHeld: flags.contains(._EnableTemporalProcessing),
          isHidden: flags.contains(._DoNotOutputFrame) || sample.isHidden,
          serial: state.nextSerial)
      }
    }
    return requests.map {
      FrameWork(
        samples: samples, requests: $0, format: buffer.formatDescription ?? format, isAsynchronous: isAsynchronous,
        mayWait: isAsynchronous || flags.contains(._EnableTemporalProcessing),
        resets: buffer.isMarked(kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding),
        drains: buffer.isMarked(kCMSampleBufferAttachmentKey_DrainAfterDecoding))
    }
  }

  private func perform(_ work: FrameWork, _ put: DecodingBench.Put) {
    let (isInvalid, settings) = withState { state in
      state.queued -= 1
      return (state.isInvalid, state.settings)
    }
    if isInvalid {
      put(work.requests.map { $0.answer(kVTInvalidSessionErr, .frameInterrupted) })
    } else {
      bench.perform(work, settings, isIdle: { withState { $0.queued == 0 } }, put)
    }
  }

  /// What is known of a synchronous frame before its callback is made.
  private func outcome(of work: FrameWork) -> VTDecodeInfoFlags {
    withState { state in
      let serials = Set(work.requests.map(\.serial))
      let answers = state.answers[state.given...].filter { serials.contains($0.request.serial) }
      let unanswered = serials.subtracting(answers.map(\.request.serial)).intersection(state.waiting.keys)
      if !unanswered.isEmpty { return .asynchronous }
      return answers.first { $0.flags.contains(.frameDropped) }.map { _ in .frameDropped } ?? []
    }
  }
}

// MARK: - Answering

extension DecompressionEngine {
  private func put(_ answers: [FrameAnswer]) { withState { $0.answers += answers } }

  /// Each as soon as it is there: the next frame may wait for the picture to come back.
  private func putAndGive(_ answers: [FrameAnswer]) {
    put(answers)
    outputQueue.async { [self] in giveAnswers() }
  }

  /// Gives all answers that are ready; when it returns, those that another thread was giving have been given too.
  private func giveAnswers() {
    turn.lock()
    let outer = withState { state in
      defer { state.callbackThread = pthread_self() }
      return state.callbackThread
    }
    defer {
      withState { $0.callbackThread = outer }
      turn.unlock()
    }
    while let answer = nextAnswer() { answer.deliver() }
  }

  private func nextAnswer() -> FrameAnswer? {
    withState { state in
      guard state.given < state.answers.count else {
        state.answers.removeAll(keepingCapacity: true)
        state.given = 0
        return nil
      }
      let answer = state.answers[state.given]
      state.given += 1
      state.waiting[answer.request.serial] = nil
      // Pictures that were given must not be held until the queue is empty.
      if state.given >= 32 {
        state.answers.removeFirst(state.given)
        state.given = 0
      } else {
        state.answers[state.given - 1] = answer.withoutImage
      }
      return answer
    }
  }

  func finish(waits: Bool) -> OSStatus {
    guard isValid else { return kVTInvalidSessionErr }
    if waits {
      // A callback holds its picture, and no other is called meanwhile.
      isInCallback ? bench.pools.hurrying { decodingQueue.sync { drain() } } : decodingQueue.sync { drain() }
      giveAnswers()
    } else {
      decodingQueue.async { [self] in drain() }
    }
    return noErr
  }

  private func drain() {
    bench.pools.setWaiting(true)
    bench.finish(putAndGive)
  }

  /// Whether it is a callback, on its way, that calls.
  private var isInCallback: Bool { withState { $0.callbackThread } == pthread_self() }

  func invalidate() {
    let wasValid = withState { state in
      defer { state.isInvalid = true }
      return !state.isInvalid
    }
    guard wasValid else { return }
    bench.pools.stopWaiting()
    decodingQueue.sync { bench.abandon(put) }
    giveAnswers()
  }
}

// MARK: - What the pictures are

extension DecompressionEngine {
  /// The pool of what is put out, made for what the description lets expect where there was no picture.
  func pool() -> CVPixelBufferPool? {
    let settings = withState { $0.settings }
    let pictures = bench.pool(settings)
    if let pool = pictures.pool { return pool }
    let size = bench.traits.outputSize(settings)
    return try? pictures.prepare(width: Int(size.width), height: Int(size.height), format: bench.pixelFormat)
  }

  func blackPicture() throws -> CVPixelBuffer {
    let size = bench.traits.outputSize(withState { $0.settings })
    let buffer = try CVBuffer.make(
      width: Int(size.width), height: Int(size.height), format: bench.pixelFormat, attributes: attributes.others)
    try BlackPicture.fill(buffer)
    return buffer
  }

  var pixelFormat: OSType { bench.pixelFormat }
  var isShared: Bool { bench.isShared }

  var isHardware: Bool { bench.isHardware }

  /// From now on pictures come from a pool that keeps so many.
  func renewPools(minimumCount: Int) { bench.pools.renew(minimumCount: minimumCount) }
}
