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
      let samples = try? buffer.singles()
    else { return kVTParameterErr }
    guard accepts(buffer.formatDescription ?? format) else { return kVTFormatDescriptionChangeNotSupportedErr }
    guard let work = register(buffer, samples, flags, output) else { return kVTInvalidSessionErr }
    if work.isAsynchronous {
      infoOut?.pointee = .asynchronous
      decodingQueue.async(qos: withState { $0.settings.isRealTime } ? .userInitiated : .utility) { [self] in
        perform(work)
        outputQueue.async { [self] in giveAnswers() }
      }
    } else {
      decodingQueue.sync { perform(work) }
      infoOut?.pointee = outcome(of: work)
      giveAnswers()
    }
    return noErr
  }

  private func register(
    _ buffer: CMSampleBuffer, _ samples: [CMSampleBuffer], _ flags: VTDecodeFrameFlags, _ output: FrameOutput
  ) -> FrameWork? {
    let isAsynchronous = flags.contains(._EnableAsynchronousDecompression)
    let requests = withState { state -> [FrameRequest]? in
      guard !state.isInvalid else { return nil }
      return samples.map { sample in
        defer { state.nextSerial += 1 }
        state.waiting[state.nextSerial] = sample.presentationTimeStamp
        return FrameRequest(
          output: output, presentationTime: sample.presentationTimeStamp, duration: sample.duration,
          isAsynchronous: isAsynchronous, isHidden: flags.contains(._DoNotOutputFrame) || sample.isHidden,
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

  private func perform(_ work: FrameWork) {
    let (isInvalid, settings) = withState { ($0.isInvalid, $0.settings) }
    if isInvalid {
      put(work.requests.map { $0.answer(kVTInvalidSessionErr, .frameInterrupted) })
    } else {
      bench.perform(work, settings, put)
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

  /// Gives all answers that are ready; when it returns, those that another thread was giving have been given too.
  private func giveAnswers() {
    turn.lock()
    defer { turn.unlock() }
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
      decodingQueue.sync { bench.finish(put) }
      giveAnswers()
    } else {
      decodingQueue.async { [self] in
        bench.finish(put)
        outputQueue.async { [self] in giveAnswers() }
      }
    }
    return noErr
  }

  func invalidate() {
    let wasValid = withState { state in
      defer { state.isInvalid = true }
      return !state.isInvalid
    }
    guard wasValid else { return }
    bench.stopWaiting()
    decodingQueue.sync { bench.abandon(put) }
    giveAnswers()
  }
}

// MARK: - What the pictures are

extension DecompressionEngine {
  /// The pool of what is put out, made for what the description lets expect where there was no picture.
  func pool() -> CVPixelBufferPool? {
    if let pool = bench.pool { return pool }
    let size = bench.traits.outputSize(withState { $0.settings })
    return bench.preparedPool(Int(size.width), Int(size.height))
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

  /// From now on pictures come from a pool that keeps so many.
  func renewPool(minimumCount: Int) { bench.renewPools(minimumCount: minimumCount) }
}
