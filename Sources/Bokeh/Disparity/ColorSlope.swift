/// How disparity goes with colour around a sample: the least-squares slope over the samples nearby, for each colour.
struct ColorSlope {
  let samples: Plane<Float>
  let guide: Plane<SIMD4<Float>>

  /// How far away in samples the ones lie that count.
  let reach: Int
  /// A disparity of the frame; sums are of differences from it, which keeps them exact.
  let origin: Float
  /// Variances of colour below this (square roots of light) say nothing.
  private static let leastVariance: Float = 0.0005

  /// Computes row `y` of `slopes` beside the cells of four samples that are marked; 0 where there is no edge.
  ///
  /// - Parameters:
  ///   - cells: the marks of this row and of the one before, in one.
  ///   - columns: room for a row.
  func apply(
    _ slopes: Plane<SIMD4<Float>>, _ y: Int, _ edges: EdgeMap, cells: Plane<UInt8>,
    _ columns: UnsafeMutablePointer<Sums>
  ) {
    var window = window(y, columns)
    let (marks, out) = (edges.marks.row(y), slopes.row(y))
    var done = 0
    cells.forEachMark(0) { cell in
      for x in max(cell, done)..<min(cell &+ 2, slopes.width) {
        out[x] = marks[x] == 0 ? .zero : fit(window.sums(x), window.count(x)).slope
      }
      done = cell &+ 2
    }
  }

  /// Computes row `y` of `refined`: on wide ramps what the samples' colours let expect, so that the edge comes to lie where
  /// the picture has it. Samples beside a sharp step are kept: they know how much of them each side covers.
  ///
  /// - Parameter columns: room for a row.
  func refine(_ refined: Plane<Float>, _ y: Int, _ edges: EdgeMap, _ columns: UnsafeMutablePointer<Sums>) {
    refined.row(y).update(from: samples.row(y), count: refined.width)
    var window = window(y, columns)
    edges.marks.forEachMark(y) { x in
      let (least, most) = (edges.least[x, y], edges.most[x, y])
      let ramp = rampShare(x, y, least, most)
      guard ramp > 0 else { return }
      let fit = fit(window.sums(x), window.count(x))
      let expected = origin + fit.mean.w + (fit.slope * (guide[x, y] - fit.mean)).total
      let own = samples[x, y]
      refined[x, y] = own + (min(max(expected, least), most) - own) * ramp
    }
  }

  /// 1 for a sample in the middle of a wide ramp, 0 for one beside a step or on one side.
  ///
  /// - Parameters:
  ///   - least: the least of the samples around.
  ///   - most: the greatest.
  @inline(__always)
  private func rampShare(_ x: Int, _ y: Int, _ least: Float, _ most: Float) -> Float {
    let spread = most - least
    guard spread > 0 else { return 0 }
    let near = (samples[x, y] - least) / spread
    guard near > 0, near < 1 else { return 0 }
    let steepness = rangeBeside(x, y) / spread
    return min(max((0.9 - steepness) / 0.3, 0), 1) * min(5 * min(near, 1 - near), 1)
  }

  /// How far the samples beside one go apart.
  @inline(__always)
  private func rangeBeside(_ x: Int, _ y: Int) -> Float {
    let rows = (samples.clampedRow(y &- 1), samples.row(y), samples.clampedRow(y &+ 1))
    guard x > 0, x &+ 2 < samples.width else {
      let range = samples.range(
        max(0, x &- 1)...min(x &+ 1, samples.width &- 1), max(0, y &- 1)...min(y &+ 1, samples.height &- 1))
      return range.upperBound - range.lowerBound
    }
    let (a, b, c) = (rows.0.four(x &- 1), rows.1.four(x &- 1), rows.2.four(x &- 1))
    let (least, most) = (a.least(b).least(c), a.most(b).most(c))
    return max(max(most.x, most.y), most.z) - min(min(least.x, least.y), least.z)
  }

  /// Sums over some samples, of their three colours and, in the last place, of their disparity.
  struct Sums: BitwiseCopyable {
    var values = SIMD4<Float>.zero
    /// Of each colour with itself, and with the next; their last places mean nothing.
    var squares = SIMD4<Float>.zero
    var products = SIMD4<Float>.zero
    /// Of each colour with disparity.
    var together = SIMD4<Float>.zero

