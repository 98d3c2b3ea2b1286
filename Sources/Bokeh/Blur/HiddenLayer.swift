/// What lies behind near objects: guessed from the farther side of depth edges.
///
/// Around a pixel the surface that it shows is left along many lines. Where such a line drops to something farther, that
/// is what goes on behind the pixel: most likely so where both ends of a line show the same and do not change along it, as
/// the stripes of a wall on both sides of a fence.
final class HiddenLayer {
  /// Pixels of the picture in each direction for one of the layer.
  let scale: Int
  /// How many steps are looked along a line in each direction.
  let steps: Int
  private let isFar = Storage<Float>()
  private let scratch = Storage<Float>()
  private let light = Storage<SIMD4<Float>>()
  private let samples = SampleStorage()
  private let drops = Storage<UInt8>()
  private let directions = Storage<LineDrops.Direction>()
  private let ends = Storage<LineFill.End>()
  private let endRows = Storage<Int32>()

  init(_ effort: Effort) {
    scale = effort.hiddenScale
    steps = effort.hiddenSteps
  }

  var byteCount: Int {
    isFar.byteCount + scratch.byteCount + light.byteCount + samples.byteCount + drops.byteCount + directions.byteCount
      + ends.byteCount + endRows.byteCount
  }

  /// Builds the layer's samples at its own resolution, or nil where nothing hides anything.
  func build(_ frame: Frame, circle: CircleOfConfusion, largestRadius: Float, workers: Workers) -> SampleRows? {
    let (width, height) = ((frame.width + scale - 1) / scale, (frame.height + scale - 1) / scale)
    let reach = min(Int(largestRadius) / scale + 2, steps)
    let drop = LineFill.leastDrop / max(circle.radiusPerDisparity, .leastNormalMagnitude)
    let drops = LineDrops(
      frame.disparity, scale: scale, drop: drop, memory: drops, directions: directions)
    let fill = LineFill(
      linear: frame.linear, disparity: frame.disparity, scale: scale, reach: reach, drop: drop, drops: drops)
    let distant = isFar.plane(width, height)
    guard mark(distant, fill, workers) else { return nil }
    WindowMinimum(reach: reach, workers: workers).apply(distant, scratch: scratch.plane(width, height))
    drops.find(workers)
    let endRow = drops.count * frame.width
    let (ends, endRows) = (ends.reserve(workers.count * endRow), endRows.reserve(workers.count * endRow))
    endRows.update(repeating: -1, count: workers.count * endRow)
    let layer = Layer(light: light.plane(width, height), circle: circle, scale: scale)
    workers.rows(height) { worker, rows in
      let known = LineFill.KnownEnds(ends: ends + worker &* endRow, rows: endRows + worker &* endRow)
      for y in rows {
        for x in 0..<width {
          layer.light[x, y] =
            distant[x, y] == 0 ? fill.behind(x &* scale, y &* scale, known) ?? layer.none : layer.none
        }
      }
    }
    return samples.build(
      width: width, height: height, shape: circle.look.discs, workers: workers, count: { layer.count($0) },
      write: { layer.write($0, &$1) })
  }

  /// Sets `plane` to 0 beside depth edges, and to 1 elsewhere; says whether there are any.
  private func mark(_ plane: Plane<Float>, _ fill: LineFill, _ workers: Workers) -> Bool {
    workers.rows(plane.height) { _, rows in
      for y in rows {
        for x in 0..<plane.width { plane[x, y] = fill.isEdge(x &* scale, y &* scale) ? 0 : 1 }
      }
    }
    for i in 0..<plane.count where plane.base[i] == 0 { return true }
    return false
  }

  /// The layer's light with disparity in `w`, and how it becomes samples.
  private struct Layer {
    let light: Plane<SIMD4<Float>>
    let circle: CircleOfConfusion
    let scale: Int
    let none = SIMD4<Float>(0, 0, 0, -1)

    func count(_ y: Int) -> Int {
      var count = 0
      for x in 0..<light.width where light[x, y].w >= 0 {
        count &+= SampleSink.count(
          position: x, width: light.width, key: key(light[x, y]), shape: circle.look.discs)
      }
      return count
    }

    func write(_ y: Int, _ sink: inout SampleSink) {
      for x in 0..<light.width where light[x, y].w >= 0 {
        sink.add(
          position: x, width: light.width, key: key(light[x, y]), color: SIMD4(light[x, y], weight: 1))
      }
    }

    private func key(_ light: SIMD4<Float>) -> DepthKey {
      let key = circle.key(light.w)
      return scale == 1 ? key.limited : key.reduced(by: Float(scale))
    }
  }
}

/// Looks for what lies behind a pixel along lines through it.
struct LineFill {
  let linear: Plane<SIMD4<Float>>
  let disparity: Plane<Float>
  /// Pixels in a step.
  let scale: Int
  /// How many steps to look in each direction.
  let reach: Int
  /// The least drop of disparity at an edge.
  let drop: Float
  let drops: LineDrops

  /// The sides of an edge differ by this many pixels of radius.
  static let leastDrop: Float = 1.5

  /// Whether the disparity jumps between pixel (x, y) and the next one to the right or below.
  func isEdge(_ x: Int, _ y: Int) -> Bool {
    let own = disparity[x, y]
    return abs(disparity[min(x &+ scale, disparity.width &- 1), y] - own) > drop
      || abs(disparity[x, min(y &+ scale, disparity.height &- 1)] - own) > drop
  }

