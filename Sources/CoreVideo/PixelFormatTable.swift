// Every format of the interfaces, one a row. A new format is a new row and a constant in `CVPixelFormatType.swift`.

extension PixelFormat {
  package static let all: [PixelFormat] = yCbCrPacked + yCbCrPlanar + rgb + components + raw + opaque

  private static let yCbCrPacked: [PixelFormat] = [
    packed("y416", "4444AYpCbCr16", .yCbCr, .uint16, [.alpha, .luma, .chromaBlue, .chromaRed]),
    packed("r4fl", "4444AYpCbCrFloat", .yCbCr, .float, [.alpha, .luma, .chromaBlue, .chromaRed]),
    packed("v216", "422YpCbCr16", .yCbCr, .uint16, [.chromaBlue, .luma, .chromaRed, .luma], blockWidth: 2),
    // Six pixels in four words, each of three 10-bit samples from the lowest bits up:
    // Cb0 Y0 Cr0 | Y1 Cb1 Y2 | Cr1 Y3 Cb2 | Y4 Cr2 Y5.
    packed("v210", "422YpCbCr10", .yCbCr, .packed10, [], blockWidth: 6, bytesPerBlock: 16, rowAlignment: 128),
    // One word: Cr in bits 31–22, Y' in 21–12, Cb in 11–2.
    packed("v410", "444YpCbCr10", .yCbCr, .packed10, [], bytesPerBlock: 4),
    packed("2vuy", "422YpCbCr8", .yCbCr, .uint8, [.chromaBlue, .luma, .chromaRed, .luma], blockWidth: 2),
    packed("yuvs", "422YpCbCr8_yuvs", .yCbCr, .uint8, [.luma, .chromaBlue, .luma, .chromaRed], blockWidth: 2),
  ]

  private static let yCbCrPlanar: [PixelFormat] = [
    planar("420v", "420YpCbCr8BiPlanarVideoRange", .uint8, 2, 2),
    planar("420f", "420YpCbCr8BiPlanarFullRange", .uint8, 2, 2, full: true),
    planar("422v", "422YpCbCr8BiPlanarVideoRange", .uint8, 2, 1),
    planar("422f", "422YpCbCr8BiPlanarFullRange", .uint8, 2, 1, full: true),
    planar("444v", "444YpCbCr8BiPlanarVideoRange", .uint8, 1, 1),
    planar("444f", "444YpCbCr8BiPlanarFullRange", .uint8, 1, 1, full: true),
    planar("x420", "420YpCbCr10BiPlanarVideoRange", .uint10InUpperBits, 2, 2),
    planar("x422", "422YpCbCr10BiPlanarVideoRange", .uint10InUpperBits, 2, 1),
    planar("x444", "444YpCbCr10BiPlanarVideoRange", .uint10InUpperBits, 1, 1),
    planar("xf20", "420YpCbCr10BiPlanarFullRange", .uint10InUpperBits, 2, 2, full: true),
    planar("xf22", "422YpCbCr10BiPlanarFullRange", .uint10InUpperBits, 2, 1, full: true),
    planar("xf44", "444YpCbCr10BiPlanarFullRange", .uint10InUpperBits, 1, 1, full: true),
    planar("sv22", "422YpCbCr16BiPlanarVideoRange", .uint16, 2, 1),
    planar("sv44", "444YpCbCr16BiPlanarVideoRange", .uint16, 1, 1),
    planar("s4as", "444YpCbCr16VideoRange_16A_TriPlanar", .uint16, 1, 1, alpha: true),
    planar("v0a8", "420YpCbCr8VideoRange_8A_TriPlanar", .uint8, 2, 2, alpha: true),
  ]

  private static let rgb: [PixelFormat] = [
    packed("b64a", "64ARGB", .rgb, .uint16BigEndian, [.alpha, .red, .green, .blue]),
    packed("l64r", "64RGBALE", .rgb, .uint16, [.red, .green, .blue, .alpha]),
    packed("b48r", "48RGB", .rgb, .uint16BigEndian, [.red, .green, .blue]),
    packed("BGRA", "32BGRA", .rgb, .uint8, [.blue, .green, .red, .alpha]),
    packed("\0\0\0\u{20}", "32ARGB", .rgb, .uint8, [.alpha, .red, .green, .blue]),
    packed("RGBA", "32RGBA", .rgb, .uint8, [.red, .green, .blue, .alpha]),
    packed("ABGR", "32ABGR", .rgb, .uint8, [.alpha, .blue, .green, .red]),
    packed("\0\0\0\u{18}", "24RGB", .rgb, .uint8, [.red, .green, .blue]),
    packed("24BG", "24BGR", .rgb, .uint8, [.blue, .green, .red]),
    packed("RGhA", "64RGBAHalf", .rgb, .half, [.red, .green, .blue, .alpha]),
    packed("RGfA", "128RGBAFloat", .rgb, .float, [.red, .green, .blue, .alpha]),
  ]

