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
    let line = SampleLine(row: place.row, part: place.part, height: samples.height)
    let marks = edges.row(place.row)
    let (light, target) = (picture.row(y), full.row(y))
    var first = range.lowerBound
    while first < range.upperBound {
      let left = columns[first].sample
      var end = first &+ 1
      while end < range.upperBound, columns[end].sample == left { end &+= 1 }
      if marks[Int(left)] == 0 {
        let values = line.ends(samples, Int(left))
        for x in first..<end { target[x] = values.left + (values.right - values.left) * columns[x].part }
      } else {
        decide(line, Int(left), first..<end, light, target)
      }
      first = end
    }
  }

  /// The least share of a blurred near side in a pixel that goes with it.
  private static let blurredShare: Float = 0.35

  /// Gives pixels between two samples the value of the side on which each lies.
  private func decide(
    _ line: SampleLine, _ left: Int, _ range: Range<Int>, _ light: UnsafeMutablePointer<SIMD4<Float>>,
    _ target: UnsafeMutablePointer<Float>
  ) {
    let sides = Sides(samples, line, left)
    let values = line.ends(samples, left)
    guard sides.spread > step else {
      for x in range { target[x] = values.left + (values.right - values.left) * columns[x].part }
      return
    }
    let (slope, color) = (line.ends(slopes, left), line.ends(guide, left))
    // A mixed pixel goes with the near side if that is the more blurred one: what it shows of the sharp side disappears
    // in the blur, while a rest of the near side's rim would stand out sharp.
    let nearBlur = sides.least + sides.spread - focus
    let isNearBlurred = nearBlur > abs(focus - sides.least)
    let limit = sides.least + sides.spread * (isNearBlurred ? GuidedUpsampler.blurredShare : 0.5)
    for x in range {
      let part = columns[x].part
      let way = GuideStage.color(light[x]) - (color.left + (color.right - color.left) * part)
      let plain = values.left + (values.right - values.left) * part
      let expected = plain + ((slope.left + (slope.right - slope.left) * part) * way).sum()
      target[x] = sides.value(isNear: expected > limit, part)
    }
  }
}

/// The four rows of samples around a row of the full resolution.
private struct SampleLine {
  /// The two rows beside it.
  let upper: Int
  let lower: Int
  /// The way from the first to the second.
  let part: Float
  /// The rows before and after these.
  let first: Int
  let last: Int
  /// How much each of the four counts; it falls to nothing where samples enter and leave the window.
  let nearness: SIMD4<Float>

  init(row: Int, part: Float, height: Int) {
    (upper, lower, self.part) = (row, min(row &+ 1, height &- 1), part)
    (first, last) = (max(row &- 1, 0), min(row &+ 2, height &- 1))
    nearness = SampleLine.nearness(part, row, height)
  }

  /// The same of four samples from number `place` − 1 on of `count`, at a part of the way from number `place` on.
  @inline(__always)
  static func nearness(_ part: Float, _ place: Int, _ count: Int) -> SIMD4<Float> {
    exists(place, count) * fall(part)
  }

  @inline(__always)
  static func fall(_ part: Float) -> SIMD4<Float> {
    let way = SIMD4<Float>(-1, 0, 1, 2) - part
    let rest = 1 - way * way * 0.25
    return rest.replacing(with: 0, where: rest .< 0)
  }

  /// 1 for each of the four that exists.
  @inline(__always)
  static func exists(_ place: Int, _ count: Int) -> SIMD4<Float> {
    SIMD4(place > 0 ? 1 : 0, 1, place &+ 1 < count ? 1 : 0, place &+ 2 < count ? 1 : 0)
  }

  /// What a plane holds at the height of this line in column `left` and the next.
  @inline(__always)
  func ends(_ plane: Plane<Float>, _ left: Int) -> (left: Float, right: Float) {
    let right = min(left &+ 1, plane.width &- 1)
    let (above, below) = (plane.row(upper), plane.row(lower))
    return (above[left] + (below[left] - above[left]) * part, above[right] + (below[right] - above[right]) * part)
  }

  @inline(__always)
  func ends(_ plane: Plane<SIMD4<Float>>, _ left: Int) -> (left: SIMD4<Float>, right: SIMD4<Float>) {
    let right = min(left &+ 1, plane.width &- 1)
    let (above, below) = (plane.row(upper), plane.row(lower))
    return (above[left] + (below[left] - above[left]) * part, above[right] + (below[right] - above[right]) * part)
  }
}

/// The two sides of an edge between two samples of a row, from the 4 x 4 samples around.
private struct Sides {
  let least: Float
  let spread: Float
  /// For each column the sums of weights, and of weighted values.
  private var nearWeights = SIMD4<Float>.zero
  private var nearValues = SIMD4<Float>.zero
  private var farWeights = SIMD4<Float>.zero
  private var farValues = SIMD4<Float>.zero

  @inline(__always)
  init(_ samples: Plane<Float>, _ line: SampleLine, _ left: Int) {
    let columns = (max(left &- 1, 0), min(left &+ 1, samples.width &- 1), min(left &+ 2, samples.width &- 1))
    @inline(__always)
    func values(_ y: Int) -> SIMD4<Float> {
      let row = samples.row(y)
      return SIMD4(row[columns.0], row[left], row[columns.1], row[columns.2])
    }
    let rows = (values(line.first), values(line.upper), values(line.lower), values(line.last))
    least = min(rows.0.least(rows.1).least(rows.2.least(rows.3)))
    spread = max(rows.0.most(rows.1).most(rows.2.most(rows.3))) - least
    guard spread > 0 else { return }
    let inverse = 1 / spread
    add(rows.0, inverse, line.nearness.x)
    add(rows.1, inverse, line.nearness.y)
    add(rows.2, inverse, line.nearness.z)
    add(rows.3, inverse, line.nearness.w)
    let exists = SampleLine.exists(left, samples.width)
    (nearWeights, farWeights) = (nearWeights * exists, farWeights * exists)
    (nearValues, farValues) = (nearValues * exists, farValues * exists)
  }

  @inline(__always)
  private mutating func add(_ values: SIMD4<Float>, _ inverse: Float, _ nearness: Float) {
    let near = (values - least) * inverse
    let far = 1 - near
    let (nearSquare, farSquare) = (near * near, far * far)
    let (nearWeight, farWeight) = (nearSquare * nearSquare * nearness, farSquare * farSquare * nearness)
    nearWeights += nearWeight
    farWeights += farWeight
    nearValues += values * nearWeight
    farValues += values * farWeight
  }

  /// The value of one side at a part of the way between the two samples.
  @inline(__always)
  func value(isNear: Bool, _ part: Float) -> Float {
    let fall = SampleLine.fall(part)
    let total = ((isNear ? nearWeights : farWeights) * fall).sum()
    let sum = ((isNear ? nearValues : farValues) * fall).sum()
    return total > 1e-6 ? sum / total : isNear ? least + spread : least
  }
}

extension SIMD4<Float> {
  @inline(__always)
  fileprivate func least(_ other: SIMD4<Float>) -> SIMD4<Float> { replacing(with: other, where: other .< self) }

  @inline(__always)
  fileprivate func most(_ other: SIMD4<Float>) -> SIMD4<Float> { replacing(with: other, where: other .> self) }
}

@inline(__always)
private func min(_ values: SIMD4<Float>) -> Float { Swift.min(values.x, values.y, Swift.min(values.z, values.w)) }

@inline(__always)
private func max(_ values: SIMD4<Float>) -> Float { Swift.max(values.x, values.y, Swift.max(values.z, values.w)) }
