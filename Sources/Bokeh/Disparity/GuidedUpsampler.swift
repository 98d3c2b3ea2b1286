/// Brings samples to full resolution: linear between them where they are alike, else the value of one side of the edge.
///
/// On which side a pixel lies follows from the linear value there, which knows how much of a sample each side covers, and
/// from how the pixel's colour differs from what lies between the samples' colours, times how disparity goes with colour
/// around.
struct GuidedUpsampler {
  let samples: Plane<Float>
  let guide: Plane<SIMD4<Float>>
  /// What `SampleCells` marks.
  let cells: Plane<UInt8>
  /// How disparity changes with each colour, at the corners of marked cells.
  let slopes: Plane<SIMD4<Float>>
  let focus: Float
  private let columns: PixelColumns
  private let down: Float

  /// - Parameters:
  ///   - size: width and height of the full resolution.
  ///   - columns: memory that is in use as long as this is.
  init(
    samples: Plane<Float>, guide: Plane<SIMD4<Float>>, cells: Plane<UInt8>, slopes: Plane<SIMD4<Float>>,
    focus: Float, size: (width: Int, height: Int), columns: PixelColumns.Memory
  ) {
    self.samples = samples
    self.guide = guide
    self.cells = cells
    self.slopes = slopes
    self.focus = focus
    down = Float(samples.height) / Float(size.height)
    self.columns = PixelColumns(size.width, samples: samples.width, memory: columns)
  }

  /// The same for another full resolution.
  func resized(_ width: Int, _ height: Int, columns: PixelColumns.Memory) -> GuidedUpsampler {
    GuidedUpsampler(
      samples: samples, guide: guide, cells: cells, slopes: slopes, focus: focus, size: (width, height),
      columns: columns)
  }

  /// The samples around row `y` of the full resolution.
  private func line(_ y: Int) -> SampleLine {
    let v = max(0, (Float(y) + 0.5) * down - 0.5)
    let row = min(Int(v), samples.height &- 1)
    return SampleLine(samples, row: row, part: min(v - Float(row), 1))
  }

  /// Computes columns of row `y` of `full`.
  ///
  /// - Parameter values: room for a row of samples and one more.
  func apply(
    _ picture: Plane<SIMD4<Float>>, _ full: Plane<Float>, _ y: Int, _ range: Range<Int>,
    _ values: UnsafeMutablePointer<Float>
  ) {
    guard !range.isEmpty else { return }
    let line = line(y)
    let between = columns.samples(range)
    let (light, target) = (picture.row(y), full.row(y))
    line.blend(between.lowerBound..<min(between.upperBound &+ 1, samples.width), to: values)
    values[samples.width] = values[samples.width &- 1]
    for x in range { target[x] = columns.value(x, values) }
    cells.forEachMark(line.upper, between) { left in
      decide(line, left, columns.pixels(left).clamped(to: range), light, target)
    }
  }

  /// The least share of a blurred near side in a pixel that goes with it.
  private static let blurredShare: Float = 0.35

  /// Gives pixels between two samples the value of the side on which each lies.
  @inline(__always)
  private func decide(
    _ line: SampleLine, _ left: Int, _ range: Range<Int>, _ light: UnsafeMutablePointer<SIMD4<Float>>,
    _ target: UnsafeMutablePointer<Float>
  ) {
    let cell = SampleCell(line, left)
    let (slope, color) = (line.ends(slopes, left), line.ends(guide, left))
    // A mixed pixel goes with the near side if that is the more blurred one: what it shows of the sharp side disappears
    // in the blur, while a rest of the near side's rim would stand out sharp.
    let nearBlur = cell.least + cell.spread - focus
    let isNearBlurred = nearBlur > abs(focus - cell.least)
    let limit = cell.least + cell.spread * (isNearBlurred ? GuidedUpsampler.blurredShare : 0.5)
    var isSideNear: Bool?
    var side = CellSide()
    for x in range {
      let part = columns.part(x)
      let way = GuideStage.color(light[x]) - (color.left + (color.right - color.left) * part)
      let expected = target[x] + ((slope.left + (slope.right - slope.left) * part) * way).total
      let isNear = expected > limit
      if isNear != isSideNear {
        side = CellSide(cell, line.nearness, columns.exists(left), isNear: isNear)
        isSideNear = isNear
      }
      target[x] = side.value(part)
    }
  }
}

