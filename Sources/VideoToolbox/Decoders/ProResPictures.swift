internal import Codecs
internal import Compute
internal import CoreMedia
internal import CoreVideo
internal import ProRes

/// What a sample's picture is written into, and what is known of it.
struct ProResCanvas {
  let buffer: CVPixelBuffer
  let header: ProResFrameHeader
  let described: ProResDescription
  let output: ProResOutputFormat
  let color: ColorTags
  let times: SampleTimes

  var matrix: Int { color.effectiveMatrix(height: header.height) }
}

/// When a sample's picture is shown, and the sample's number.
struct SampleTimes {
  let presentationTime: CMTime
  let duration: CMTime
  let number: Int

  init(_ sample: CMSampleBuffer, number: Int) {
    (presentationTime, duration) = (sample.presentationTimeStamp, sample.duration)
    self.number = number
  }
}

/// Makes the pictures that were asked for of what a decoder of ProRes writes: buffers, tags, conversion, damage.
///
/// One thread at a time.
final class ProResPictures {
  let output: ProResOutputFormat
  private(set) var conflicts: [ColorConflict] = []
  private let options: PictureDecoderOptions
  private let codec: OSType
  private let pool: PicturePool
  /// For pictures that are then converted.
  private let between = PicturePool()
  private let converter = PixelConverter()
  private var described: ProResDescription
  /// The last picture as the decoder wrote it, for what is damaged in the next.
  private var previous: CVPixelBuffer?

  /// - Throws: `CodecError.unsupported` for a pixel format that cannot be made.
  init(_ format: CMFormatDescription, _ options: PictureDecoderOptions) throws {
    codec = CMFormatDescriptionGetMediaSubType(format)
    described = ProResDescription(format)
    output = try ProResOutputFormat(options.pixelFormat, codec: codec, isFullRange: described.isFullRange)
    pool = options.pool ?? PicturePool()
    self.options = options
  }

  /// A sample may come with another description than the one before.
  func describe(_ format: CMFormatDescription?) throws {
    guard let format, format !== described.format else { return }
    guard ProResDecoder.codecs.contains(CMFormatDescriptionGetMediaSubType(format)) else {
      throw CodecError(
        .unsupported, "A sample of type '\(format.mediaSubType)' came to the decoder of ProRes; use its own decoder.")
    }
    described = ProResDescription(format)
  }

  /// A buffer for a frame that is known to hold its slices.
  func canvas(for header: ProResFrameHeader, _ times: SampleTimes) throws -> ProResCanvas {
    conflicts = described.conflicts(with: header)
    // The description may be of another range than the one that the decoder was made for.
    let output = try output.adapted(isFullRange: described.isFullRange)
    let size = options.scale.size(of: header)
    let buffer = try (output.conversion == nil ? pool : between)
      .makeBuffer(width: size.width, height: size.height, format: output.made)
    return ProResCanvas(
      buffer: buffer, header: header, described: described, output: output, color: described.color(with: header),
      times: times)
  }

  /// The picture, once the decoder has written it.
  func finish(_ canvas: ProResCanvas, _ report: ProResReport) throws -> DecodedPicture {
    let buffer = canvas.buffer
    if canvas.output.compressesRange { CodeRange.compress(buffer) }
    if options.concealment == .previousPicture {
      try conceal(report, in: buffer)
      previous = buffer
    }
    CVBufferSetAttachments(
      buffer, canvas.described.attachments(canvas.header, canvas.color, buffer), .shouldPropagate)
    let final = try converted(canvas)
    if !report.isSound { CVBufferSetAttachment(final, kCVImageBufferDamagedSlicesKey, report.places, .shouldPropagate) }
    return DecodedPicture(
      pixelBuffer: final, presentationTime: canvas.times.presentationTime, duration: canvas.times.duration,
      sample: canvas.times.number, color: canvas.color, damage: report.damage, sliceCount: report.sliceCount)
  }

  /// As before a seek.
  func forgetPrevious() { previous = nil }

  /// Puts the last picture in place of what is damaged, where it is like this one.
  private func conceal(_ report: ProResReport, in buffer: CVPixelBuffer) throws {
    guard !report.isSound, let previous, previous.isLike(buffer) else { return }
    _ = CVPixelBufferLockBaseAddress(buffer, [])
    _ = CVPixelBufferLockBaseAddress(previous, .readOnly)
    defer {
      _ = CVPixelBufferUnlockBaseAddress(previous, .readOnly)
      _ = CVPixelBufferUnlockBaseAddress(buffer, [])
    }
    let destination = try ProResDestination(locked: buffer)
    let other = try ProResDestination(locked: previous)
    for damage in report.damage { destination.copy(damage, from: other, report.header.chroma) }
  }

  private func converted(_ canvas: ProResCanvas) throws -> CVPixelBuffer {
    let made = canvas.buffer
    guard canvas.output.conversion != nil else { return made }
    let final = try pool.makeBuffer(
      width: CVPixelBufferGetWidth(made), height: CVPixelBufferGetHeight(made), format: canvas.output.wanted)
    try converter.convert(made, to: final)
    for key in [kCVImageBufferChromaLocationTopFieldKey, kCVImageBufferChromaLocationBottomFieldKey] {
      CVBufferRemoveAttachment(final, key)
    }
    CVBufferSetAttachments(
      final, canvas.described.attachments(canvas.header, canvas.color, final), .shouldPropagate)
    return final
  }
}

extension ProResDecoder {
  /// Decodes a sample as the options ask, but for what stands in place of damage.
  func decode(
    _ bytes: UnsafeRawBufferPointer, into canvas: ProResCanvas, _ options: PictureDecoderOptions
  ) throws(ProResError) -> ProResReport {
    var settings = Options()
    settings.threads = options.threads
    settings.pixelBudget = options.pixelBudget ?? ProResFrame.standardPixelBudget
    settings.scale = options.scale
    settings.matrix = canvas.matrix
    settings.isFullRange = canvas.described.isFullRange
    return try decode(bytes, into: canvas.buffer, options: settings)
  }
}

extension CVBuffer {
  /// Whether size and format are the same.
  func isLike(_ other: CVPixelBuffer) -> Bool {
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
    case let error as ComputeError:
      self.init(Self.kind(error), error.localizedDescription, sample: sample)
    default: self.init(.library, "\(error)", sample: sample)
    }
  }

  private static func kind(_ error: ComputeError) -> Kind {
    switch error {
    case .unavailable, .noSuchDevice, .unsuitable: .unsupported
    case .outOfMemory: .outOfMemory
    case .deviceLost: .deviceLost
    case .timedOut, .failed: .library
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
