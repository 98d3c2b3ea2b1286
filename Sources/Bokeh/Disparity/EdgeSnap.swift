/// Moves the edges of coarse disparity to where the picture has them: ramps become steps, and a sample goes to the side whose colours it shows.
struct EdgeSnap {
  let guide: Plane<SIMD4<Float>>
  let edges: Plane<UInt8>
  let step: Float
  let workers: Workers

  /// How far away in samples the candidates lie at most.
  static let reach = 3

  func apply(_ samples: Plane<Float>, to refined: Plane<Float>) {
    workers.rows(refined.height) { _, rows in
      withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * SideChooser.capacity) { scratch in
        for y in rows {
          for x in 0..<refined.width {
            refined[x, y] = edges[x, y] == 0 ? samples[x, y] : snapped(samples, x, y, scratch.baseAddress!)
          }
        }
      }
    }
  }

  private func snapped(_ samples: Plane<Float>, _ x: Int, _ y: Int, _ scratch: UnsafeMutablePointer<Float>) -> Float {
    let reach = EdgeSnap.reach
    let own = guide[x, y]
    var chooser = SideChooser(step: step, scratch: scratch)
    for row in max(0, y &- reach)...min(y &+ reach, samples.height &- 1) {
      for column in max(0, x &- reach)...min(x &+ reach, samples.width &- 1) {
        let distance = Float((column &- x) &* (column &- x) &+ (row &- y) &* (row &- y))
        let nearness = 1 / (1 + distance * 0.25)
        let weight = nearness * Likeness.weight(own, guide[column, row]) * flatness(samples, column, row)
        chooser.add(samples[column, row], weight: weight)
      }
    }
    return chooser.choose()
  }

  /// Less than 1 for a sample on a ramp, which belongs to neither side.
  @inline(__always)
  private func flatness(_ samples: Plane<Float>, _ x: Int, _ y: Int) -> Float {
    let across = samples[min(x &+ 1, samples.width &- 1), y] - samples[max(x &- 1, 0), y]
    let down = samples[x, min(y &+ 1, samples.height &- 1)] - samples[x, max(y &- 1, 0)]
    let slope = (across * across + down * down) / (step * step)
    return 1 / (1 + slope)
  }
}
