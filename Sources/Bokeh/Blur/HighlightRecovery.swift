/// Gives clipped highlights more light where they are blurred, so that they bloom into discs as lights do.
///
/// A recording in standard dynamic range ends at white, however bright a light was; spread over a disc a lamp would be
/// grey. What is nearly white is multiplied, all colours alike, the more the nearer it is to white and the more it is
/// blurred; nothing where it is in focus.
struct HighlightRecovery: Sendable {
  /// What white is multiplied by, less 1, where it is well blurred.
  let gain: Float

  /// The largest `gain`.
  static let mostGain: Float = 7
  /// Light from which on something may have been clipped; white is 1.
  static let threshold: Float = 0.9
  /// The radius in pixels of blur at which half of the light is given back.
  static let halfRadius: Float = 2.5

  /// - Parameter strength: 0…1.
  init(strength: Float) {
    gain = strength * HighlightRecovery.mostGain
  }

  /// Brightens the pixels of a row by their radii.
  func apply(_ light: UnsafeMutablePointer<SIMD4<Float>>, _ keys: UnsafePointer<DepthKey>, _ columns: Range<Int>) {
    for x in columns where keys[x].index > DiscTable.sharpIndex {
      let most = light[x].brightness
      guard most > HighlightRecovery.threshold else { continue }
      let factor = factor(most, keys[x].index)
      light[x] = SIMD4(light[x] * factor, weight: light[x].w)
    }
  }

  /// What light whose greatest component is `most` is multiplied by at a radius index.
  @inline(__always)
  func factor(_ most: Float, _ index: UInt32) -> Float {
    let way = min((most - HighlightRecovery.threshold) / (1 - HighlightRecovery.threshold), 1)
    let blur = Float(index &- DiscTable.sharpIndex) / DiscTable.stepsPerPixel
    let halfBlur = HighlightRecovery.halfRadius - 0.5
    return 1 + gain * way * way * (blur * blur / (blur * blur + halfBlur * halfBlur))
  }
}
