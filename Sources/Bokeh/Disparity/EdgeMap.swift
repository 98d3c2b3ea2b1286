/// Marks the samples that have a depth edge near them.
struct EdgeMap {
  let plane: Plane<UInt8>
  let lines: Storage<Float>
  let workers: Workers

  /// Sets a sample to 1 if the samples around it, up to `reach` away, differ by more than `step` from one slanted
  /// surface, else to 0.
  func mark(_ samples: Plane<Float>, step: Float, reach: Int) {
    let length = 4 * plane.width + 4 * reach
    let scratch = lines.reserve(workers.count * length)
    workers.rows(plane.height) { worker, rows in
      for y in rows { markRow(samples, y, step, reach, scratch + worker &* length) }
    }
  }

  private func markRow(
    _ samples: Plane<Float>, _ y: Int, _ step: Float, _ reach: Int, _ scratch: UnsafeMutablePointer<Float>
  ) {
    let rows = max(0, y &- reach)...min(y &+ reach, plane.height &- 1)
    let (width, padded, out) = (plane.width, plane.width &+ 2 &* reach, plane.row(y))
    let (leasts, mosts) = (scratch, scratch + padded)
    for x in 0..<padded { (leasts[x], mosts[x]) = (.infinity, -.infinity) }
    columnRanges(samples, rows, leasts + reach, mosts + reach)
    let (least, most) = (mosts + padded, mosts + padded + width)
    for x in 0..<width { (least[x], most[x]) = (leasts[x], mosts[x]) }
    for dx in 1...2 &* reach {
      for x in 0..<width {
        least[x] = min(least[x], leasts[x &+ dx])
        most[x] = max(most[x], mosts[x &+ dx])
      }
    }
    for x in 0..<width {
      out[x] = 0
      guard most[x] - least[x] > step else { continue }
      let columns = max(0, x &- reach)...min(x &+ reach, width &- 1)
      out[x] = deviation(samples, columns, rows, step) > step ? 1 : 0
    }
  }

  /// The range of each column in some rows.
  private func columnRanges(
    _ samples: Plane<Float>, _ rows: ClosedRange<Int>, _ leasts: UnsafeMutablePointer<Float>,
    _ mosts: UnsafeMutablePointer<Float>
  ) {
    for row in rows {
      let values = samples.row(row)
      for x in 0..<plane.width {
        leasts[x] = min(leasts[x], values[x])
        mosts[x] = max(mosts[x], values[x])
      }
    }
  }

  /// The range of what is left of the samples when the best slanted plane is taken off; of a range of more than
  /// `step` not all.
  private func deviation(
    _ samples: Plane<Float>, _ columns: ClosedRange<Int>, _ rows: ClosedRange<Int>, _ step: Float
  ) -> Float {
    let (firstX, firstY) = (-Float(columns.count &- 1) / 2, -Float(rows.count &- 1) / 2)
    let slope = slope(samples, columns, rows)
    var (least, most) = (Float.infinity, -Float.infinity)
    var dy = firstY
    for y in rows {
      let values = samples.row(y)
      var dx = firstX
      for x in columns {
        let rest = values[x] - slope.x * dx - slope.y * dy
        least = min(least, rest)
        most = max(most, rest)
        dx += 1
      }
      // More rows would not make it less.
      if most - least > step { break }
      dy += 1
    }
    return most - least
  }

  /// How much the samples rise from one column, and one row, to the next.
  private func slope(_ samples: Plane<Float>, _ columns: ClosedRange<Int>, _ rows: ClosedRange<Int>) -> SIMD2<Float> {
    let (across, down) = (Float(columns.count), Float(rows.count))
    var (along, dy) = (SIMD2<Float>.zero, (1 - down) / 2)
    for y in rows {
      let values = samples.row(y)
      var (dx, sum) = ((1 - across) / 2, Float(0))
      for x in columns {
        along.x += dx * values[x]
        sum += values[x]
        dx += 1
      }
      along.y += dy * sum
      dy += 1
    }
    // Sums of squares of places.
    let squares = SIMD2(across * across - 1, down * down - 1) * (across * down / 12)
    return along / SIMD2(max(squares.x, 1), max(squares.y, 1))
  }
}
