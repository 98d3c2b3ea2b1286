/// From Y'CbCr codes of 16 bits to R'G'B' from 0 (black) to 1 (white).
package struct ColorMatrix: Sendable, Hashable {
  package let lumaOffset: Float
  package let lumaScale: Float
  /// Cr's share of red, Cb's of green, Cr's of green, and Cb's of blue, for a code.
  package let red: Float
  package let greenBlue: Float
  package let greenRed: Float
  package let blue: Float

  /// - Parameter code: the matrix in ITU-T H.273; BT.709 where it is none of those known.
  package init(code: Int, isFullRange: Bool) {
    let (kr, kb) = Self.weights[code] ?? (0.2126, 0.0722)
    let kg = 1 - kr - kb
    let chroma = 1 / (isFullRange ? 65535 : 224 * 256.0)
    lumaOffset = isFullRange ? 0 : 16 * 256
    lumaScale = Float(1 / (isFullRange ? 65535 : 219 * 256.0))
    red = Float(2 * (1 - kr) * chroma)
    blue = Float(2 * (1 - kb) * chroma)
    greenRed = Float(-2 * (1 - kr) * kr / kg * chroma)
    greenBlue = Float(-2 * (1 - kb) * kb / kg * chroma)
  }

  /// Red's and blue's share of luma.
  private static let weights: [Int: (Double, Double)] = [
    1: (0.2126, 0.0722), 4: (0.30, 0.11), 5: (0.299, 0.114), 6: (0.299, 0.114), 7: (0.212, 0.087),
    9: (0.2627, 0.0593), 10: (0.2627, 0.0593),
  ]
}