  private static let components: [PixelFormat] = [
    packed("L008", "OneComponent8", .oneComponent, .uint8, [.first]),
    packed("L010", "OneComponent10", .oneComponent, .uint10InUpperBits, [.first]),
    packed("L012", "OneComponent12", .oneComponent, .uint12InUpperBits, [.first]),
    packed("L016", "OneComponent16", .oneComponent, .uint16, [.first]),
    packed("L00h", "OneComponent16Half", .oneComponent, .half, [.first]),
    packed("L00f", "OneComponent32Float", .oneComponent, .float, [.first]),
    packed("2C08", "TwoComponent8", .twoComponent, .uint8, [.first, .second]),
    packed("2C16", "TwoComponent16", .twoComponent, .uint16, [.first, .second]),
    packed("2C0h", "TwoComponent16Half", .twoComponent, .half, [.first, .second]),
    packed("2C0f", "TwoComponent32Float", .twoComponent, .float, [.first, .second]),
    packed("hdis", "DisparityFloat16", .disparity, .half, [.first]),
    packed("fdis", "DisparityFloat32", .disparity, .float, [.first]),
    packed("hdep", "DepthFloat16", .depth, .half, [.first]),
    packed("fdep", "DepthFloat32", .depth, .float, [.first]),
  ]

  private static let raw: [PixelFormat] = [
    packed("bp16", "16VersatileBayer", .bayer, .uint16, [.mosaic]),
    packed("bp64", "64RGBA_DownscaledProResRAW", .rgb, .uint16, [.red, .green, .blue, .alpha]),
  ]

  private static let opaque: [PixelFormat] = [
    opaque("&BGA", "Lossless_32BGRA", .rgb, .uint8),
    opaque("&RhA", "Lossless_64RGBAHalf", .rgb, .half),
    opaque("&8v0", "Lossless_420YpCbCr8BiPlanarVideoRange", .yCbCr, .uint8, full: false),
    opaque("&8f0", "Lossless_420YpCbCr8BiPlanarFullRange", .yCbCr, .uint8),
    opaque("&xv0", "Lossless_420YpCbCr10PackedBiPlanarVideoRange", .yCbCr, .uint10InUpperBits, full: false),
    opaque("&xv2", "Lossless_422YpCbCr10PackedBiPlanarVideoRange", .yCbCr, .uint10InUpperBits, full: false),
    opaque("-BGA", "Lossy_32BGRA", .rgb, .uint8),
    opaque("-8v0", "Lossy_420YpCbCr8BiPlanarVideoRange", .yCbCr, .uint8, full: false),
    opaque("-8f0", "Lossy_420YpCbCr8BiPlanarFullRange", .yCbCr, .uint8),
    opaque("-xv0", "Lossy_420YpCbCr10PackedBiPlanarVideoRange", .yCbCr, .uint10InUpperBits, full: false),
    opaque("-xv2", "Lossy_422YpCbCr10PackedBiPlanarVideoRange", .yCbCr, .uint10InUpperBits, full: false),
  ]
}

extension PixelFormat {
  private static func packed(
    _ code: String, _ name: String, _ model: Model, _ sample: Sample, _ components: [Component], blockWidth: Int = 1,
    bytesPerBlock: Int? = nil, rowAlignment: Int = 1
  ) -> PixelFormat {
    let plane = Plane(
      bytesPerBlock: bytesPerBlock ?? components.count * sample.byteCount, blockWidth: blockWidth,
      horizontalSubsampling: 1, verticalSubsampling: 1, components: components)
    return PixelFormat(
      code: fourCharacterCode(code), name: name, model: model, sample: sample, bitsPerComponent: sample.bits,
      isFullRange: model != .yCbCr, planes: [plane], hasAlpha: components.contains(.alpha), rowAlignment: rowAlignment)
  }

  /// Luma, interleaved Cb and Cr subsampled `across` and `down`, and an alpha plane where there is one.
  private static func planar(
    _ code: String, _ name: String, _ sample: Sample, _ across: Int, _ down: Int, full: Bool = false,
    alpha: Bool = false
  ) -> PixelFormat {
    func plane(_ components: [Component], _ across: Int, _ down: Int) -> Plane {
      Plane(
        bytesPerBlock: components.count * sample.byteCount, blockWidth: 1, horizontalSubsampling: across,
        verticalSubsampling: down, components: components)
    }
    let planes = [plane([.luma], 1, 1), plane([.chromaBlue, .chromaRed], across, down)]
    return PixelFormat(
      code: fourCharacterCode(code), name: name, model: .yCbCr, sample: sample, bitsPerComponent: sample.bits,
      isFullRange: full, planes: planes + (alpha ? [plane([.alpha], 1, 1)] : []), hasAlpha: alpha, rowAlignment: 1)
  }

  private static func opaque(
    _ code: String, _ name: String, _ model: Model, _ sample: Sample, full: Bool = true
  ) -> PixelFormat {
    PixelFormat(
      code: fourCharacterCode(code), name: name, model: model, sample: sample, bitsPerComponent: sample.bits,
      isFullRange: full, planes: [], hasAlpha: model == .rgb, rowAlignment: 1)
  }
}

extension PixelFormat.Sample {
  /// Significant bits.
  package var bits: Int {
    switch self {
    case .uint8: 8
    case .uint10InUpperBits, .packed10: 10
    case .uint12InUpperBits: 12
    case .uint16, .uint16BigEndian, .half: 16
    case .float: 32
    }
  }

  /// Bytes of one stored sample; 4, a whole word, for `packed10`.
  package var byteCount: Int {
    switch self {
    case .uint8: 1
    case .uint16, .uint16BigEndian, .uint10InUpperBits, .uint12InUpperBits, .half: 2
    case .float, .packed10: 4
    }
  }
}
