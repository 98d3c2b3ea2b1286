internal import Codecs
internal import Compute
internal import CoreMedia
internal import CoreVideo
internal import Foundation
internal import ProRes
internal import ProResCompute

/// Decodes ProRes on a Vulkan device with `ProResDeviceDecoder`, several frames at a time; they come out in order, up to
/// `framesInFlight` samples later than they went in.
///
/// Damaged slices are concealed and reported; they throw nothing.
final class DeviceProResPictureDecoder: PictureDecoder, @unchecked Sendable {
  // Unchecked: everything that changes is guarded by the lock.
  let name: String
  let isHardware: Bool
  let isIntra = true
  private let guardian = NSLock()
  private let decoder: ProResDeviceDecoder
  private let options: PictureDecoderOptions
  private let pictures: ProResPictures
  private let batchesInFlight: Int
  private var next = 0
  private var waiting: [WaitingSample] = []
  private var pending: [(batch: PendingBatch, canvases: [ProResCanvas])] = []
  private var ready: [DecodedPicture] = []
  private var previous: CVPixelBuffer?

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

  /// Bytes of the pictures of a batch.
  private static let batchBudget = 160 << 20

  /// - Throws: `CodecError.unsupported` for a part of the size, and for a pixel format that cannot be made.
  init(
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
  }

  var pixelFormat: OSType { pictures.output.wanted }
  var conversion: (from: OSType, to: OSType)? { pictures.output.conversion }
  var colorConflicts: [ColorConflict] { guardian.withLock { pictures.conflicts } }

  func decode(_ sample: CMSampleBuffer) throws -> [DecodedPicture] {
    try guardian.withLock {
      if sample.isMarked(kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding) { startAnew() }
      var failure: (any Error)?
      for single in try sample.singles() {
        do { try takeIn(single) } catch { failure = failure ?? error }
      }
      if sample.isMarked(kCMSampleBufferAttachmentKey_DrainAfterDecoding) { try drain() }
      if let failure { throw failure }
      return takeReady()
    }
  }

  func finish() throws -> [DecodedPicture] {
    try guardian.withLock {
      try drain()
      return takeReady()
    }
  }

  func reset() { guardian.withLock { startAnew() } }

  private func takeReady() -> [DecodedPicture] {
    defer { ready = [] }
    return ready
  }

  private func startAnew() {
    waiting = []
    pending = []
    ready = []
    previous = nil
  }

  private func drain() throws {
    try submit()
    while !pending.isEmpty { try collect() }
  }
}

// MARK: - Batches

extension DeviceProResPictureDecoder {
  private func takeIn(_ sample: CMSampleBuffer) throws {
    guard let data = sample.dataBuffer, data.dataLength > 0 else { return }
    let number = next
    next += 1
    guard !sample.isHidden else { return }
    let made: WaitingSample
    do {
      try pictures.describe(sample.formatDescription)
      let budget = options.pixelBudget ?? ProResFrame.standardPixelBudget
      let frame = try data.withContiguousStorage { try ProResFrame($0, pixelBudget: budget) }
      let canvas = try pictures.canvas(for: frame.header, SampleTimes(sample, number: number))
      made = WaitingSample(data: data, frame: frame, canvas: canvas)
    } catch {
      throw CodecError(error, sample: number)
    }
    if let first = waiting.first, !first.isLike(made) { try submit() }
    waiting.append(made)
    if waiting.count >= framesInBatch(made) { try submit() }
    while pending.count > batchesInFlight { try collect() }
  }

  private func framesInBatch(_ sample: WaitingSample) -> Int {
    guard batchesInFlight > 0 else { return 1 }
    let byteCount = max(1, CVPixelBufferGetDataSize(sample.canvas.buffer))
    return max(1, min(BatchShape(sample.frame.header).framesInBatch, Self.batchBudget / byteCount))
  }

  private func submit() throws {
    guard let first = waiting.first else { return }
    let samples = waiting
    waiting = []
    var settings = ProResDeviceDecoder.Options()
    settings.matrix = first.canvas.matrix
    settings.isFullRange = first.canvas.described.isFullRange
    do {
      let batch = try withFrames(samples[...]) {
        try decoder.submit($0, into: samples.map(\.canvas.buffer), options: settings)
      }
      pending.append((batch, samples.map(\.canvas)))
    } catch {
      throw CodecError(error, sample: first.canvas.times.number)
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
  private func collect() throws {
    let (batch, canvases) = pending.removeFirst()
    do {
      for (canvas, report) in zip(canvases, try batch.wait().reports) {
        try conceal(report, canvas)
        ready.append(try pictures.finish(canvas, report))
        if options.concealment == .previousPicture { previous = canvas.buffer }
      }
    } catch {
      throw CodecError(error, sample: canvases.first?.times.number)
    }
  }

  /// Puts the last picture in place of what is damaged, where that is asked for and there is one.
  private func conceal(_ report: ProResReport, _ canvas: ProResCanvas) throws {
    guard !report.isSound, let previous, previous.isLike(canvas.buffer), !canvas.output.compressesRange else { return }
    _ = CVPixelBufferLockBaseAddress(canvas.buffer, [])
    _ = CVPixelBufferLockBaseAddress(previous, .readOnly)
    defer {
      _ = CVPixelBufferUnlockBaseAddress(previous, .readOnly)
      _ = CVPixelBufferUnlockBaseAddress(canvas.buffer, [])
    }
    let destination = try ProResDestination(locked: canvas.buffer)
    let other = try ProResDestination(locked: previous)
    for damage in report.damage { destination.copy(damage, from: other, report.header.chroma) }
  }
}