/// The cells of four samples that an edge goes through or past.
struct SampleCells {
  let samples: Plane<Float>
  let step: Float

  /// Marks in row `y` of `cells` each sample from which on to the next ones to the right and below there are two sides: an
  /// edge is near, and the 4 x 4 samples around differ by more than `step`.
  func mark(_ cells: Plane<UInt8>, _ y: Int, _ edges: Plane<UInt8>) {
    let line = SampleLine(samples, row: y, part: 0)
    let out = cells.row(y)
    out.update(repeating: 0, count: cells.width)
    edges.forEachMark(y) { x in out[x] = SampleCell(line, x).spread > step ? 1 : 0 }
  }
}

/// Where the pixels of a row lie among samples.
struct PixelColumns {
  /// For each pixel the sample before it, and the way from there, 0 to 1 at the next.
  private let places: UnsafePointer<Place>
  /// The first pixel at or after each sample, and after the last one the end.
  private let starts: UnsafePointer<Int32>
  /// 1 for each sample, and 0 for one before and two after them.
  private let existing: UnsafeMutablePointer<Float>

  struct Place: BitwiseCopyable {
    var sample: Int32
    var part: Float
  }

  final class Memory {
    fileprivate let places = Storage<Place>()
    fileprivate let starts = Storage<Int32>()
    fileprivate let existing = Storage<Float>()

    var byteCount: Int { places.byteCount + starts.byteCount + existing.byteCount }
  }

  init(_ width: Int, samples: Int, memory: Memory) {
    let across = Float(samples) / Float(width)
    let (places, starts) = (memory.places.reserve(width), memory.starts.reserve(samples + 1))
    var known = 0
    for x in 0..<width {
      let u = max(0, (Float(x) + 0.5) * across - 0.5)
      let sample = min(Int(u), samples &- 1)
      places[x] = Place(sample: Int32(sample), part: min(u - Float(sample), 1))
      while known <= sample {
        starts[known] = Int32(x)
        known += 1
      }
    }
    for sample in known...samples { starts[sample] = Int32(width) }
    let existing = memory.existing.reserve(samples + 3)
    for place in 0..<samples + 3 { existing[place] = place > 0 && place <= samples ? 1 : 0 }
    (self.places, self.starts, self.existing) = (UnsafePointer(places), UnsafePointer(starts), existing)
  }

  /// The samples before some pixels.
  func samples(_ pixels: Range<Int>) -> Range<Int> {
    Int(places[pixels.lowerBound].sample)..<Int(places[pixels.upperBound &- 1].sample) &+ 1
  }

  /// The pixels between a sample and the next.
  @inline(__always)
  func pixels(_ sample: Int) -> Range<Int> { Int(starts[sample])..<Int(starts[sample &+ 1]) }

  /// 1 for each of the four samples from the one before number `left` on that exists.
  @inline(__always)
  func exists(_ left: Int) -> SIMD4<Float> { existing.four(left) }

  @inline(__always)
  func part(_ x: Int) -> Float { places[x].part }

  /// What lies between the values of samples at pixel `x`.
  @inline(__always)
  func value(_ x: Int, _ values: UnsafeMutablePointer<Float>) -> Float {
    let place = places[x]
    let pair = values + Int(place.sample)
    return pair[0] + (pair[1] - pair[0]) * place.part
  }
}

/// The four rows of samples around a row of the full resolution.
private struct SampleLine {
  let samples: Plane<Float>
  /// The two rows beside it.
  let upper: Int
  let lower: Int
  /// The way from the first to the second.
  let part: Float
  /// From the row before these to the one after them, in memory; how much each counts, which falls to nothing where samples
  /// enter and leave the window.
  let rows:
    (
      UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>
    )
  let nearness: SIMD4<Float>

  init(_ samples: Plane<Float>, row: Int, part: Float) {
    self.samples = samples
    (upper, lower, self.part) = (row, min(row &+ 1, samples.height &- 1), part)
    rows = (
      samples.clampedRow(row &- 1), samples.row(row), samples.clampedRow(row &+ 1), samples.clampedRow(row &+ 2)
    )
    let exists = SIMD4<Float>(row > 0 ? 1 : 0, 1, row &+ 1 < samples.height ? 1 : 0, row &+ 2 < samples.height ? 1 : 0)
    nearness = exists * SampleLine.fall(part)
  }

