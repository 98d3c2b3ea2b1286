package import Bokeh

/// Lays one picture over another, pixel by pixel: the operator *over* of Porter and Duff (1984).
///
/// With colours multiplied by their alpha, f over b is
///
///     colour = f + b · (1 − α_f)          alpha = α_f + α_b · (1 − α_f)
///
/// and the straight colour of the result is its colour divided by its alpha. Where α_f is 1 the foreground comes through unchanged, where
/// it is 0 the background.
package struct Over: Sendable {
  /// The foreground's colours.
  package var alpha: AlphaMode
  /// The transfer function in whose light colours are mixed; nil mixes the signals.
  package var light: LightCurve?
  /// Whether the result keeps its alpha, with straight colours; otherwise it is opaque, black where nothing covers it.
  package var keepsAlpha: Bool

  package init(alpha: AlphaMode, light: LightCurve? = nil, keepsAlpha: Bool = false) {
    self.alpha = alpha
    self.light = light
    self.keepsAlpha = keepsAlpha
  }

  /// Lays a row of the foreground over a row of the background; the result takes the foreground's place.
  ///
  /// - Parameters:
  ///   - foreground: signals, with `alpha`.
  ///   - background: signals, straight.
  ///   - room: twice as many pixels to work in, where colours are mixed in light.
  package func callAsFunction(
    _ foreground: UnsafeMutablePointer<SIMD4<Float>>, _ background: UnsafePointer<SIMD4<Float>>, count: Int,
    room: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    if let light {
      mixInLight(foreground, background, count, room, light)
    } else {
      for x in 0..<count {
        foreground[x] = mixed(alpha.multiplied(foreground[x]), background[x], hidden: foreground[x])
      }
    }
  }

  /// Only what lets something through is taken to light and back: all else stays exactly as it is.
  private func mixInLight(
    _ foreground: UnsafeMutablePointer<SIMD4<Float>>, _ background: UnsafePointer<SIMD4<Float>>, _ count: Int,
    _ room: UnsafeMutablePointer<SIMD4<Float>>, _ light: LightCurve
  ) {
    let (fronts, behinds) = (room, room + count)
    var partial = 0
    for x in 0..<count {
      let front = straight(foreground[x])
      if 0 < front.w && front.w < 1 {
        (fronts[partial], behinds[partial]) = (front, background[x])
        partial += 1
      } else {
        foreground[x] = mixed(AlphaMode.straight.multiplied(front), background[x], hidden: front)
        // A mark that no alpha has, for the second pass.
        foreground[x].w += Self.done
      }
    }
    light.toLight(fronts, partial)
    light.toLight(behinds, partial)
    for x in 0..<partial {
      fronts[x] = mixed(AlphaMode.straight.multiplied(fronts[x]), behinds[x], hidden: fronts[x])
    }
    light.toSignal(fronts, partial)
    partial = 0
    for x in 0..<count {
      if foreground[x].w >= Self.done {
        foreground[x].w -= Self.done
      } else {
        foreground[x] = fronts[partial]
        partial += 1
      }
    }
  }

  private static let done: Float = 2

  /// - Parameters:
  ///   - front: multiplied by its alpha.
  ///   - hidden: the colour to keep where nothing is seen, for what encoders and scalers make of its surroundings.
  @inline(__always)
  private func mixed(_ front: SIMD4<Float>, _ behind: SIMD4<Float>, hidden: SIMD4<Float>) -> SIMD4<Float> {
    let share = clamped(behind.w) * (1 - front.w)
    var color = front + behind * share
    let cover = front.w + share
    if keepsAlpha { color = cover > 0 ? color / cover : hidden }
    color.w = keepsAlpha ? cover : 1
    return color
  }

  /// The straight colour of a foreground pixel, within what video has room for below black and above white: what goes far beyond is
  /// rounding of a small product with alpha.
  @inline(__always)
  private func straight(_ pixel: SIMD4<Float>) -> SIMD4<Float> {
    guard case .premultiplied = alpha else { return pixel }
    let color = alpha.straight(pixel)
    return color.clamped(lowerBound: SIMD4(repeating: -0.08), upperBound: SIMD4(repeating: 1.1))
  }
}
