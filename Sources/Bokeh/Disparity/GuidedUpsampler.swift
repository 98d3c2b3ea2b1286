/// Brings samples to full resolution: linear between them where they are alike, else the mean of those on one side of the edge, which the picture's colour
/// chooses.
struct GuidedUpsampler {
  let samples: Plane<Float>
  let guide: Plane<SIMD4<Float>>
  /// 1 where the samples up to two away differ by more than `step`.
  let edges: Plane<UInt8>
  let step: Float

  func apply(_ picture: Plane<SIMD4<Float>>, _ full: Plane<Float>, _ workers: Workers) {
    let across = Float(samples.width) / Float(full.width)
    let down = Float(samples.height) / Float(full.height)
    workers.rows(full.height) { _, rows in
      withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * SideChooser.capacity) { scratch in
        for y in rows {
          let v = max(0, (Float(y) + 0.5) * down - 0.5)
          let light = picture.row(y)
          let target = full.row(y)
          for x in 0..<full.width {
            let u = max(0, (Float(x) + 0.5) * across - 0.5)
            let cell = Cell(u, v, samples)
            target[x] =
              edges[cell.x, cell.y] == 0
              ? cell.linear(samples) : chosen(cell, u, v, GuideStage.color(light[x]), scratch.baseAddress!)
          }
        }
      }
    }
  }

  private func chosen(
    _ cell: Cell, _ u: Float, _ v: Float, _ color: SIMD4<Float>, _ scratch: UnsafeMutablePointer<Float>
  ) -> Float {
    var chooser = SideChooser(step: step, scratch: scratch)
    for row in max(0, cell.y &- 1)...min(cell.y &+ 2, samples.height &- 1) {
      for column in max(0, cell.x &- 1)...min(cell.x &+ 2, samples.width &- 1) {
        let (dx, dy) = (Float(column) - u, Float(row) - v)
        let nearness = 1 / (1 + (dx * dx + dy * dy))
        let weight = nearness * nearness * Likeness.weight(color, guide[column, row])
        chooser.add(samples[column, row], weight: weight)
      }
    }
    return chooser.choose()
  }
}

/// The four samples around a place.
private struct Cell {
  let x: Int
  let y: Int
  let partX: Float
  let partY: Float

  /// - Parameters u, v: not negative; 0 is the middle of the first sample.
  @inline(__always)
  init(_ u: Float, _ v: Float, _ samples: Plane<Float>) {
    x = min(Int(u), samples.width &- 1)
    y = min(Int(v), samples.height &- 1)
    partX = min(u - Float(x), 1)
    partY = min(v - Float(y), 1)
  }

  @inline(__always)
  func linear(_ samples: Plane<Float>) -> Float {
    let right = min(x &+ 1, samples.width &- 1)
    let lower = min(y &+ 1, samples.height &- 1)
    let top = samples[x, y] + (samples[right, y] - samples[x, y]) * partX
    let bottom = samples[x, lower] + (samples[right, lower] - samples[x, lower]) * partX
    return top + (bottom - top) * partY
  }
}
