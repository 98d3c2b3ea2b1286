package import Codecs
package import CoreMedia
package import CoreVideo
internal import Foundation
internal import ProRes
package import ProResCompute

/// Decodes ProRes on a Vulkan device with `ProResDeviceDecoder`, several frames at a time; they come out in order, up to
/// three batches of samples later than they went in.
///
/// Damaged slices are concealed and reported; they throw nothing. Where the device fails, and the choice was left to this
/// package, the processor goes on.
package final class DeviceProResPictureDecoder: PictureDecoder, @unchecked Sendable {
  // Unchecked: everything that changes is guarded by the lock.
  package let name: String
  package let isHardware: Bool
  package let isIntra = true
  private let guardian = NSLock()
  private let decoder: ProResDeviceDecoder
  private let options: PictureDecoderOptions
  private let pictures: ProResPictures
  private let batchesInFlight: Int
  private var next = 0
  private var waiting: [WaitingSample] = []
  private var pending: [(batch: PendingBatch, samples: [WaitingSample])] = []
  private var ready: [Result<DecodedPicture, CodecError>] = []
  /// What goes on when the device has failed; nil where a device was asked for.
  private let processor: ProResDecoder?
  private var failure: CodecError?

  /// A sample whose batch is not full yet.
  private struct WaitingSample {
    let data: CMBlockBuffer
    let frame: ProResFrame
    let canvas: ProResCanvas

    /// Whether both can be decoded in one batch.
    func isLike(_ other: WaitingSample) -> Bool {
      BatchShape(frame.header) == BatchShape(other.frame.header) && canvas.buffer.isLike(other.canvas.buffer)
        && canvas.matrix == other.canvas.matrix && canvas.described.isFullRange == other.canvas.described.isFullRange
    }
  }

  /// Bytes of the pictures of a batch, and of its samples.
  private static let batchBudget = 160 << 20

  /// - Throws: `CodecError.unsupported` for a part of the size, and for a pixel format that cannot be made.
  package init(
    _ format: CMFormatDescription, _ options: PictureDecoderOptions, _ decoder: ProResDeviceDecoder, isHardware: Bool
  ) throws {
    guard options.scale == .full else {
      throw CodecError(.unsupported, "A device decodes ProRes in full size only; let the processor reduce it.")
    }
    name = "ProRes on \(decoder.deviceName)"
    self.isHardware = isHardware
    self.decoder = decoder
    self.options = options
    pictures = try ProResPictures(format, options)
    // Who may have few buffers at a time gets each as soon as it is there.
    batchesInFlight = options.pool?.threshold == nil ? 2 : 0
    do {
      processor = options.choice == .any ? try ProResDecoder(codec: CMFormatDescriptionGetMediaSubType(format)) : nil
    } catch {
      throw CodecError(error)
    }
  }

  package var warnings: [String] {
    guardian.withLock { failure.map { ["The processor decodes since the device has failed: \($0.message)"] } ?? [] }
  }

  package var pixelFormat: OSType { pictures.output.wanted }
  package var conversion: (from: OSType, to: OSType)? { pictures.output.conversion }
  package var colorConflicts: [ColorConflict] { guardian.withLock { pictures.conflicts } }

  package func decode(_ sample: CMSampleBuffer) throws -> [DecodedPicture] {
    try guardian.withLock {
      if sample.isMarked(kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding) { startAnew() }
      for single in try sample.singles() { takeIn(single) }
      if sample.isMarked(kCMSampleBufferAttachmentKey_DrainAfterDecoding) { drain() }
      return try takeReady()
    }
  }

  package func finish() throws -> [DecodedPicture] {
    try guardian.withLock {
      drain()
      return try takeReady()
    }
  }

  package func reset() { guardian.withLock { startAnew() } }

  /// The pictures up to the first sample that has none; its error is thrown by the next call.
  private func takeReady() throws -> [DecodedPicture] {
    if case .failure(let error) = ready.first {
      ready.removeFirst()
      throw error
    }
    let made = ready.prefix { if case .success = $0 { true } else { false } }
    ready.removeFirst(made.count)
    return try made.map { try $0.get() }
  }

  private func startAnew() {
    waiting = []
    pending = []
    ready = []
    pictures.forgetPrevious()
  }

  private func drain() {
    submit()
    while !pending.isEmpty { collect() }
  }
}

