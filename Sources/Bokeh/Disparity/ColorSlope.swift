/// How disparity goes with colour around a sample: the least-squares slope over the samples nearby, for each colour.
struct ColorSlope {
  let samples: Plane<Float>
  let guide: Plane<SIMD4<Float>>
  let edges: Plane<UInt8>

  /// How far away in samples the ones lie that count.
  let reach: Int
  /// Variances of colour below this (square roots of light) say nothing.
  private static let leastVariance: Float = 0.0005

  /// Computes row `y` of `slopes`; 0 where there is no edge.
  func apply(_ slopes: Plane<SIMD4<Float>>, _ y: Int) {
    for x in 0..<slopes.width { slopes[x, y] = edges[x, y] == 0 ? .zero : fit(x, y).slope }
  }

  /// Computes row `y` of `refined`: on wide ramps what the samples' colours let expect, so that the edge comes to lie where
  /// the picture has it. Samples beside a sharp step are kept: they know how much of them each side covers.
  func refine(_ refined: Plane<Float>, _ y: Int) {
    for x in 0..<refined.width {
      let own = samples[x, y]
      refined[x, y] = own
      guard edges[x, y] != 0 else { continue }
      let fit = fit(x, y)
      let ramp = rampShare(x, y, fit.range)
      guard ramp > 0 else { continue }
      let expected = fit.disparity + (fit.slope * (guide[x, y] - fit.color)).sum()
      let limited = min(max(expected, fit.range.lowerBound), fit.range.upperBound)
      refined[x, y] = own + (limited - own) * ramp
    }
  }

  /// 1 for a sample in the middle of a wide ramp, 0 for one beside a step or on one side.
  private func rampShare(_ x: Int, _ y: Int, _ range: ClosedRange<Float>) -> Float {
    let spread = range.upperBound - range.lowerBound
    guard spread > 0 else { return 0 }
    let beside = samples.range(
      max(0, x &- 1)...min(x &+ 1, samples.width &- 1), max(0, y &- 1)...min(y &+ 1, samples.height &- 1))
    let steepness = (beside.upperBound - beside.lowerBound) / spread
    let near = (samples[x, y] - range.lowerBound) / spread
    return min(max((0.9 - steepness) / 0.3, 0), 1) * min(5 * min(near, 1 - near), 1)
  }

  /// A plane through the samples around one, over their colours.
  private struct Fit {
    var slope: SIMD4<Float>
    var color: SIMD4<Float>
    var disparity: Float
    var range: ClosedRange<Float>
  }

  private func fit(_ x: Int, _ y: Int) -> Fit {
    let columns = max(0, x &- reach)...min(x &+ reach, samples.width &- 1)
    let rows = max(0, y &- reach)...min(y &+ reach, samples.height &- 1)
    let count = Float(columns.count &* rows.count)
    var (color, disparity) = (SIMD4<Float>.zero, Float(0))
    for row in rows {
      for column in columns {
        color += guide[column, row]
        disparity += samples[column, row]
      }
    }
    color /= count
    disparity /= count
    // Sums of products: along the diagonal, beside it (xy, yz, zx), and with disparity.
    var (squares, products, together) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
    for row in rows {
      for column in columns {
        let way = guide[column, row] - color
        squares += way * way
        products += way * SIMD4(way.y, way.z, way.x, 0)
        together += way * (samples[column, row] - disparity)
      }
    }
    squares = squares / count + ColorSlope.leastVariance
    return Fit(
      slope: solve(squares, products / count, together / count), color: color, disparity: disparity,
      range: samples.range(columns, rows))
  }

  /// Solves the symmetric system by Cramer's rule.
  private func solve(_ squares: SIMD4<Float>, _ products: SIMD4<Float>, _ right: SIMD4<Float>) -> SIMD4<Float> {
    let (a, b, c) = (squares.x, squares.y, squares.z)
    let (ab, bc, ca) = (products.x, products.y, products.z)
    let first = SIMD4(b * c - bc * bc, ca * bc - ab * c, ab * bc - b * ca, 0)
    let second = SIMD4(first.y, a * c - ca * ca, ab * ca - a * bc, 0)
    let third = SIMD4(first.z, second.z, a * b - ab * ab, 0)
    let determinant = a * first.x + ab * first.y + ca * first.z
    guard determinant > 0 else { return .zero }
    return (first * right.x + second * right.y + third * right.z) / determinant
  }
}

extension Plane<Float> {
  /// From the least to the greatest value in a part of the plane.
  func range(_ columns: ClosedRange<Int>, _ rows: ClosedRange<Int>) -> ClosedRange<Float> {
    var (least, most) = (Float.infinity, -Float.infinity)
    for y in rows {
      let values = row(y)
      for x in columns {
        least = min(least, values[x])
        most = max(most, values[x])
      }
    }
    return least...most
  }
}
