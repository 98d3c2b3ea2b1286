internal import Codecs
internal import CoreMedia
internal import CoreVideo
internal import Foundation
internal import ProRes

/// Decodes ProRes on the processor with `ProResDecoder`, each sample by its own description.
///
/// Damaged slices are concealed and reported; they throw nothing.
final class ProResPictureDecoder: PictureDecoder, @unchecked Sendable {
  // Unchecked: everything that changes is guarded by the lock.
  let name = "ProRes on the processor"
  let isHardware = false
  let isIntra = true
  private let guardian = NSLock()
  private let decoder: ProResDecoder
  private let options: PictureDecoderOptions
  private let output: ProResOutputFormat
  private let pool: PicturePool
  /// For pictures that are then converted.
  private let between = PicturePool()
  private let converter = PixelConverter()
  private var described: ProResDescription
  private var next = 0
  private var ready: [DecodedPicture] = []
  private var previous: CVPixelBuffer?
  private var conflicts: [ColorConflict] = []

  /// The six profiles, and ProRes RAW, which is refused by name.
  static func isProRes(_ format: CMFormatDescription) -> Bool {
    let codec = CMFormatDescriptionGetMediaSubType(format)
    return ProResDecoder.codecs.contains(codec)
      || [kCMVideoCodecType_AppleProResRAW, kCMVideoCodecType_AppleProResRAWHQ].contains(codec)
  }

  /// - Throws: `CodecError.unsupported` for ProRes RAW, and for a pixel format that cannot be made.
  init(_ format: CMFormatDescription, _ options: PictureDecoderOptions) throws {
    let codec = CMFormatDescriptionGetMediaSubType(format)
    do { decoder = try ProResDecoder(codec: codec) } catch { throw CodecError(error) }
    described = ProResDescription(format)
    output = try ProResOutputFormat(options.pixelFormat, codec: codec, isFullRange: described.isFullRange)
    pool = options.pool ?? PicturePool()
    self.options = options
  }

  var pixelFormat: OSType { output.wanted }
  var conversion: (from: OSType, to: OSType)? { output.conversion }
  var colorConflicts: [ColorConflict] { guardian.withLock { conflicts } }

  func decode(_ sample: CMSampleBuffer) throws -> [DecodedPicture] {
    try guardian.withLock {
      if sample.isMarked(kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding) { startAnew() }
      var failure: (any Error)?
      for single in try sample.singles() {
        do { try decodeOne(single) } catch { failure = failure ?? error }
      }
      if let failure { throw failure }
      return takeReady()
    }
  }

  func finish() throws -> [DecodedPicture] { guardian.withLock { takeReady() } }
  func reset() { guardian.withLock { startAnew() } }

  private func takeReady() -> [DecodedPicture] {
    defer { ready = [] }
    return ready
  }

  private func startAnew() {
    ready = []
    previous = nil
  }
}

// MARK: - One sample

extension ProResPictureDecoder {
  private func decodeOne(_ sample: CMSampleBuffer) throws {
    guard let data = sample.dataBuffer, data.dataLength > 0 else { return }
    let number = next
    next += 1
    guard !sample.isHidden else { return }
    do {
      try describe(sample.formatDescription)
      ready.append(try data.withContiguousStorage { try picture(of: sample, $0, number) })
    } catch {
      throw CodecError(error, sample: number)
    }
  }

  /// A sample may come with another description than the one before.
  private func describe(_ format: CMFormatDescription?) throws {
    guard let format, format !== described.format else { return }
    guard ProResDecoder.codecs.contains(CMFormatDescriptionGetMediaSubType(format)) else {
      throw CodecError(
        .unsupported, "A sample of type '\(format.mediaSubType)' came to the decoder of ProRes; use its own decoder.")
    }
    described = ProResDescription(format)
  }

  private func picture(
    of sample: CMSampleBuffer, _ bytes: UnsafeRawBufferPointer, _ number: Int
  ) throws -> DecodedPicture {
    // Before memory is given to the picture, the frame must be known to hold its slices.
    let header = try ProResFrame(bytes, pixelBudget: options.pixelBudget ?? ProResFrame.standardPixelBudget).header
    let color = described.color(with: header)
    conflicts = described.conflicts(with: header)
    // The description may be of another range than the one that the decoder was made for.
    let output = try output.adapted(isFullRange: described.isFullRange)
    let size = options.scale.size(of: header)
    let made = try (output.conversion == nil ? pool : between)
      .makeBuffer(width: size.width, height: size.height, format: output.made)
    let report = try decode(bytes, into: made, output, matrix: color.effectiveMatrix(height: header.height))
    CVBufferSetAttachments(made, described.attachments(header, color, made), .shouldPropagate)
    let final = try converted(made, output, header, color)
    if !report.isSound { CVBufferSetAttachment(final, kCVImageBufferDamagedSlicesKey, report.places, .shouldPropagate) }
    return DecodedPicture(
      pixelBuffer: final, presentationTime: sample.presentationTimeStamp, duration: sample.duration, sample: number,
      color: color, damage: report.damage, sliceCount: report.sliceCount)
  }

