/// Brings samples to full resolution: linear between them where they are alike, else the mean of those on one side of
/// the edge, which the picture's colour chooses.
struct GuidedUpsampler {
  let samples: Plane<Float>
  let guide: Plane<SIMD4<Float>>
  /// 1 where the samples up to two away differ by more than `step`.
  let edges: Plane<UInt8>
  let step: Float
  private let across: Float
  private let down: Float

  /// - Parameter size: width and height of the full resolution.
  init(
    samples: Plane<Float>, guide: Plane<SIMD4<Float>>, edges: Plane<UInt8>, step: Float, size: (width: Int, height: Int)
  ) {
    self.samples = samples
    self.guide = guide
    self.edges = edges
    self.step = step
    across = Float(samples.width) / Float(size.width)
    down = Float(samples.height) / Float(size.height)
  }

  /// Computes row `y` of `full`.
  func apply(
    _ picture: Plane<SIMD4<Float>>, _ full: Plane<Float>, _ y: Int, scratch: UnsafeMutablePointer<SideChooser.Bin>
  ) {
    let light = picture.row(y)
    let target = full.row(y)
    for x in 0..<full.width {
      let cell = cell(x, y)
      target[x] =
        edges[cell.x, cell.y] == 0 ? cell.linear(samples) : chosen(cell, GuideStage.color(light[x]), scratch)
    }
  }

  /// Tidies row `y` near edges: single pixels go with those around them, and the near side grows by a pixel, since the
  /// pixels on an edge show some of the near side, and would stand sharp beside its blur. Both is what taking the third
  /// largest of nine values does.
  func tidy(_ full: Plane<Float>, into out: Plane<Float>, _ y: Int) {
    let target = out.row(y)
    for x in 0..<full.width {
      let cell = cell(x, y)
      target[x] = edges[cell.x, cell.y] == 0 ? full[x, y] : thirdLargest(full, x, y)
    }
  }

  /// Lets the near side grow in row `y` by another pixel where it is the more blurred one: what it shows of the sharp
  /// side disappears in its blur, while a rest of its own rim would stand out sharp.
  func growBlurred(_ full: Plane<Float>, into out: Plane<Float>, _ y: Int, focus: Float) {
    let target = out.row(y)
    for x in 0..<full.width {
      let cell = cell(x, y)
      let own = full[x, y]
      target[x] = own
      guard edges[cell.x, cell.y] != 0 else { continue }
      let columns = max(0, x &- 1)...min(x &+ 1, full.width &- 1)
      let most = full.range(columns, max(0, y &- 1)...min(y &+ 1, full.height &- 1)).upperBound
      if most - focus > max(focus - own, own - focus) { target[x] = most }
    }
  }

  private func thirdLargest(_ full: Plane<Float>, _ x: Int, _ y: Int) -> Float {
    var (first, second, third) = (-Float.infinity, -Float.infinity, -Float.infinity)
    for line in y &- 1...y &+ 1 {
      let row = full.clampedRow(line)
      for column in x &- 1...x &+ 1 {
        let value = row[min(max(column, 0), full.width &- 1)]
        third = max(third, min(second, value))
        second = max(second, min(first, value))
        first = max(first, value)
      }
    }
    return third
  }

  @inline(__always)
  private func cell(_ x: Int, _ y: Int) -> Cell {
    Cell(max(0, (Float(x) + 0.5) * across - 0.5), max(0, (Float(y) + 0.5) * down - 0.5), samples)
  }

  private func chosen(
    _ cell: Cell, _ color: SIMD4<Float>, _ scratch: UnsafeMutablePointer<SideChooser.Bin>
  ) -> Float {
    let columns = max(0, cell.x &- 1)...min(cell.x &+ 2, samples.width &- 1)
    let rows = max(0, cell.y &- 1)...min(cell.y &+ 2, samples.height &- 1)
    let chooser = SideChooser(step: step, range: samples.range(columns, rows), scratch: scratch)
    for row in rows {
      for column in columns {
        let (dx, dy) = (Float(column &- cell.x) - cell.partX, Float(row &- cell.y) - cell.partY)
        // Falls to nothing where samples enter and leave the window.
        let nearness = max(0, 1 - dx * dx * 0.25) * max(0, 1 - dy * dy * 0.25)
        chooser.add(
          samples[column, row], nearness: nearness * nearness, likeness: Likeness.weight(color, guide[column, row]))
      }
    }
    return chooser.choose() ?? samples[cell.x, cell.y]
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
