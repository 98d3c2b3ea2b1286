/// Marks the samples that have a depth edge near them.
struct EdgeMap {
  let plane: Plane<UInt8>
  let workers: Workers

  /// Sets a sample to 1 if the samples around it, up to `reach` away, differ by more than `step`, else to 0.
  func mark(_ samples: Plane<Float>, step: Float, reach: Int) {
    workers.rows(plane.height) { _, rows in
      for y in rows {
        for x in 0..<plane.width { plane[x, y] = isEdge(samples, x, y, step, reach) ? 1 : 0 }
      }
    }
  }

  @inline(__always)
  private func isEdge(_ samples: Plane<Float>, _ x: Int, _ y: Int, _ step: Float, _ reach: Int) -> Bool {
    var (least, most) = (Float.infinity, -Float.infinity)
    let columns = max(0, x &- reach)...min(x &+ reach, plane.width &- 1)
    for row in max(0, y &- reach)...min(y &+ reach, plane.height &- 1) {
      let values = samples.row(row)
      for column in columns {
        least = min(least, values[column])
        most = max(most, values[column])
      }
    }
    return most - least > step
  }
}
