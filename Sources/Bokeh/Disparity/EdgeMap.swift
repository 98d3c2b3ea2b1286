/// Marks the samples that have a depth edge near them.
struct EdgeMap {
  let plane: Plane<UInt8>
  let workers: Workers

  /// Sets a sample to 1 if the samples around it, up to `reach` away, differ by more than `step` from one slanted
  /// surface, else to 0.
  func mark(_ samples: Plane<Float>, step: Float, reach: Int) {
    workers.rows(plane.height) { _, rows in
      withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * plane.width) { scratch in
        for y in rows { markRow(samples, y, step, reach, scratch.baseAddress!) }
      }
    }
  }

  private func markRow(
    _ samples: Plane<Float>, _ y: Int, _ step: Float, _ reach: Int, _ scratch: UnsafeMutablePointer<Float>
  ) {
    let rows = max(0, y &- reach)...min(y &+ reach, plane.height &- 1)
    let (leasts, mosts) = (scratch, scratch + plane.width)
    columnRanges(samples, rows, leasts, mosts)
    for x in 0..<plane.width {
      let columns = max(0, x &- reach)...min(x &+ reach, plane.width &- 1)
      var (least, most) = (Float.infinity, -Float.infinity)
      for column in columns {
        least = min(least, leasts[column])
        most = max(most, mosts[column])
      }
      plane[x, y] = most - least > step && deviation(samples, columns, rows) > step ? 1 : 0
    }
  }

  /// The range of each column in some rows.
  private func columnRanges(
    _ samples: Plane<Float>, _ rows: ClosedRange<Int>, _ leasts: UnsafeMutablePointer<Float>,
    _ mosts: UnsafeMutablePointer<Float>
  ) {
    for x in 0..<plane.width { (leasts[x], mosts[x]) = (.infinity, -.infinity) }
    for row in rows {
      let values = samples.row(row)
      for x in 0..<plane.width {
        leasts[x] = min(leasts[x], values[x])
        mosts[x] = max(mosts[x], values[x])
      }
    }
  }

  /// The range of what is left of the samples when the best slanted plane is taken off.
  private func deviation(_ samples: Plane<Float>, _ columns: ClosedRange<Int>, _ rows: ClosedRange<Int>) -> Float {
    let middleX = Float(columns.lowerBound + columns.upperBound) / 2
    let middleY = Float(rows.lowerBound + rows.upperBound) / 2
    var (alongX, alongY, squaresX, squaresY) = (Float(0), Float(0), Float(0), Float(0))
    for y in rows {
      let values = samples.row(y)
      let dy = Float(y) - middleY
      for x in columns {
        let dx = Float(x) - middleX
        alongX += dx * values[x]
        alongY += dy * values[x]
        squaresX += dx * dx
        squaresY += dy * dy
      }
    }
    let (slopeX, slopeY) = (alongX / max(squaresX, 1), alongY / max(squaresY, 1))
    var (least, most) = (Float.infinity, -Float.infinity)
    for y in rows {
      let values = samples.row(y)
      for x in columns {
        let rest = values[x] - slopeX * (Float(x) - middleX) - slopeY * (Float(y) - middleY)
        least = min(least, rest)
        most = max(most, rest)
      }
    }
    return most - least
  }
}
