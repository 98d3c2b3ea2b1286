/// The weights of red and blue in luma.
package struct YCbCrMatrix: Hashable, Sendable {
  package let red: Float
  package let blue: Float
  var green: Float { 1 - red - blue }

  package static let bt601 = YCbCrMatrix(red: 0.299, blue: 0.114)
  package static let bt709 = YCbCrMatrix(red: 0.2126, blue: 0.0722)
  package static let smpte240M = YCbCrMatrix(red: 0.212, blue: 0.087)
  package static let bt2020 = YCbCrMatrix(red: 0.2627, blue: 0.0593)
  /// Derived from the P3 primaries with the white point D65.
  package static let p3 = YCbCrMatrix(red: 0.228_975, blue: 0.079_287)

  /// R'G'B' and alpha from Y' (0…1), Cb and Cr (−½…½).
  @inline(__always)
  func rgb(_ y: Float, _ cb: Float, _ cr: Float, alpha: Float) -> SIMD4<Float> {
    let r = y + 2 * (1 - red) * cr
    let b = y + 2 * (1 - blue) * cb
    let g = y - (2 * (1 - red) * red * cr + 2 * (1 - blue) * blue * cb) / green
    return SIMD4(r, g, b, alpha)
  }

  @inline(__always)
  func luma(_ rgb: SIMD4<Float>) -> Float { red * rgb.x + green * rgb.y + blue * rgb.z }

  /// Cb and Cr, −½…½, of R'G'B'.
  @inline(__always)
  func chroma(_ rgb: SIMD4<Float>) -> SIMD2<Float> {
    let y = luma(rgb)
    return SIMD2((rgb.z - y) / (2 * (1 - blue)), (rgb.x - y) / (2 * (1 - red)))
  }
}
