internal import CFFmpeg
package import CoreMedia
package import CoreVideo
internal import Foundation

/// Decodes the samples of one video format description with libavcodec.
///
/// Pictures come out in presentation order, each once, with the exact time of their sample. Safe to use from any thread;
/// calls wait for each other.
package final class VideoDecoder: @unchecked Sendable {
  // Unchecked: everything is guarded by the lock.
  /// How the work is spread over threads.
  package enum Threading: Sendable, Hashable {
    /// Frames for HEVC, VP9 and others with references between frames; slices for H.264 and for codecs without.
    case automatic
    /// Several frames at a time: the fastest; a frame comes out `threads - 1` samples later, and memory grows by a
    /// few frames a thread. Damage of H.264 may go unreported.
    case frames
    /// Parts of a frame at a time: no delay, no memory; only some streams are divided, and HEVC uses one thread, since
    /// libavcodec's wavefronts do not report damage.
    case slices
  }

  package struct Options: Sendable {
    /// The pixel format to deliver; nil for the native one.
    package var pixelFormat: OSType?
    /// 0 chooses by the number of cores, up to `maximumThreads`.
    package var threads = 0
    package var threading = Threading.automatic
    /// The largest picture, in pixels, that memory is given to.
    package var pixelBudget = VideoDecoder.standardPixelBudget
    /// Where the buffers come from; nil for a pool of the decoder's own.
    package var pool: PicturePool?

    package init(pixelFormat: OSType? = nil, threads: Int = 0) {
      self.pixelFormat = pixelFormat
      self.threads = threads
    }
  }

  /// 8192 x 8192.
  package static let standardPixelBudget = 1 << 26
  package static let maximumThreads = 16
  /// Frames that are decoded at a time unless more are asked for; each costs memory.
  private static let standardFrameThreads = 4

  private let guardian = NSLock()
  private let context: CodecContext
  private let output: PictureOutput
  private let container: ColorTags
  private let expectedFormat: OSType
  private let ignoresAlpha: Bool
  /// The library's name of the codec, such as "hevc".
  package let codecName: String
  /// Whether no frame needs another.
  package let isIntra: Bool
  private let packet: Packet
  private let frame: Frame
  private var log = SampleLog()
  private var ready: [DecodedFrame] = []

  /// - Parameters:
  ///   - pixelFormat: what to deliver; nil for the decoder's native format, which costs no conversion.
  ///   - threads: 0 chooses.
  /// - Throws: `CodecError.unsupported` where there is no decoder or no such pixel format.
  package convenience init(
    formatDescription: CMFormatDescription, pixelFormat: OSType? = nil, threads: Int = 0
  ) throws {
    try self.init(formatDescription: formatDescription, options: Options(pixelFormat: pixelFormat, threads: threads))
  }

  package init(formatDescription: CMFormatDescription, options: Options) throws {
    let identity = try CodecIdentity(video: formatDescription)
    try VideoDecoder.check(CMVideoFormatDescriptionGetDimensions(formatDescription), options.pixelBudget)
    guard let codec = avcodec_find_decoder(identity.codecID) else {
      throw CodecError(
        .unsupported, "This build of libavcodec has no decoder for '\(formatDescription.mediaSubType)'; install one.")
    }
    let extensions = CMFormatDescriptionGetExtensions(formatDescription) ?? [:]
    container = ColorTags(extensions: extensions)
    ignoresAlpha = identity.hasAlphaLayer(extensions)
    codecName = String(cString: codec.pointee.name)
    isIntra = identity.isIntra
    output = try PictureOutput(
      wish: options.pixelFormat.map { .format($0) } ?? .native, container: container, extensions: extensions,
      pool: options.pool)
    context = try CodecContext(codec: codec)
    packet = try Packet()
    frame = try Frame()
    try context.setExtradata(identity.configuration)
    context.with { VideoDecoder.configure($0, identity, options) }
    try context.open()
    expectedFormat = VideoDecoder.expectedFormat(context, identity, container)
  }

  /// The format that costs no conversion; before the first frame, what the format description lets expect.
  package var nativePixelFormat: OSType { guardian.withLock { output.nativeFormat ?? expectedFormat } }

  /// What the container says about colour.
  package var containerColor: ColorTags { container }

  /// What the bitstream says about colour; nil before the first frame.
  package var bitstreamColor: ColorTags? { guardian.withLock { output.bitstreamColor } }

  /// What was not done as stored, a sentence each: an alpha layer left out, codes rounded, the container's colour
  /// preferred to the bitstream's. Complete after the first frame.
  package var warnings: [String] {
    var all = colorConflicts.map(\.description)
    if ignoresAlpha { all.append("The alpha layer of the HEVC stream is not decoded; pictures are opaque.") }
    if let depth = guardian.withLock({ output.roundedDepth }) {
      all.append("Codes of \(depth) bits are rounded to 10, since no pixel format holds them.")
    }
    return all
  }

  /// Where the two disagree; the container wins.
  package var colorConflicts: [ColorConflict] {
    bitstreamColor.map { ColorConflict.all(container: container, bitstream: $0) } ?? []
  }
}

