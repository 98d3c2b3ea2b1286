import CoreVideo

/// Codes of a 4:2:0 picture of 8 or 10 bits, from R'G'B'.
struct PlainCodes {
  private let matrix: ColorMatrix
  private let offset: SIMD4<Float>
  /// The least and greatest code.
  private let least: Float
  private let most: Float

  init(_ format: PixelFormat, _ matrix: YCbCrMatrix) {
    let range = YCbCrRange(format)
    let unit = Float(1 << format.bitsPerComponent - 1)
    func column(_ rgb: SIMD4<Float>) -> SIMD4<Float> {
      let chroma = matrix.chroma(rgb) * (range.chromaScale * unit)
      return SIMD4(matrix.luma(rgb) * (range.lumaScale * unit), chroma.x, chroma.y, 0)
    }
    self.matrix = ColorMatrix(
      red: column(SIMD4(1, 0, 0, 0)), green: column(SIMD4(0, 1, 0, 0)), blue: column(SIMD4(0, 0, 1, 0)))
    offset = SIMD4(range.lumaOffset, range.chromaOffset, range.chromaOffset, 0) * unit
    (least, most) = (range.limits.lowerBound * unit, range.limits.upperBound * unit)
  }

  /// Luma, Cb and Cr, neither rounded nor limited.
  @inline(__always)
  func callAsFunction(_ rgb: SIMD4<Float>) -> SIMD4<Float> { offset + matrix(rgb) }

  /// The nearest code that a picture may have, as it is stored.
  @inline(__always)
  func bits<S: PlainSample>(_: S.Type, _ code: Float) -> S.Bits {
    S.Bits(truncatingIfNeeded: nearest(code, unit: 1)) &<< S.shift
  }

  /// The same of the luma of pixel `x` of a row; only 8 bits are dithered.
  @inline(__always)
  func bits<S: PlainSample>(_: S.Type, luma code: Float, _ dither: SIMD8<Float>, _ x: Int) -> S.Bits {
    bits(S.self, S.Bits.bitWidth == 8 ? code + dither[x & 7] : code)
  }

  /// The nearest code that a picture may have in parts of a code, of which there are `unit`.
  @inline(__always)
  func nearest(_ code: Float, unit: Float) -> UInt32 {
    let atLeast = code > least ? code : least
    let inside = atLeast < most ? atLeast : most
    // Added to 2²³, a number is rounded and lies in the sum's last bits.
    return (inside * unit + 8_388_608).bitPattern & 0xFFFF
  }
}
