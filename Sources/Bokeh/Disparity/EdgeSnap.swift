/// Moves the edges of coarse disparity to where the picture has them: ramps become steps, and a sample goes to the side
/// whose colours it shows. Away from edges samples are smoothed along their surface.
struct EdgeSnap {
  let guide: Plane<SIMD4<Float>>
  let edges: Plane<UInt8>
  let step: Float

  /// How far away in samples the candidates lie at most.
  static let reach = 3
  /// How far away in samples a surface is smoothed.
  private static let smoothReach = 2

  /// Computes row `y` of `refined`.
  func apply(
    _ samples: Plane<Float>, to refined: Plane<Float>, _ y: Int, scratch: UnsafeMutablePointer<SideChooser.Bin>
  ) {
    for x in 0..<refined.width {
      refined[x, y] = edges[x, y] == 0 ? smoothed(samples, x, y) : snapped(samples, x, y, scratch)
    }
  }

  private func window(_ x: Int, _ y: Int, _ reach: Int) -> (columns: ClosedRange<Int>, rows: ClosedRange<Int>) {
    (
      max(0, x &- reach)...min(x &+ reach, guide.width &- 1),
      max(0, y &- reach)...min(y &+ reach, guide.height &- 1)
    )
  }

  private func snapped(
    _ samples: Plane<Float>, _ x: Int, _ y: Int, _ scratch: UnsafeMutablePointer<SideChooser.Bin>
  ) -> Float {
    let (columns, rows) = window(x, y, EdgeSnap.reach)
    let own = guide[x, y]
    let chooser = SideChooser(step: step, range: samples.range(columns, rows), scratch: scratch)
    for row in rows {
      for column in columns {
        let distance = Float((column &- x) &* (column &- x) &+ (row &- y) &* (row &- y))
        let nearness = flatness(samples, column, row) / (1 + distance * 0.25)
        chooser.add(
          samples[column, row], nearness: nearness, likeness: Likeness.weight(own, guide[column, row]))
      }
    }
    return chooser.choose() ?? samples[x, y]
  }

  /// Less than 1 for a sample on a ramp, which belongs to neither side.
  @inline(__always)
  private func flatness(_ samples: Plane<Float>, _ x: Int, _ y: Int) -> Float {
    let across = samples[min(x &+ 1, samples.width &- 1), y] - samples[max(x &- 1, 0), y]
    let down = samples[x, min(y &+ 1, samples.height &- 1)] - samples[x, max(y &- 1, 0)]
    let slope = (across * across + down * down) / (step * step)
    return 1 / (1 + slope)
  }

  /// The mean of the samples around by nearness in place; here all lie near one slanted surface.
  private func smoothed(_ samples: Plane<Float>, _ x: Int, _ y: Int) -> Float {
    let (columns, rows) = window(x, y, EdgeSnap.smoothReach)
    var (sum, total) = (Float(0), Float(0))
    for row in rows {
      let values = samples.row(row)
      for column in columns {
        let distance = Float((column &- x) &* (column &- x) &+ (row &- y) &* (row &- y))
        let nearness = max(0, 1 - distance * (1 / 9))
        sum += values[column] * nearness
        total += nearness
      }
    }
    return sum / total
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