// MARK: - Decoding

extension VideoDecoder {
  /// Hands in the next sample in decode order; returns the pictures that are now due, in presentation order.
  ///
  /// A buffer without samples gives nothing. "Reset before decoding" and "drain after decoding" are honoured.
  /// - Throws: a damaged sample's error, which names it; pictures that were due come with the next call, and the
  ///   next undamaged sample decodes normally.
  package func decode(_ sample: CMSampleBuffer) throws -> [DecodedFrame] {
    try guardian.withLock {
      if sample.isMarked(kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding) { startAnew() }
      var failure: (any Error)?
      for single in try sample.singles() {
        do { try decodeOne(single) } catch { failure = failure ?? error }
      }
      if sample.isMarked(kCMSampleBufferAttachmentKey_DrainAfterDecoding) {
        do { try drain() } catch { failure = failure ?? error }
      }
      if let failure { throw failure }
      return takeReady()
    }
  }

  /// Returns the pictures that were held back, at the end of the samples. The decoder can then be used for others.
  package func finish() throws -> [DecodedFrame] {
    try guardian.withLock {
      try drain()
      return takeReady()
    }
  }

  /// Forgets all samples handed in, as before a seek.
  package func reset() { guardian.withLock { startAnew() } }

  private func takeReady() -> [DecodedFrame] {
    defer { ready = [] }
    return ready
  }

  private func startAnew() {
    context.flush()
    log.forget()
    ready = []
  }

  private func decodeOne(_ sample: CMSampleBuffer) throws {
    guard let data = sample.dataBuffer, data.dataLength > 0 else { return }
    try packet.load(byteCount: data.dataLength) { try data.copyDataBytes(to: $0) }
    let ticket = log.add(sample)
    packet.with { raw in
      raw.pointee.pts = ticket
      raw.pointee.dts = CFFMPEG_NOPTS
      if !sample.isNotSync { raw.pointee.flags |= CFFMPEG_PKT_KEY }
    }
    var status = context.send(packet)
    if status == CFFMPEG_EAGAIN {
      try collect(culprit: log.culprit(threads: frameThreads))
      status = context.send(packet)
    }
    packet.clear()
    let culprit = log.culprit(threads: frameThreads)
    let failure = status < 0 ? error(status, culprit) : nil
    try collect(culprit: culprit, after: failure)
  }

  private func drain() throws {
    let status = context.send(nil as Packet?)
    let failure = status < 0 && status != CFFMPEG_EOF ? error(status, log.oldest) : nil
    defer {
      context.flush()
      log.forget()
    }
    try collect(culprit: nil, after: failure)
  }