  /// What lies behind the nearest pixel of the block that begins at (x, y): what the block itself shows of it, else what
  /// lines from there come to.
  func behind(_ x: Int, _ y: Int, _ known: KnownEnds) -> SIMD4<Float>? {
    guard scale > 1 else { return value(x, y, known) }
    let (columns, rows) = (x..<min(x &+ scale, disparity.width), y..<min(y &+ scale, disparity.height))
    var (most, place) = (-Float.infinity, (x: x, y: y))
    for row in rows {
      for column in columns where disparity[column, row] > most {
        (most, place) = (disparity[column, row], (column, row))
      }
    }
    var sum = SIMD4<Float>.zero
    var total: Float = 0
    for row in rows {
      for column in columns where disparity[column, row] < most - drop {
        let light = SIMD4(linear[column, row], weight: disparity[column, row])
        let share = 1 / (1 + max(light.brightness, 0))
        sum += light * share
        total += share
      }
    }
    return total > 0 ? sum / total : value(place.x, place.y, known)
  }

  /// Where a line leaves the pixel's surface.
  struct End: BitwiseCopyable {
    var light: SIMD4<Float>
    /// The light's colour in steps that look about even; in `w` the square of how much it changes in another step.
    var color: SIMD4<Float>
  }

  /// The ends that a worker has looked at last, one for each direction and column: the pixels around one often come to the
  /// same end.
  struct KnownEnds {
    let ends: UnsafeMutablePointer<End>
    /// The row of each, or -1.
    let rows: UnsafeMutablePointer<Int32>
  }

  /// The light behind pixel (x, y) with its disparity in `w`, or nil where no line leaves its surface.
  func value(_ x: Int, _ y: Int, _ known: KnownEnds) -> SIMD4<Float>? {
    var sum = SIMD4<Float>.zero
    var total: Float = 0
    let place = y &* disparity.width &+ x
    for direction in stride(from: 0, to: drops.count, by: 2) {
      let length = drops.directions[direction].length
      let ahead = drops.steps(place, direction, reach: reach)
      let behind = drops.steps(place, direction &+ 1, reach: reach)
      if let ahead, let behind {
        let (a, b) = (end(x, y, direction, ahead, known), end(x, y, direction &+ 1, behind, known))
        let (first, second) = (Float(ahead), Float(behind))
        let mean = (a.light * second + b.light * first) / (first + second)
        add(mean, (first + second) * length, difference(a, b), &sum, &total)
      } else if let steps = ahead ?? behind {
        let one = end(x, y, ahead == nil ? direction &+ 1 : direction, steps, known)
        add(one.light, 2 * Float(steps) * length, LineFill.unknownDifference + one.color.w, &sum, &total)
      }
    }
    return total > 0 ? sum / total : nil
  }

  /// The square of how much two ends differ.
  @inline(__always)
  private func difference(_ a: End, _ b: End) -> Float {
    let way = SIMD4(a.color - b.color, weight: 0)
    let step = (a.light.w - b.light.w) / drop * LineFill.stepDifference
    return (way * way).sum() + step * step + a.color.w + b.color.w
  }

  /// Bright light counts less: a lamp beside an object does not mean another one behind it.
  @inline(__always)
  private func add(
    _ light: SIMD4<Float>, _ distance: Float, _ difference: Float, _ sum: inout SIMD4<Float>, _ total: inout Float
  ) {
    let doubt = (difference + LineFill.leastDifference) * (1 + max(light.brightness, 0))
    let weight = 1 / (distance * distance * doubt)
    sum += light * weight
    total += weight
  }

  /// Squares of differences of colour (square roots of light) below this say nothing.
  private static let leastDifference: Float = 0.01
  /// The difference of colour that a line with one end has in its place.
  private static let unknownDifference: Float = 0.1
  /// The change of colour beyond an end where it is not seen.
  private static let unknownChange: Float = 0.02
  /// The difference of colour that a step of disparity between the ends counts as.
  private static let stepDifference: Float = 0.1

  /// The end of the line from pixel (x, y) that leaves its surface after some steps.
  @inline(__always)
  private func end(_ x: Int, _ y: Int, _ direction: Int, _ steps: Int, _ known: KnownEnds) -> End {
    let way = drops.directions[direction]
    let (column, row) = (x &+ steps &* way.x, y &+ steps &* way.y)
    let index = direction &* disparity.width &+ column
    if known.rows[index] != Int32(truncatingIfNeeded: row) {
      known.ends[index] = end(column, row, way.x, way.y)
      known.rows[index] = Int32(truncatingIfNeeded: row)
    }
    return known.ends[index]
  }

  /// The end of a line that has come to pixel (x, y), the first one beyond a drop: the mean of it and a few pixels beyond
  /// on the same surface.
  private func end(_ x: Int, _ y: Int, _ dx: Int, _ dy: Int) -> End {
    var last = disparity[x, y]
    var (column, row) = (x, y)
    var (sum, colors) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    var (squares, count) = (Float(0), Float(0))
    while count < LineFill.endLength, isInside(column, row), abs(disparity[column, row] - last) < drop {
      last = disparity[column, row]
      sum += SIMD4(linear[column, row], weight: last)
      let color = GuideStage.color(linear[column, row])
      colors += color
      squares += (color * color).sum()
      count += 1
      column &+= dx
      row &+= dy
    }
    let mean = colors / count
    let variance = max(squares / count - (mean * mean).sum(), 0)
    let light = sum / count
    return End(
      light: light,
      color: SIMD4(GuideStage.color(light), weight: count > 1 ? 2 * variance : LineFill.unknownChange))
  }

  /// Pixels beyond an end that say what lies there.
  private static let endLength: Float = 3

  @inline(__always)
  private func isInside(_ x: Int, _ y: Int) -> Bool {
    x >= 0 && y >= 0 && x < disparity.width && y < disparity.height
  }
}
