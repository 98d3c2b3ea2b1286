internal import CFFmpeg
internal import CoreVideo

/// Where a Core Video pixel format keeps its components, and the planar picture of libavutil (its twin) that holds the same
/// codes.
///
/// Codes move between the two unchanged but for their place: most significant bits in Core Video, least significant
/// in libavutil. Where the depths differ the conversion rounds; alpha and RGB, whose largest code means 1, are scaled.
struct StoredLayout: Sendable {
  /// How a component is stored.
  enum Element: Sendable, Hashable {
    case byte
    /// 16 bits little-endian with the code in the upper `bits`.
    case word(bits: Int)
    /// 16 bits big-endian.
    case bigEndianWord
    case half
    case float
    /// Three codes of 10 bits in a little-endian word; `V210` knows where.
    case v210
  }

  /// One component: which plane, its first element there, and the elements from one to the next.
  struct Component: Sendable, Hashable {
    let plane: Int
    let offset: Int
    let step: Int
    /// Its number in libavutil's order: Y'CbCr 0, 1, 2; RGB 0, 1, 2; grey 0; alpha 3.
    let index: Int
    /// Every how many pixels there is one, as a power of two.
    let horizontalShift: Int
    let verticalShift: Int

    var isAlpha: Bool { index == 3 }
  }

  /// What the format says about its code range.
  enum Range: Sendable, Hashable {
    case video
    case full
    /// Grey: the codes are whatever they are; nothing ever converts them.
    case untold
    case rgb
  }

  let element: Element
  let components: [Component]
  /// The planar picture that holds all of it.
  let twin: AVPixelFormat
  let range: Range
  /// The same bytes under libavutil's name, where it has one: libswscale reads and writes them in place.
  let direct: AVPixelFormat?

  /// Whether Y'CbCr or RGB codes use the full range; nil for grey.
  var isFullRange: Bool? {
    switch range {
    case .video: false
    case .full, .rgb: true
    case .untold: nil
    }
  }

  /// The layout of a pixel format; nil if buffers of it can be neither read nor written here.
  static func of(_ code: OSType) -> StoredLayout? { table[code] }

  /// The layout, or a sentence on what to choose instead.
  static func required(_ code: OSType) throws -> StoredLayout {
    guard let layout = of(code) else {
      throw CodecError(
        .unsupported,
        "The pixel format '\(fourCharacterString(code))' cannot be converted; choose 420v, 420f, x420, BGRA or RGhA.")
    }
    return layout
  }

  private static let table: [OSType: StoredLayout] = Dictionary(
    uniqueKeysWithValues: PixelFormat.all.compactMap { format in StoredLayout(format).map { (format.code, $0) } })
}

extension StoredLayout {
  private init?(_ format: PixelFormat) {
    guard let element = Element(format), let name = StoredLayout.twinName(format), !format.isOpaque else { return nil }
    let twin = av_get_pix_fmt(name)
    guard twin != AV_PIX_FMT_NONE else { return nil }
    self.element = element
    self.twin = twin
    components =
      element == .v210 ? [] : format.planes.indices.flatMap { StoredLayout.components(of: format, plane: $0) }
    range =
      switch format.model {
      case .rgb: .rgb
      case .yCbCr: format.isFullRange ? .full : .video
      default: .untold
      }
    let directName = StoredLayout.directNames[format.code]
    direct = directName.map { av_get_pix_fmt($0) }
  }

  private static func components(of format: PixelFormat, plane: Int) -> [Component] {
    let stored = format.planes[plane].components
    let isPacked = !format.isPlanar
    return Set(stored).sorted { stored.firstIndex(of: $0)! < stored.firstIndex(of: $1)! }.compactMap { component in
      guard let index = index(of: component) else { return nil }
      let count = stored.count { $0 == component }
      let isChroma = index == 1 || index == 2
      let sampling = isChroma && format.isYCbCr ? format.chromaSubsampling : (horizontal: 1, vertical: 1)
      return Component(
        plane: plane, offset: stored.firstIndex(of: component)!, step: stored.count / count, index: index,
        horizontalShift: sampling.horizontal.trailingZeroBitCount,
        verticalShift: isPacked ? 0 : sampling.vertical.trailingZeroBitCount)
    }
  }

  private static func index(of component: PixelFormat.Component) -> Int? {
    switch component {
    case .luma, .red, .first: 0
    case .chromaBlue, .green: 1
    case .chromaRed, .blue: 2
    case .alpha: 3
    case .second, .mosaic: nil
    }
  }

  /// libavutil's name of the planar picture.
  private static func twinName(_ format: PixelFormat) -> String? {
    let depth = format.isFloat ? "f32le" : format.bitsPerComponent == 8 ? "" : "\(format.bitsPerComponent)le"
    switch format.model {
    case .yCbCr where !format.isFloat:
      let sampling = format.chromaSubsampling
      let name = sampling == (2, 2) ? "420" : sampling == (2, 1) ? "422" : "444"
      return "yuv\(format.hasAlpha ? "a" : "")\(name)p\(depth)"
    case .rgb: return "gbr\(format.hasAlpha ? "a" : "")p\(depth)"
    case .oneComponent, .disparity, .depth: return "gray\(depth)"
    default: return nil
    }
  }

  private static let directNames: [OSType: String] = [
    kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: "nv12", kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: "nv12",
    // nv16 is missing: libswscale reads it, and does not write it.
    kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange: "nv24", kCVPixelFormatType_444YpCbCr8BiPlanarFullRange: "nv24",
    kCVPixelFormatType_422YpCbCr8: "uyvy422", kCVPixelFormatType_422YpCbCr8_yuvs: "yuyv422",
    kCVPixelFormatType_32BGRA: "bgra", kCVPixelFormatType_32ARGB: "argb", kCVPixelFormatType_32RGBA: "rgba",
    kCVPixelFormatType_32ABGR: "abgr", kCVPixelFormatType_24RGB: "rgb24", kCVPixelFormatType_24BGR: "bgr24",
    kCVPixelFormatType_64RGBALE: "rgba64le", kCVPixelFormatType_48RGB: "rgb48be",
  ]
}

extension StoredLayout.Element {
  fileprivate init?(_ format: PixelFormat) {
    switch format.sample {
    case .uint8: self = .byte
    case .uint16: self = .word(bits: 16)
    case .uint16BigEndian: self = .bigEndianWord
    case .uint10InUpperBits: self = .word(bits: 10)
    case .uint12InUpperBits: self = .word(bits: 12)
    case .half: self = .half
    case .float: self = .float
    case .packed10 where format.code == kCVPixelFormatType_422YpCbCr10: self = .v210
    case .packed10: return nil
    }
  }
}