  /// Takes all pictures that are ready; the first error is thrown at the end.
  private func collect(culprit: Int64?, after earlier: CodecError? = nil) throws {
    var failure: (any Error)? = earlier
    var failures = 0
    while failures <= VideoDecoder.maximumThreads {
      let status = context.receive(frame)
      if status == CFFMPEG_EAGAIN || status == CFFMPEG_EOF { break }
      do {
        guard status >= 0 else { throw error(status, culprit ?? log.oldest) }
        try deliver()
      } catch {
        failures += 1
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  private func deliver() throws {
    defer { frame.clear() }
    let ticket = frame.with { $0.pointee.pts }
    guard let entry = log.take(ticket), !entry.isFailed else { return }
    let damage = frame.with { $0.pointee.decode_error_flags != 0 || $0.pointee.flags & CFFMPEG_FRAME_CORRUPT != 0 }
    guard !damage else { throw damaged(entry, code: CFFMPEG_INVALIDDATA, reason: "it could only be concealed") }
    guard !entry.isHidden else { return }
    let (buffer, color) = try picture(of: entry)
    ready.append(
      DecodedFrame(
        pixelBuffer: buffer, presentationTime: entry.presentationTime, duration: entry.duration, sample: entry.number,
        color: color))
  }

  private func picture(of entry: SampleLog.Entry) throws -> (buffer: CVPixelBuffer, color: ColorTags) {
    do {
      return try output.buffer(from: frame)
    } catch let error as CVError {
      throw CodecError(
        .outOfMemory,
        "There is no buffer for the picture of video sample \(entry.number) (\(error)); free some pictures.",
        code: error.code, sample: entry.number)
    }
  }

  private func error(_ status: Int32, _ ticket: Int64?) -> CodecError {
    guard let ticket, let entry = log.fail(ticket) else { return CodecError(code: status, doing: "decoding video") }
    return damaged(entry, code: status, reason: CodecError.text(of: status))
  }

  private func damaged(_ entry: SampleLog.Entry, code: Int32, reason: String) -> CodecError {
    let time = entry.presentationTime.isNumeric ? String(format: " at %.3f s", entry.presentationTime.seconds) : ""
    let kind: CodecError.Kind = code == CFFMPEG_ENOMEM ? .outOfMemory : .damaged
    return CodecError(
      kind, "Video sample \(entry.number)\(time) cannot be decoded (\(reason)); skip it or get an undamaged copy.",
      code: code, sample: entry.number)
  }

  /// How many samples later an error shows; 1 where it shows at once.
  private var frameThreads: Int {
    context.with {
      $0.pointee.active_thread_type & CFFMPEG_THREAD_FRAME != 0 ? Int($0.pointee.thread_count) : 1
    }
  }
}

// MARK: - Setting up

extension VideoDecoder {
  private static func check(_ size: CMVideoDimensions, _ budget: Int) throws {
    guard Int(size.width) * Int(size.height) <= budget else {
      throw CodecError(
        .overLimit,
        "A picture of \(size.width)x\(size.height) has more than the \(budget) pixels allowed; raise the pixel budget.")
    }
  }

  private static func configure(_ raw: CodecContext.Raw, _ identity: CodecIdentity, _ options: Options) {
    raw.pointee.codec_tag = identity.tag
    raw.pointee.max_pixels = Int64(options.pixelBudget)
    raw.pointee.err_recognition = CFFMPEG_EF_CRCCHECK
    // Damaged slices of these are silently left out otherwise; H.264 reports them in the frame's flags instead.
    if identity.codecID != AV_CODEC_ID_H264 { raw.pointee.err_recognition |= CFFMPEG_EF_EXPLODE }
    // Without it, a stream that does not say how far it reorders loses frames until the decoder has guessed.
    if identity.codecID == AV_CODEC_ID_H264 { raw.pointee.strict_std_compliance = CFFMPEG_COMPLIANCE_STRICT }
    let prefersSlices = identity.isIntra || identity.codecID == AV_CODEC_ID_H264
    let usesFrames = options.threading == .frames || (options.threading == .automatic && !prefersSlices)
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let standard = usesFrames ? min(cores, standardFrameThreads) : min(cores, maximumThreads)
    let threads = max(1, min(options.threads > 0 ? options.threads : standard, maximumThreads))
    raw.pointee.thread_type = usesFrames ? CFFMPEG_THREAD_FRAME : CFFMPEG_THREAD_SLICE
    raw.pointee.thread_count = usesFrames || identity.codecID != AV_CODEC_ID_HEVC ? Int32(threads) : 1
  }

  private static func expectedFormat(
    _ context: CodecContext, _ identity: CodecIdentity, _ container: ColorTags
  ) -> OSType {
    let known = context.with { ($0.pointee.pix_fmt, $0.pointee.color_range) }
    let isFull = container.isFullRange ?? (known.1 == AVCOL_RANGE_JPEG)
    guard let shape = FrameShape(known.0) else { return identity.expectedFormat(isFullRange: isFull) }
    return NativeFormat.of(shape, isFullRange: isFull || (container.isFullRange == nil && shape.isNamedFullRange))
  }
}
