/// Marks the samples that have a depth edge near them.
struct EdgeMap {
  let plane: Plane<UInt8>
  let workers: Workers

  /// Sets a sample to 1 if the samples around it, up to `reach` away, differ by more than `step` from one slanted surface, else to 0.
  func mark(_ samples: Plane<Float>, step: Float, reach: Int) {
    workers.rows(plane.height) { _, rows in
      for y in rows {
        for x in 0..<plane.width { plane[x, y] = isEdge(samples, x, y, step, reach) ? 1 : 0 }
      }
    }
  }

  private func isEdge(_ samples: Plane<Float>, _ x: Int, _ y: Int, _ step: Float, _ reach: Int) -> Bool {
    let columns = max(0, x &- reach)...min(x &+ reach, plane.width &- 1)
    let rows = max(0, y &- reach)...min(y &+ reach, plane.height &- 1)
    let range = samples.range(columns, rows)
    guard range.upperBound - range.lowerBound > step else { return false }
    return deviation(samples, columns, rows) > step
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
