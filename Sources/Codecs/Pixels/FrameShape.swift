internal import CFFmpeg

/// What libavutil knows of a pixel format: where its components lie, and what kind of picture it is.
struct FrameShape: Sendable {
  /// Where one component lies: its plane, first element and elements from one to the next.
  struct Component: Sendable, Hashable {
    let plane: Int
    let offset: Int
    let step: Int
    /// Unused bits below the code.
    let shift: Int
    let depth: Int
  }

  /// In libavutil's order: Y'CbCr or RGB or grey, then alpha.
  let components: [Component]
  let horizontalShift: Int
  let verticalShift: Int
  let isRGB: Bool
  let isFloat: Bool
  let hasAlpha: Bool
  let isBigEndian: Bool
  /// Each code fills bytes of its own, so that loops can move it; else only libswscale can read the format.
  let isMovable: Bool
  /// The format's name says full range ("yuvj420p").
  let isNamedFullRange: Bool

  var isGrey: Bool { !isRGB && components.count - (hasAlpha ? 1 : 0) == 1 }
  /// Bits of a luma, grey or red code.
  var depth: Int { components[0].depth }

  /// Nil for what is no picture in memory (hardware surfaces, sensor mosaics).
  init?(_ format: AVPixelFormat) {
    guard let descriptor = av_pix_fmt_desc_get(format)?.pointee, descriptor.nb_components > 0 else { return nil }
    func has(_ flag: Int32) -> Bool { descriptor.flags & UInt64(flag) != 0 }
    guard !has(AV_PIX_FMT_FLAG_HWACCEL), !has(AV_PIX_FMT_FLAG_BAYER) else { return nil }
    let isXYZ = [AV_PIX_FMT_XYZ12LE, AV_PIX_FMT_XYZ12BE].contains(format)
    let raw = [descriptor.comp.0, descriptor.comp.1, descriptor.comp.2, descriptor.comp.3]
      .prefix(Int(descriptor.nb_components))
    components = raw.map(FrameShape.component)
    horizontalShift = Int(descriptor.log2_chroma_w)
    verticalShift = Int(descriptor.log2_chroma_h)
    isRGB = has(AV_PIX_FMT_FLAG_RGB) || has(AV_PIX_FMT_FLAG_PAL) || isXYZ
    isFloat = has(AV_PIX_FMT_FLAG_FLOAT)
    hasAlpha = has(AV_PIX_FMT_FLAG_ALPHA)
    isBigEndian = has(AV_PIX_FMT_FLAG_BE)
    let isOdd = has(AV_PIX_FMT_FLAG_BITSTREAM) || has(AV_PIX_FMT_FLAG_PAL) || isXYZ
    isMovable = !isOdd && raw.allSatisfy { FrameShape.isAligned($0, isFloat: has(AV_PIX_FMT_FLAG_FLOAT)) }
    isNamedFullRange = FrameShape.fullRangeNames.contains(format.rawValue)
  }

  private static func elementSize(_ depth: Int32) -> Int { depth <= 8 ? 1 : depth <= 16 ? 2 : 4 }

  private static func component(_ raw: AVComponentDescriptor) -> Component {
    let size = elementSize(raw.depth)
    return Component(
      plane: Int(raw.plane), offset: Int(raw.offset) / size, step: Int(raw.step) / size, shift: Int(raw.shift),
      depth: Int(raw.depth))
  }

  private static func isAligned(_ raw: AVComponentDescriptor, isFloat: Bool) -> Bool {
    let size = elementSize(raw.depth)
    let isWhole = Int(raw.offset) % size == 0 && Int(raw.step) % size == 0 && Int(raw.step) >= size
    return isWhole && (isFloat ? raw.depth == 32 : (8...16).contains(raw.depth)) && (raw.depth > 8 || raw.shift == 0)
  }

  private static let fullRangeNames: Set<Int32> = Set(
    [AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUVJ411P].map(
      \.rawValue))

  /// Whether the codes of a picture of this shape can be moved into `layout` with nothing but shifts (or, from and to
  /// floats, a division by the largest code).
  ///
  /// Any Y'CbCr gives its luma to a grey layout.
  func moves(into layout: StoredLayout) -> Bool {
    guard isMovable, let twin = FrameShape(layout.twin), !(isFloat && isBigEndian) else { return false }
    if twin.isGrey { return !isRGB }
    if layout.element == .v210, isBigEndian || components.contains(where: { $0.step != 1 || $0.shift != 0 }) {
      return false
    }
    return isRGB == twin.isRGB && (isRGB || isFloat == twin.isFloat) && !isGrey
      && horizontalShift == twin.horizontalShift && verticalShift == twin.verticalShift
  }
}
