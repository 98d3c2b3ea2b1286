internal import Codecs
internal import CoreVideo
internal import ProRes

/// How a pixel format is made of ProRes: straight from the slices, or by a conversion from the nearest format that is.
///
/// The bitstream has no depth, so the native formats have the most that there is: `v216` for 4:2:2 and `y416` for 4444 and XQ,
/// 16 bits each. Codes that the container calls full range have no such format: 4:2:2 is `xf22` then, and for `y416` they are
/// brought into the video range.
struct ProResOutputFormat {
  let wanted: OSType
  /// What the slices are written as.
  let made: OSType
  /// Whether codes of the full range are then brought into the video range, in place.
  let compressesRange: Bool
  private let codec: OSType
  private let isFullRange: Bool

  /// - Parameters:
  ///   - wanted: nil for the native format.
  ///   - isFullRange: whether the codes of the stream are.
  /// - Throws: `CodecError` naming the format where it cannot be made.
  init(_ wanted: OSType?, codec: OSType, isFullRange: Bool) throws {
    let wanted = wanted ?? Self.native(codec, isFullRange)
    guard let format = PixelFormat.description(of: wanted), Self.usable.contains(wanted) else {
      throw CodecError(
        .unsupported,
        "The pixel format '\(fourCharacterString(wanted))' is not made of ProRes; choose y416, v216, x422, 420v, BGRA or RGhA."
      )
    }
    self.wanted = wanted
    self.codec = codec
    self.isFullRange = isFullRange
    let nearest = Self.isWritten(format, isFullRange) ? wanted : Self.nearest(format, codec, isFullRange)
    made = nearest
    compressesRange =
      isFullRange && PixelFormat.description(of: nearest).map { $0.isYCbCr && !$0.isFullRange } ?? false
  }

  var conversion: (from: OSType, to: OSType)? { made == wanted ? nil : (made, wanted) }

  func adapted(isFullRange: Bool) throws -> ProResOutputFormat {
    if isFullRange == self.isFullRange { return self }
    return try ProResOutputFormat(wanted, codec: codec, isFullRange: isFullRange)
  }

  /// All that can be made, those without a conversion first.
  static let usable: [OSType] = {
    let written = PixelFormat.all.map(\.code).filter { ProResLayout(pixelFormat: $0) != nil }
    return written + OrderedFormats.ofPictures.filter { !written.contains($0) }
  }()

  static func isNarrow(_ codec: OSType) -> Bool { !fourCharacterString(codec).hasPrefix("ap4") }

  private static func native(_ codec: OSType, _ isFullRange: Bool) -> OSType {
    if !isNarrow(codec) { return kCVPixelFormatType_4444AYpCbCr16 }
    return isFullRange ? kCVPixelFormatType_422YpCbCr10BiPlanarFullRange : kCVPixelFormatType_422YpCbCr16
  }

  /// Whether the decoder writes the format in its own range.
  private static func isWritten(_ format: PixelFormat, _ isFullRange: Bool) -> Bool {
    guard ProResLayout(pixelFormat: format.code) != nil else { return false }
    if !format.isYCbCr || format.isFullRange == isFullRange { return true }
    return isFullRange && CodeRange.canCompress(format)
  }

  private static func nearest(_ format: PixelFormat, _ codec: OSType, _ isFullRange: Bool) -> OSType {
    if format.model == .rgb { return format.isFloat ? kCVPixelFormatType_64RGBAHalf : kCVPixelFormatType_64ARGB }
    if format.hasAlpha { return kCVPixelFormatType_4444AYpCbCr16 }
    // Chroma is reduced across by the decoder for streams that are so already, else by the converter in one go with down.
    let isHalved = isNarrow(codec) && (format.chromaSubsampling.horizontal > 1 || !format.isYCbCr)
    if isFullRange, format.isFullRange {
      return isHalved
        ? kCVPixelFormatType_422YpCbCr10BiPlanarFullRange : kCVPixelFormatType_444YpCbCr10BiPlanarFullRange
    }
    return isHalved
      ? kCVPixelFormatType_422YpCbCr16BiPlanarVideoRange : kCVPixelFormatType_444YpCbCr16BiPlanarVideoRange
  }
}