  private func decode(
    _ bytes: UnsafeRawBufferPointer, into buffer: CVPixelBuffer, _ output: ProResOutputFormat, matrix: Int
  ) throws -> ProResReport {
    var settings = ProResDecoder.Options()
    settings.threads = options.threads
    settings.pixelBudget = options.pixelBudget ?? ProResFrame.standardPixelBudget
    settings.scale = options.scale
    settings.matrix = matrix
    settings.isFullRange = described.isFullRange
    let other = options.concealment == .previousPicture && !output.compressesRange ? previous : nil
    if let other, other.isLike(buffer) {
      _ = CVPixelBufferLockBaseAddress(other, .readOnly)
      settings.concealment = .picture(try ProResDestination(locked: other))
    }
    defer {
      if case .picture = settings.concealment, let other { _ = CVPixelBufferUnlockBaseAddress(other, .readOnly) }
    }
    let report = try decoder.decode(bytes, into: buffer, options: settings)
    if output.compressesRange { CodeRange.compress(buffer) }
    if options.concealment == .previousPicture { previous = buffer }
    return report
  }

  private func converted(
    _ made: CVPixelBuffer, _ output: ProResOutputFormat, _ header: ProResFrameHeader, _ color: ColorTags
  ) throws -> CVPixelBuffer {
    guard output.conversion != nil else { return made }
    let final = try pool.makeBuffer(
      width: CVPixelBufferGetWidth(made), height: CVPixelBufferGetHeight(made), format: output.wanted)
    try converter.convert(made, to: final)
    for key in [kCVImageBufferChromaLocationTopFieldKey, kCVImageBufferChromaLocationBottomFieldKey] {
      CVBufferRemoveAttachment(final, key)
    }
    CVBufferSetAttachments(final, described.attachments(header, color, final), .shouldPropagate)
    return final
  }
}

extension CVBuffer {
  fileprivate func isLike(_ other: CVPixelBuffer) -> Bool {
    CVPixelBufferGetPixelFormatType(self) == CVPixelBufferGetPixelFormatType(other)
      && CVPixelBufferGetWidth(self) == CVPixelBufferGetWidth(other)
      && CVPixelBufferGetHeight(self) == CVPixelBufferGetHeight(other)
  }
}

extension ProResReport {
  /// The value of `kCVImageBufferDamagedSlicesKey`.
  package var places: [[String: Any]] {
    damage.map {
      [
        kCVImageBufferDamagedSliceNumberKey: $0.slice, kCVImageBufferDamagedSliceXKey: $0.columns.lowerBound,
        kCVImageBufferDamagedSliceYKey: $0.rows.lowerBound, kCVImageBufferDamagedSliceWidthKey: $0.columns.count,
        kCVImageBufferDamagedSliceHeightKey: $0.rows.count, kCVImageBufferDamagedSliceRowStepKey: $0.rowStep,
      ]
    }
  }
}

extension CodecError {
  /// The refusal of a frame, whichever stage it comes from.
  package init(_ error: any Error, sample: Int? = nil) {
    switch error {
    case var error as CodecError:
      error.sample = error.sample ?? sample
      self = error
    case let error as ProResError:
      self.init(Self.kind(error.kind), error.numbered(sample).message, sample: sample)
    case let error as CVError:
      self.init(
        .outOfMemory,
        "There is no buffer for the picture of video sample \(sample ?? 0) (\(error)); free some pictures.",
        code: error.code, sample: sample)
    default: self.init(.library, "\(error)", sample: sample)
    }
  }

  private static func kind(_ kind: ProResError.Kind) -> Kind {
    switch kind {
    case .truncated, .damaged: .damaged
    case .unsupported: .unsupported
    case .overLimit: .overLimit
    case .wrongDestination: .invalidSettings
    case .outOfMemory: .outOfMemory
    }
  }
}

extension ProResError {
  fileprivate func numbered(_ sample: Int?) -> ProResError {
    var error = self
    error.frame = sample ?? frame
    return error
  }
}
