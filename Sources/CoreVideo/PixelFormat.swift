/// What the bytes of a pixel format mean: its planes, samples, range and colour model.
///
/// Every known format is a row of `PixelFormat.all`; formats that only a GPU can read (`isOpaque`) are known by name but
/// have no planes.
package struct PixelFormat: Sendable, Hashable {
  package enum Model: Sendable, Hashable {
    case yCbCr, rgb
    /// One plain channel, such as grey or a mask; codes of a stored disparity are grey too.
    case oneComponent
    case twoComponent
    /// 1/m; larger is nearer.
    case disparity
    /// Metres.
    case depth
    case bayer
  }

  /// How one sample is stored. All are little-endian unless they say otherwise.
  package enum Sample: Sendable, Hashable {
    case uint8, uint16, half, float
    /// 16 bits, most significant byte first.
    case uint16BigEndian
    /// The value's bits are the most significant ones of 16; the others are zero.
    case uint10InUpperBits, uint12InUpperBits
    /// Several samples share a word (v210, v410): read them by the format's own rule.
    case packed10
  }

  /// The sample of a stored pixel, in memory order. `chromaBlue` is Cb, `chromaRed` is Cr.
  package enum Component: Sendable, Hashable {
    case luma, chromaBlue, chromaRed, alpha, red, green, blue
    /// The one, or the first and second, component of a format without colour.
    case first, second
    /// A raw sensor's sample, whose colour depends on its place.
    case mosaic
  }

  package struct Plane: Sendable, Hashable {
    /// Bytes of `blockWidth` pixels of this plane; a row is a whole number of blocks.
    package let bytesPerBlock: Int
    package let blockWidth: Int
    /// Pixels of the picture that one pixel of the plane stands for, across and down.
    package let horizontalSubsampling: Int
    package let verticalSubsampling: Int
    /// The samples of one block, in memory order; empty for `packed10`.
    package let components: [Component]
  }

  /// The four-character code.
  package let code: OSType
  /// The name after `kCVPixelFormatType_`.
  package let name: String
  package let model: Model
  package let sample: Sample
  /// Significant bits of one sample.
  package let bitsPerComponent: Int
  /// Whether the codes span all values (RGB, grey, floats and the "f" formats) or the studio range (luma 16–235 at 8 bits).
  package let isFullRange: Bool
  package let planes: [Plane]
  package let hasAlpha: Bool
  /// Rows start at multiples of this many bytes by the format's definition (v210: 128).
  package let rowAlignment: Int

  /// Only a GPU can read it: no memory layout is known, and no buffer of it can be made.
  package var isOpaque: Bool { planes.isEmpty }
  package var isYCbCr: Bool { model == .yCbCr }
  /// Stored as separate planes, so that the `…OfPlane` functions apply.
  package var isPlanar: Bool { planes.count > 1 }
  package var isFloat: Bool { sample == .half || sample == .float }
  /// Pixels that one chroma sample stands for, across and down; (1, 1) where there is no subsampling.
  package var chromaSubsampling: (horizontal: Int, vertical: Int) {
    if isPlanar { return (planes[1].horizontalSubsampling, planes[1].verticalSubsampling) }
    return isYCbCr && (planes.first?.blockWidth ?? 1) > 1 ? (2, 1) : (1, 1)
  }

  /// The row for a four-character code, or nil if the code is unknown.
  package static func description(of code: OSType) -> PixelFormat? { byCode[code] }

  private static let byCode = Dictionary(uniqueKeysWithValues: all.map { ($0.code, $0) })
}

extension PixelFormat.Plane {
  /// The plane's size for a picture of this size; a last odd column or row has its own chroma sample.
  package func size(width: Int, height: Int) -> (width: Int, height: Int) {
    (
      (width - 1) / horizontalSubsampling + 1,
      (height - 1) / verticalSubsampling + 1
    )
  }
}
