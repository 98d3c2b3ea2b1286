internal import Codecs
internal import CoreMedia
internal import CoreVideo
internal import ProRes

/// Decodes with libavcodec on the processor; see `VideoDecoder`.
final class LibraryPictureDecoder: PictureDecoder {
  private let decoder: VideoDecoder
  private let wanted: OSType?

  /// - Throws: `CodecError`, also where a part of the size is asked for.
  init(_ format: CMFormatDescription, _ options: PictureDecoderOptions) throws {
    guard options.scale == .full else {
      throw CodecError(
        .unsupported, "libavcodec decodes video of type '\(format.mediaSubType)' in full size only; scale the picture.")
    }
    var library = VideoDecoder.Options(pixelFormat: options.pixelFormat, threads: options.threads)
    if let budget = options.pixelBudget { library.pixelBudget = budget }
    library.pool = options.pool
    if options.isLowDelay { library.threading = .slices }
    wanted = options.pixelFormat
    decoder = try VideoDecoder(formatDescription: format, options: library)
  }

  var name: String { "libavcodec (\(decoder.codecName))" }
  var isHardware: Bool { false }
  var isIntra: Bool { decoder.isIntra }
  var pixelFormat: OSType { wanted ?? decoder.nativePixelFormat }
  var colorConflicts: [ColorConflict] { decoder.colorConflicts }
  var warnings: [String] { decoder.warnings.filter { !decoder.colorConflicts.map(\.description).contains($0) } }

  var conversion: (from: OSType, to: OSType)? {
    let native = decoder.nativePixelFormat
    return wanted.flatMap { $0 == native ? nil : (native, $0) }
  }

  func decode(_ sample: CMSampleBuffer) throws -> [DecodedPicture] {
    try decoder.decode(sample).map(DecodedPicture.init)
  }
  func finish() throws -> [DecodedPicture] { try decoder.finish().map(DecodedPicture.init) }
  func reset() { decoder.reset() }
}

extension DecodedPicture {
  fileprivate init(_ frame: DecodedFrame) {
    self.init(
      pixelBuffer: frame.pixelBuffer, presentationTime: frame.presentationTime, duration: frame.duration,
      sample: frame.sample, color: frame.color)
  }
}