// MARK: - Batches

extension DeviceProResPictureDecoder {
  private func takeIn(_ sample: CMSampleBuffer) {
    guard let data = sample.dataBuffer, data.dataLength > 0 else { return }
    let number = next
    next += 1
    guard !sample.isHidden else { return }
    do {
      takeIn(try prepare(sample, data, number))
    } catch {
      // In its turn, after the samples that are still waiting.
      drain()
      ready.append(.failure(CodecError(error, sample: number)))
    }
    while pending.count > batchesInFlight { collect() }
  }

  private func prepare(_ sample: CMSampleBuffer, _ data: CMBlockBuffer, _ number: Int) throws -> WaitingSample {
    try pictures.describe(sample.formatDescription)
    let budget = options.pixelBudget ?? ProResFrame.standardPixelBudget
    let frame = try data.withContiguousStorage { try ProResFrame($0, pixelBudget: budget) }
    let canvas = try pictures.canvas(for: frame.header, SampleTimes(sample, number: number))
    return WaitingSample(data: data, frame: frame, canvas: canvas)
  }

  private func takeIn(_ sample: WaitingSample) {
    if let first = waiting.first, !first.isLike(sample) || byteCount + sample.frame.byteCount > Self.batchBudget {
      submit()
    }
    waiting.append(sample)
    if waiting.count >= framesInBatch(sample) { submit() }
  }

  /// Bytes of the samples that are waiting.
  private var byteCount: Int { waiting.reduce(0) { $0 + $1.frame.byteCount } }

  private func framesInBatch(_ sample: WaitingSample) -> Int {
    guard batchesInFlight > 0 else { return 1 }
    let byteCount = max(1, CVPixelBufferGetDataSize(sample.canvas.buffer))
    return max(1, min(BatchShape(sample.frame.header).framesInBatch, Self.batchBudget / byteCount))
  }

  private func submit() {
    guard let first = waiting.first else { return }
    let samples = waiting
    waiting = []
    if failure != nil { return decodeOnProcessor(samples) }
    var settings = ProResDeviceDecoder.Options()
    settings.matrix = first.canvas.matrix
    settings.isFullRange = first.canvas.described.isFullRange
    do {
      let batch = try withFrames(samples[...]) {
        try decoder.submit($0, into: samples.map(\.canvas.buffer), options: settings)
      }
      pending.append((batch, samples))
    } catch {
      // Samples that went before come first.
      while !pending.isEmpty { collect() }
      replace(samples, error)
    }
  }

  /// Calls `body` with the samples' frames, whose bytes stay where they are meanwhile.
  private func withFrames<R>(
    _ samples: ArraySlice<WaitingSample>, _ frames: [BatchFrame] = [], _ body: ([BatchFrame]) throws -> R
  ) throws -> R {
    guard let sample = samples.first else { return try body(frames) }
    return try sample.data.withContiguousStorage { bytes in
      try withFrames(samples.dropFirst(), frames + [BatchFrame(sample.frame, of: bytes)], body)
    }
  }

  /// Waits for the oldest batch.
  private func collect() {
    let (batch, samples) = pending.removeFirst()
    do {
      for (sample, report) in zip(samples, try batch.wait().reports) { finish(sample) { report } }
    } catch {
      replace(samples, error)
    }
  }

  private func finish(_ sample: WaitingSample, _ report: () throws -> ProResReport) {
    do {
      ready.append(.success(try pictures.finish(sample.canvas, try report())))
    } catch {
      ready.append(.failure(CodecError(error, sample: sample.canvas.times.number)))
    }
  }

  /// For samples that the device has failed on.
  private func replace(_ samples: [WaitingSample], _ error: any Error) {
    guard processor != nil else {
      ready += samples.map { .failure(CodecError(error, sample: $0.canvas.times.number)) }
      return
    }
    failure = CodecError(error)
    decodeOnProcessor(samples)
  }

  private func decodeOnProcessor(_ samples: [WaitingSample]) {
    guard let processor else { return }
    for sample in samples {
      finish(sample) {
        try sample.data.withContiguousStorage { try processor.decode($0, into: sample.canvas, options) }
      }
    }
  }
}
