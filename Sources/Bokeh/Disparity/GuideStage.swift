/// The picture as a guide: its colours, about evenly spaced to the eye, as means under each disparity sample.
struct GuideStage {
  let picture: Plane<SIMD4<Float>>
  let workers: Workers

  /// How many pixels in each direction are looked at for one sample.
  private static let taps = 4

  /// A colour of linear light in steps that look about even: its square root.
  @inline(__always)
  static func color(_ light: SIMD4<Float>) -> SIMD4<Float> {
    let positive = light.replacing(with: 0, where: light .< 0)
    let limited = positive.replacing(with: 1.5, where: positive .> 1.5)
    return SIMD4(limited.x.squareRoot(), limited.y.squareRoot(), limited.z.squareRoot(), 0)
  }

  func reduce(to guide: Plane<SIMD4<Float>>) {
    workers.rows(guide.height) { _, rows in
      for y in rows { reduce(y, guide) }
    }
  }

  private func reduce(_ y: Int, _ guide: Plane<SIMD4<Float>>) {
    let top = y &* picture.height / guide.height
    let bottom = max(top &+ 1, (y &+ 1) &* picture.height / guide.height)
    let down = max(1, (bottom &- top) / GuideStage.taps)
    let rows = stride(from: top &+ down / 2, to: bottom, by: down)
    let out = guide.row(y)
    var left = 0
    for x in 0..<guide.width {
      let next = (x &+ 1) &* picture.width / guide.width
      let right = max(left &+ 1, next)
      let across = max(1, (right &- left) / GuideStage.taps)
      var sum = SIMD4<Float>.zero
      var count: Float = 0
      for row in rows {
        let light = picture.clampedRow(row)
        var column = left &+ across / 2
        while column < right {
          sum += GuideStage.color(light[min(column, picture.width &- 1)])
          count += 1
          column &+= across
        }
      }
      out[x] = sum / count
      left = next
    }
  }
}

/// How alike two colours of a guide are.
enum Likeness {
  /// Colours that differ by this much (square root of light) are hardly alike.
  private static let spread: Float = 0.08
  /// What quite different colours still count, so that place decides where colours say nothing.
  private static let least: Float = 0.03

  /// From `least` to 1.
  @inline(__always)
  static func weight(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> Float {
    let difference = a - b
    let distance = (difference * difference).sum() * (1 / (2 * spread * spread))
    // A rational fall-off in place of an exponential: (1 + x/4)⁻⁴.
    let base = 1 / (1 + distance * 0.25)
    let square = base * base
    return least + (1 - least) * square * square
  }
}