    @inline(__always)
    mutating func add(_ color: SIMD4<Float>, _ disparity: Float) {
      // The last place of a colour is 0. No two products below are the same there: where they were the compiler would take
      // vectors apart to multiply once.
      let value = color + SIMD4(0, 0, 0, 1) * disparity
      values += value
      squares += color * color
      products += value * color.turned
      together += value * disparity
    }

    @inline(__always)
    mutating func add(_ other: Sums) {
      values += other.values
      squares += other.squares
      products += other.products
      together += other.together
    }
  }

  /// The sums around the samples of a row, asked for from left to right.
  private struct Window {
    let slope: ColorSlope
    let rows: ClosedRange<Int>
    let columns: UnsafeMutablePointer<Sums>
    /// What is summed of columns before this one serves the samples that follow.
    var summed = 0

    @inline(__always)
    func range(_ x: Int) -> (first: Int, last: Int) {
      (max(0, x &- slope.reach), min(x &+ slope.reach, slope.samples.width &- 1))
    }

    /// How many samples lie around number `x`.
    @inline(__always)
    func count(_ x: Int) -> Float {
      let range = range(x)
      return Float((range.last &- range.first &+ 1) &* rows.count)
    }

    @inline(__always)
    mutating func sums(_ x: Int) -> Sums {
      let (first, last) = range(x)
      summed = max(summed, first)
      while summed <= last {
        columns[summed] = slope.sums(summed, rows)
        summed &+= 1
      }
      var sums = columns[first]
      for column in first &+ 1..<last &+ 1 { sums.add(columns[column]) }
      return sums
    }
  }

  private func window(_ y: Int, _ columns: UnsafeMutablePointer<Sums>) -> Window {
    Window(slope: self, rows: max(0, y &- reach)...min(y &+ reach, samples.height &- 1), columns: columns)
  }

  /// The sums of a column in some rows.
  @inline(__always)
  private func sums(_ x: Int, _ rows: ClosedRange<Int>) -> Sums {
    var sums = Sums()
    var place = rows.lowerBound &* samples.width &+ x
    for _ in 0..<rows.count {
      sums.add(guide.base[place], samples.base[place] - origin)
      place &+= samples.width
    }
    return sums
  }

  /// A plane through samples, over their colours.
  private struct Fit {
    /// For each colour; 0 in the last place.
    let slope: SIMD4<Float>
    /// Of colours, and of disparity from the origin.
    let mean: SIMD4<Float>
  }

  @inline(__always)
  private func fit(_ sums: Sums, _ count: Float) -> Fit {
    let share = 1 / count
    let mean = sums.values * share
    let variances = sums.squares * share - mean * mean
    let products = sums.products * share - mean * mean.turned
    let together = sums.together * share - mean * mean.w
    let squares = variances.replacing(with: 0, where: variances .< 0) + ColorSlope.leastVariance
    return Fit(slope: solve(squares, products, together), mean: mean)
  }

  /// Solves the symmetric system by Cramer's rule.
  @inline(__always)
  private func solve(_ squares: SIMD4<Float>, _ products: SIMD4<Float>, _ right: SIMD4<Float>) -> SIMD4<Float> {
    let (ab, bc, ca) = (products.x, products.y, products.z)
    let rows = (SIMD4(squares.x, ab, ca, 0), SIMD4(ab, squares.y, bc, 0), SIMD4(ca, bc, squares.z, 0))
    let first = rows.1.cross(rows.2)
    let parts = rows.0 * first
    let determinant = parts.x + parts.y + parts.z
    guard determinant > 0 else { return .zero }
    return (first * right.x + rows.2.cross(rows.0) * right.y + rows.0.cross(rows.1) * right.z) / determinant
  }
}

extension SIMD4<Float> {
  /// The first three in the order y, z, x.
  @inline(__always)
  fileprivate var turned: SIMD4<Float> { SIMD4(y, z, x, w) }

  /// The cross product of the first three.
  @inline(__always)
  fileprivate func cross(_ other: SIMD4<Float>) -> SIMD4<Float> {
    (self * other.turned - turned * other).turned
  }
}

extension Plane<Float> {
  /// From the least to the greatest value in a part of the plane.
  @inline(__always)
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
