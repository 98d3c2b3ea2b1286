/// How disparity goes with colour around a sample: the least-squares slope over the samples nearby, for each colour.
struct ColorSlope {
  let samples: Plane<Float>
  let guide: Plane<SIMD4<Float>>
  let edges: Plane<UInt8>

  /// How far away in samples the ones lie that count.
  let reach: Int
  /// A disparity of the frame; sums are of differences from it, which keeps them exact.
  let origin: Float
  /// Variances of colour below this (square roots of light) say nothing.
  private static let leastVariance: Float = 0.0005

  /// Computes row `y` of `slopes`; 0 where there is no edge.
  ///
  /// - Parameter columns: room for a row.
  func apply(_ slopes: Plane<SIMD4<Float>>, _ y: Int, _ columns: UnsafeMutablePointer<Sums>) {
    slopes.row(y).update(repeating: .zero, count: slopes.width)
    forEachEdge(y, columns) { x, sums in slopes[x, y] = fit(sums).slope }
  }

  /// Computes row `y` of `refined`: on wide ramps what the samples' colours let expect, so that the edge comes to lie where
  /// the picture has it. Samples beside a sharp step are kept: they know how much of them each side covers.
  ///
  /// - Parameter columns: room for a row.
  func refine(_ refined: Plane<Float>, _ y: Int, _ columns: UnsafeMutablePointer<Sums>) {
    refined.row(y).update(from: samples.row(y), count: refined.width)
    forEachEdge(y, columns) { x, sums in
      let ramp = rampShare(x, y, sums)
      guard ramp > 0 else { return }
      let fit = fit(sums)
      let expected = origin + fit.mean.w + (fit.slope * (guide[x, y] - SIMD4(fit.mean, weight: 0))).sum()
      let own = samples[x, y]
      refined[x, y] = own + (min(max(expected, sums.least), sums.most) - own) * ramp
    }
  }

  /// 1 for a sample in the middle of a wide ramp, 0 for one beside a step or on one side.
  @inline(__always)
  private func rampShare(_ x: Int, _ y: Int, _ sums: Sums) -> Float {
    let spread = sums.most - sums.least
    guard spread > 0 else { return 0 }
    let beside = samples.range(
      max(0, x &- 1)...min(x &+ 1, samples.width &- 1), max(0, y &- 1)...min(y &+ 1, samples.height &- 1))
    let steepness = (beside.upperBound - beside.lowerBound) / spread
    let near = (samples[x, y] - sums.least) / spread
    return min(max((0.9 - steepness) / 0.3, 0), 1) * min(5 * min(near, 1 - near), 1)
  }

  /// Sums over some samples, of their three colours and, in the last place, of their disparity.
  struct Sums: BitwiseCopyable {
    var values = SIMD4<Float>.zero
    var squares = SIMD4<Float>.zero
    /// Of each colour with the next.
    var products = SIMD4<Float>.zero
    /// Of each colour with disparity.
    var together = SIMD4<Float>.zero
    var least = Float.infinity
    var most = -Float.infinity
    var count: Float = 0

    @inline(__always)
    mutating func add(_ color: SIMD4<Float>, _ disparity: Float, origin: Float) {
      let value = SIMD4(color, weight: disparity - origin)
      values += value
      squares += value * value
      products += value * SIMD4(value.y, value.z, value.x, 0)
      together += value * value.w
      (least, most) = (min(least, disparity), max(most, disparity))
      count += 1
    }

    @inline(__always)
    mutating func add(_ other: Sums) {
      values += other.values
      squares += other.squares
      products += other.products
      together += other.together
      (least, most) = (min(least, other.least), max(most, other.most))
      count += other.count
    }
  }

  /// Calls `body` for each sample of row `y` that has an edge near it, with the sums over all samples around.
  @inline(__always)
  private func forEachEdge(_ y: Int, _ columns: UnsafeMutablePointer<Sums>, _ body: (_ x: Int, _ sums: Sums) -> Void) {
    let marks = edges.row(y)
    let rows = max(0, y &- reach)...min(y &+ reach, samples.height &- 1)
    // What is summed of columns before this one serves the samples that follow.
    var summed = 0
    for x in 0..<samples.width where marks[x] != 0 {
      let (first, last) = (max(0, x &- reach), min(x &+ reach, samples.width &- 1))
      summed = max(summed, first)
      while summed <= last {
        columns[summed] = sums(summed, rows)
        summed &+= 1
      }
      var sums = columns[first]
      for column in first &+ 1..<last &+ 1 { sums.add(columns[column]) }
      body(x, sums)
    }
  }

  /// The sums of a column in some rows.
  @inline(__always)
  private func sums(_ x: Int, _ rows: ClosedRange<Int>) -> Sums {
    var sums = Sums()
    var place = rows.lowerBound &* samples.width &+ x
    for _ in 0..<rows.count {
      sums.add(guide.base[place], samples.base[place], origin: origin)
      place &+= samples.width
    }
    return sums
  }

  /// A plane through samples, over their colours.
  private struct Fit {
    let slope: SIMD4<Float>
    /// Of colours, and of disparity from the origin.
    let mean: SIMD4<Float>
  }

  @inline(__always)
  private func fit(_ sums: Sums) -> Fit {
    let share = 1 / sums.count
    let mean = sums.values * share
    let variances = sums.squares * share - mean * mean
    let products = sums.products * share - mean * SIMD4(mean.y, mean.z, mean.x, 0)
    let together = sums.together * share - mean * mean.w
    let squares = variances.replacing(with: 0, where: variances .< 0) + ColorSlope.leastVariance
    return Fit(slope: solve(squares, products, SIMD4(together, weight: 0)), mean: mean)
  }

  /// Solves the symmetric system by Cramer's rule.
  @inline(__always)
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
