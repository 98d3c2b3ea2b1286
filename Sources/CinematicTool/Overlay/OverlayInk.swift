import CoreVideo

/// What a colour of an overlay is in the pixels of a buffer, by the buffer's format and colour attachments.
struct OverlayInk {
  private let format: PixelFormat
  /// The signal of white: below 1 in HDR, where the full signal is a light and not paper.
  private let white: Float
  /// Luma's weights of red and blue.
  private let weights: (red: Float, blue: Float)

  /// Nil for a format whose pixels this does not write: packed samples, more than one pixel a block, Bayer patterns.
  init?(_ buffer: CVPixelBuffer) {
    guard let format = PixelFormat.description(of: CVPixelBufferGetPixelFormatType(buffer)),
      !format.isOpaque, format.planes.allSatisfy({ $0.blockWidth == 1 && !$0.components.isEmpty }),
      format.sample != .packed10, format.model == .yCbCr || format.model == .rgb
    else { return nil }
    self.format = format
    white = Self.white(buffer)
    weights = Self.weights(buffer)
  }

  /// The bytes of one pixel of a plane.
  func pixel(_ color: Overlay.Color, plane: Int) -> [UInt8] {
    format.planes[plane].components.flatMap { bytes(code(color, $0), isFloat: value(color, $0)) }
  }

  /// Where reference white is: 75 % of HLG and 58 % of PQ, both 203 cd/m² (ITU-R BT.2408).
  private static func white(_ buffer: CVPixelBuffer) -> Float {
    switch attachment(buffer, kCVImageBufferTransferFunctionKey) {
    case kCVImageBufferTransferFunction_ITU_R_2100_HLG: 0.75
    case kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ: 0.58
    default: 1
    }
  }

  private static func weights(_ buffer: CVPixelBuffer) -> (red: Float, blue: Float) {
    switch attachment(buffer, kCVImageBufferYCbCrMatrixKey) {
    case kCVImageBufferYCbCrMatrix_ITU_R_2020: (0.2627, 0.0593)
    case kCVImageBufferYCbCrMatrix_ITU_R_601_4: (0.299, 0.114)
    case kCVImageBufferYCbCrMatrix_SMPTE_240M_1995: (0.212, 0.087)
    default: (0.2126, 0.0722)
    }
  }

  private static func attachment(_ buffer: CVPixelBuffer, _ key: CFString) -> String? {
    CVBufferCopyAttachment(buffer, key, nil) as? String
  }

  /// 0…1, and -0.5…0.5 for colour differences.
  private func value(_ color: Overlay.Color, _ component: PixelFormat.Component) -> Float {
    let red: Float = color == .black ? 0 : white
    let blue: Float = color == .white ? white : 0
    let luma = weights.red * red + weights.blue * blue + (1 - weights.red - weights.blue) * red
    switch component {
    case .luma, .first, .second, .mosaic: return luma
    case .chromaBlue: return (blue - luma) / (2 * (1 - weights.blue))
    case .chromaRed: return (red - luma) / (2 * (1 - weights.red))
    case .alpha: return 1
    case .red, .green: return red
    case .blue: return blue
    }
  }

  /// The integer code of a component: studio range is 16…235 and 16…240 at eight bits.
  private func code(_ color: Overlay.Color, _ component: PixelFormat.Component) -> UInt32 {
    let value = value(color, component)
    let bits = Float(format.bitsPerComponent), top = exp2(bits) - 1, unit = exp2(bits - 8)
    let isChroma = component == .chromaBlue || component == .chromaRed
    let isStudio = format.isYCbCr && !format.isFullRange && component != .alpha
    let code =
      isChroma
      ? exp2(bits - 1) + value * (isStudio ? 224 * unit : top)
      : isStudio ? (16 + 219 * value) * unit : value * top
    return UInt32(max(0, min(top, code.rounded())))
  }

  private func bytes(_ code: UInt32, isFloat value: Float) -> [UInt8] {
    switch format.sample {
    case .uint8: [UInt8(truncatingIfNeeded: code)]
    case .uint16: Self.bytes(UInt16(truncatingIfNeeded: code))
    case .uint16BigEndian: Self.bytes(UInt16(truncatingIfNeeded: code)).reversed()
    case .uint10InUpperBits: Self.bytes(UInt16(truncatingIfNeeded: code << 6))
    case .uint12InUpperBits: Self.bytes(UInt16(truncatingIfNeeded: code << 4))
    case .half: Self.bytes(Float16(value).bitPattern)
    case .float: Self.bytes(UInt16(truncatingIfNeeded: value.bitPattern)) + Self.bytes(UInt16(value.bitPattern >> 16))
    case .packed10: []
    }
  }

  private static func bytes(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }

  private func exp2(_ exponent: Float) -> Float { Float(sign: .plus, exponent: Int(exponent), significand: 1) }
}
