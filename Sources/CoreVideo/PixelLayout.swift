/// Where the pixels of a buffer lie: sizes, pitches and offsets of the planes, with all arithmetic checked.
struct PixelLayout: Sendable {
  struct Plane: Sendable {
    /// From the start of the memory to the first visible pixel.
    var offset: Int
    var bytesPerRow: Int
    var width: Int
    var height: Int
    /// Rows of padding above and below, and blocks of padding to the left and right.
    var padding = ExtendedPixels()
  }

  let width: Int
  let height: Int
  let format: PixelFormat
  let planes: [Plane]
  /// Pixels of padding that the buffer really has.
  let extended: ExtendedPixels
  let byteCount: Int

  /// No picture is wider or higher.
  static let maximumDimension = 1 << 20
  /// No buffer takes more memory: 8 GiB, which is 16384x16384 pixels of four floats twice over.
  static let maximumByteCount = 1 << 33
  static let defaultRowAlignment = 64
  /// No row or plane needs a coarser alignment: a page of 64 KiB.
  static let maximumAlignment = 1 << 16
}

/// Pixels around the visible picture.
struct ExtendedPixels: Sendable, Equatable {
  var left = 0
  var top = 0
  var right = 0
  var bottom = 0
}

extension PixelLayout {
  /// The layout of a new buffer, with what `attributes` ask of padding and alignment.
  init(width: Int, height: Int, format code: OSType, attributes: [String: Any]) throws(CVError) {
    let format = try Self.checkedFormat(code)
    try Self.check(width: width, height: height)
    let wanted = try ExtendedPixels(attributes: attributes).rounded(to: format)
    let rowAlignment = try Self.alignment(attributes, kCVPixelBufferBytesPerRowAlignmentKey, Self.defaultRowAlignment)
    let planeAlignment = try Self.alignment(attributes, kCVPixelBufferPlaneAlignmentKey, Self.defaultRowAlignment)

    var planes: [Plane] = []
    var end = 0
    for shape in format.planes {
      let (planeWidth, planeHeight) = shape.size(width: width, height: height)
      let padding = wanted.scaled(to: shape)
      // Every factor is below 2^22, so that the products below stay under 2^63.
      let blocks = (planeWidth - 1) / shape.blockWidth + 1 + padding.left + padding.right
      let pitch = (blocks * shape.bytesPerBlock).rounded(upTo: max(rowAlignment, format.rowAlignment))
      let start = end.rounded(upTo: planeAlignment)
      planes.append(
        Plane(
          offset: start + padding.top * pitch + padding.left * shape.bytesPerBlock, bytesPerRow: pitch,
          width: planeWidth, height: planeHeight, padding: padding))
      end = start + pitch * (planeHeight + padding.top + padding.bottom)
      guard end <= Self.maximumByteCount else { throw CVError(code: kCVReturnAllocationFailed) }
    }
    self.init(width: width, height: height, format: format, planes: planes, extended: wanted, byteCount: end)
  }

  static func checkedFormat(_ code: OSType) throws(CVError) -> PixelFormat {
    guard let format = PixelFormat.description(of: code) else { throw CVError(code: kCVReturnInvalidPixelFormat) }
    guard !format.isOpaque else { throw CVError(code: kCVReturnUnsupported) }
    return format
  }

  static func check(width: Int, height: Int) throws(CVError) {
    guard 1...maximumDimension ~= width, 1...maximumDimension ~= height else {
      throw CVError(code: kCVReturnInvalidSize)
    }
  }

  private static func alignment(
    _ attributes: [String: Any], _ key: String, _ standard: Int
  ) throws(CVError) -> Int {
    guard let value = attributes[key] else { return standard }
    guard let alignment = integer(value), 0...maximumAlignment ~= alignment, alignment & (alignment - 1) == 0 else {
      throw CVError(code: kCVReturnInvalidPixelBufferAttributes)
    }
    return max(alignment, 1)
  }
}

extension ExtendedPixels {
  /// At most this many pixels on a side.
  static let maximum = 1 << 14

  init(attributes: [String: Any]) throws(CVError) {
    func value(_ key: String) throws(CVError) -> Int {
      guard let value = attributes[key] else { return 0 }
      guard let pixels = integer(value), 0...Self.maximum ~= pixels else {
        throw CVError(code: kCVReturnInvalidPixelBufferAttributes)
      }
      return pixels
    }
    left = try value(kCVPixelBufferExtendedPixelsLeftKey)
    top = try value(kCVPixelBufferExtendedPixelsTopKey)
    right = try value(kCVPixelBufferExtendedPixelsRightKey)
    bottom = try value(kCVPixelBufferExtendedPixelsBottomKey)
  }

  /// As many or more pixels, so that every plane has a whole number of blocks and rows of padding.
  func rounded(to format: PixelFormat) -> ExtendedPixels {
    let across = format.planes.map { $0.blockWidth * $0.horizontalSubsampling }.max() ?? 1
    let down = format.planes.map(\.verticalSubsampling).max() ?? 1
    func up(_ value: Int, _ step: Int) -> Int { (value + step - 1) / step * step }
    return ExtendedPixels(
      left: up(left, across), top: up(top, down), right: up(right, across), bottom: up(bottom, down))
  }

  /// Blocks to the left and right, rows above and below, of one plane.
  func scaled(to plane: PixelFormat.Plane) -> ExtendedPixels {
    let across = plane.blockWidth * plane.horizontalSubsampling
    return ExtendedPixels(
      left: left / across, top: top / plane.verticalSubsampling, right: right / across,
      bottom: bottom / plane.verticalSubsampling)
  }
}

extension Int {
  /// The least multiple of `alignment`, a power of two, that is not smaller.
  func rounded(upTo alignment: Int) -> Int { (self + alignment - 1) & ~(alignment - 1) }
}