  @inline(__always)
  static func fall(_ part: Float) -> SIMD4<Float> {
    let way = SIMD4<Float>(-1, 0, 1, 2) - part
    let rest = 1 - way * way * 0.25
    return rest.replacing(with: 0, where: rest .< 0)
  }

  /// The values of some columns at the height of this line.
  func blend(_ columns: Range<Int>, to values: UnsafeMutablePointer<Float>) {
    let (above, below) = (rows.1, rows.2)
    for x in columns { values[x] = above[x] + (below[x] - above[x]) * part }
  }

  /// What a plane holds at the height of this line in column `left` and the next.
  @inline(__always)
  func ends(_ plane: Plane<SIMD4<Float>>, _ left: Int) -> (left: SIMD4<Float>, right: SIMD4<Float>) {
    let right = min(left &+ 1, plane.width &- 1)
    let (above, below) = (plane.row(upper), plane.row(lower))
    return (above[left] + (below[left] - above[left]) * part, above[right] + (below[right] - above[right]) * part)
  }
}

/// The 4 x 4 samples around a cell.
private struct SampleCell {
  let rows: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
  let least: Float
  let spread: Float

  @inline(__always)
  init(_ line: SampleLine, _ left: Int) {
    let (lines, width) = (line.rows, line.samples.width)
    if left > 0, left &+ 2 < width {
      let first = left &- 1
      rows = (lines.0.four(first), lines.1.four(first), lines.2.four(first), lines.3.four(first))
    } else {
      rows = (
        lines.0.clampedFour(left, width), lines.1.clampedFour(left, width), lines.2.clampedFour(left, width),
        lines.3.clampedFour(left, width)
      )
    }
    least = rows.0.least(rows.1).least(rows.2.least(rows.3)).smallest
    spread = rows.0.most(rows.1).most(rows.2.most(rows.3)).largest - least
  }
}

/// One of the two sides of the edge in a cell.
private struct CellSide {
  /// For each column the sums of weights, and of weighted values.
  private var weights = SIMD4<Float>.zero
  private var values = SIMD4<Float>.zero
  /// The value of the side where its samples are too far off.
  private var limit: Float = 0

  /// Nothing.
  init() {}

  /// - Parameters:
  ///   - cell: one whose samples differ.
  ///   - nearness: how much each row counts.
  ///   - exists: 1 for each column that there is.
  @inline(__always)
  init(_ cell: SampleCell, _ nearness: SIMD4<Float>, _ exists: SIMD4<Float>, isNear: Bool) {
    // What makes nearness to the camera, 0 to 1, a share of the side.
    let (offset, slope): (Float, Float) = isNear ? (0, 1 / cell.spread) : (1, -1 / cell.spread)
    limit = isNear ? cell.least + cell.spread : cell.least
    @inline(__always)
    func add(_ row: SIMD4<Float>, _ nearness: Float) {
      let share = offset + slope * (row - cell.least)
      let square = share * share
      let weight = square * square * nearness
      weights += weight
      values += row * weight
    }
    add(cell.rows.0, nearness.x)
    add(cell.rows.1, nearness.y)
    add(cell.rows.2, nearness.z)
    add(cell.rows.3, nearness.w)
    (weights, values) = (weights * exists, values * exists)
  }

  /// The value of the side at a part of the way between the two samples.
  @inline(__always)
  func value(_ part: Float) -> Float {
    let fall = SampleLine.fall(part)
    let total = (weights * fall).total
    return total > 1e-6 ? (values * fall).total / total : limit
  }
}

extension UnsafeMutablePointer<Float> {
  /// Four values of a row of `width` from the one before number `left` on, which those at its ends stand in for.
  fileprivate func clampedFour(_ left: Int, _ width: Int) -> SIMD4<Float> {
    SIMD4(self[max(left &- 1, 0)], self[left], self[min(left &+ 1, width &- 1)], self[min(left &+ 2, width &- 1)])
  }
}
