/// Brings samples to full resolution: linear between them where they are alike, else the value of one side of the edge.
///
/// On which side a pixel lies follows from the linear value there, which knows how much of a sample each side covers, and
/// from how the pixel's colour differs from what lies between the samples' colours, times how disparity goes with colour
/// around.
struct GuidedUpsampler {
  let samples: Plane<Float>
  let guide: Plane<SIMD4<Float>>
  /// 1 where the samples up to two away differ by more than `step`.
  let edges: Plane<UInt8>
  /// How disparity changes with each colour, where `edges` is 1.
  let slopes: Plane<SIMD4<Float>>
  let step: Float
  let focus: Float
  /// For each column of the full resolution the sample before it.
  private let columns: UnsafePointer<Column>
  private let down: Float

  /// A place between two samples of a row.
  struct Column: BitwiseCopyable {
    var sample: Int32
    /// From 0 at that sample to 1 at the next.
    var part: Float
  }

  /// - Parameters:
  ///   - size: width and height of the full resolution.
  ///   - columns: memory that is in use as long as this is.
  init(
    samples: Plane<Float>, guide: Plane<SIMD4<Float>>, edges: Plane<UInt8>, slopes: Plane<SIMD4<Float>>, step: Float,
    focus: Float, size: (width: Int, height: Int), columns: Storage<Column>
  ) {
    self.samples = samples
    self.guide = guide
    self.edges = edges
    self.slopes = slopes
    self.step = step
    self.focus = focus
    down = Float(samples.height) / Float(size.height)
    let across = Float(samples.width) / Float(size.width)
    let places = columns.reserve(size.width)
    for x in 0..<size.width {
      let u = max(0, (Float(x) + 0.5) * across - 0.5)
      let sample = min(Int(u), samples.width &- 1)
      places[x] = Column(sample: Int32(sample), part: min(u - Float(sample), 1))
    }
    self.columns = UnsafePointer(places)
  }

  /// The same for another full resolution.
  func resized(_ width: Int, _ height: Int, columns: Storage<Column>) -> GuidedUpsampler {
    GuidedUpsampler(
      samples: samples, guide: guide, edges: edges, slopes: slopes, step: step, focus: focus, size: (width, height),
      columns: columns)
  }

  /// The row of samples before row `y` of the full resolution, and how far it is on the way to the next.
  private func place(_ y: Int) -> (row: Int, part: Float) {
    let v = max(0, (Float(y) + 0.5) * down - 0.5)
    let row = min(Int(v), samples.height &- 1)
    return (row, min(v - Float(row), 1))
  }

  /// Computes columns of row `y` of `full`.
  func apply(_ picture: Plane<SIMD4<Float>>, _ full: Plane<Float>, _ y: Int, _ range: Range<Int>) {
    let place = place(y)
    let (upper, lower) = (samples.row(place.row), samples.clampedRow(place.row &+ 1))
    let marks = edges.row(place.row)
    let (light, target) = (picture.row(y), full.row(y))
    let last = samples.width &- 1
    for x in range {
      let column = columns[x]
      let left = Int(column.sample)
      if marks[left] == 0 {
        let right = min(left &+ 1, last)
        let top = upper[left] + (upper[right] - upper[left]) * column.part
        let bottom = lower[left] + (lower[right] - lower[left]) * column.part
        target[x] = top + (bottom - top) * place.part
      } else {
        let cell = Cell(x: left, y: place.row, partX: column.part, partY: place.part)
        target[x] = side(cell, GuideStage.color(light[x]))
      }
    }
  }

  /// The least share of a blurred near side in a pixel that goes with it.
  private static let blurredShare: Float = 0.35

  /// The value of the side on which a pixel lies.
  private func side(_ cell: Cell, _ color: SIMD4<Float>) -> Float {
    let columns = max(0, cell.x &- 1)...min(cell.x &+ 2, samples.width &- 1)
    let rows = max(0, cell.y &- 1)...min(cell.y &+ 2, samples.height &- 1)
    let range = samples.range(columns, rows)
    let spread = range.upperBound - range.lowerBound
    let plain = cell.linear(samples)
    guard spread > step else { return plain }
    let expected = plain + (cell.linear(slopes) * (color - cell.linear(guide))).sum()
    // A mixed pixel goes with the near side if that is the more blurred one: what it shows of the sharp side disappears
    // in the blur, while a rest of the near side's rim would stand out sharp.
    let nearBlur = range.upperBound - focus
    let isNearBlurred = nearBlur > abs(focus - range.lowerBound)
    let isNear = expected - range.lowerBound > spread * (isNearBlurred ? GuidedUpsampler.blurredShare : 0.5)
    var (sum, total) = (Float(0), Float(0))
    for row in rows {
      for column in columns {
        let value = samples[column, row]
        let near = (value - range.lowerBound) / spread
        let (dx, dy) = (Float(column &- cell.x) - cell.partX, Float(row &- cell.y) - cell.partY)
        // Falls to nothing where samples enter and leave the window.
        let nearness = max(0, 1 - dx * dx * 0.25) * max(0, 1 - dy * dy * 0.25)
        let own = isNear ? near : 1 - near
        let weight = nearness * own * own * own * own
        sum += value * weight
        total += weight
      }
    }
    return total > 1e-6 ? sum / total : isNear ? range.upperBound : range.lowerBound
  }
}

/// The four samples around a place.
private struct Cell {
  let x: Int
  let y: Int
  let partX: Float
  let partY: Float

  @inline(__always)
  func linear(_ samples: Plane<Float>) -> Float {
    let (right, lower) = (min(x &+ 1, samples.width &- 1), min(y &+ 1, samples.height &- 1))
    let top = samples[x, y] + (samples[right, y] - samples[x, y]) * partX
    let bottom = samples[x, lower] + (samples[right, lower] - samples[x, lower]) * partX
    return top + (bottom - top) * partY
  }

  @inline(__always)
  func linear(_ samples: Plane<SIMD4<Float>>) -> SIMD4<Float> {
    let (right, lower) = (min(x &+ 1, samples.width &- 1), min(y &+ 1, samples.height &- 1))
    let top = samples[x, y] + (samples[right, y] - samples[x, y]) * partX
    let bottom = samples[x, lower] + (samples[right, lower] - samples[x, lower]) * partX
    return top + (bottom - top) * partY
  }
}
