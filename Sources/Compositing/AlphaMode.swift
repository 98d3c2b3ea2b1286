/// How the colours of a picture with alpha are stored.
package enum AlphaMode: Hashable, Sendable {
  /// As if alpha were 1 everywhere; ProRes 4444 is so.
  case straight
  /// Multiplied by alpha, on a matte that shows through where the picture does not: black (0) or white (1).
  case premultiplied(matte: Float)

  /// A pixel of which nothing is seen.
  package var nothing: SIMD4<Float> {
    guard case .premultiplied(let matte) = self else { return .zero }
    return SIMD4(matte, matte, matte, 0)
  }

  package static let premultiplied = AlphaMode.premultiplied(matte: 0)
  package static let premultipliedWhite = AlphaMode.premultiplied(matte: 1)
}

extension AlphaMode {
  /// The colour multiplied by alpha, without matte, and alpha from 0 to 1.
  @inline(__always)
  func multiplied(_ pixel: SIMD4<Float>) -> SIMD4<Float> {
    let alpha = clamped(pixel.w)
    switch self {
    case .straight: return SIMD4(pixel.x * alpha, pixel.y * alpha, pixel.z * alpha, alpha)
    case .premultiplied(let matte):
      let rest = (1 - alpha) * matte
      return SIMD4(pixel.x - rest, pixel.y - rest, pixel.z - rest, alpha)
    }
  }
}

extension AlphaMode {
  /// Half a code of 16 bits: so little alpha says nothing about the colour but rounding.
  private static let leastAlpha: Float = 0.5 / 65_535

  /// The straight colour and alpha from 0 to 1.
  @inline(__always)
  func straight(_ pixel: SIMD4<Float>) -> SIMD4<Float> {
    let multiplied = multiplied(pixel)
    guard case .premultiplied = self else { return SIMD4(pixel.x, pixel.y, pixel.z, multiplied.w) }
    guard multiplied.w > Self.leastAlpha else { return SIMD4(0, 0, 0, multiplied.w) }
    var color = multiplied / multiplied.w
    color.w = multiplied.w
    return color
  }

  /// Makes the colours of a row straight.
  package func makeStraight(_ row: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int) {
    guard self != .straight else { return }
    for x in 0..<count { row[x] = straight(row[x]) }
  }
}

/// Alpha from 0 to 1; what is not a number is 0.
@inline(__always)
func clamped(_ alpha: Float) -> Float { alpha > 0 ? min(alpha, 1) : 0 }
