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
  private let isFar = Storage<UInt8>()
  private let scratch = Storage<UInt8>()
  private let disparity = Storage<Float>()
  private let light = Storage<SIMD4<Float>>()
  private let keys = Storage<DepthKey>()
  private let samples = SampleStorage()
  private let drops = Storage<UInt8>()
  private let lines = Storage<UInt8>()
  private let directions = Storage<LineDrops.Direction>()
  private let ends = Storage<LineFill.End>()
  private let endPlaces = Storage<Int>()

  init(_ effort: Effort) {
    precondition(effort.hiddenScale <= 2, "`LineFill.shown` looks at two pixels in each direction.")
    scale = effort.hiddenScale
    steps = effort.hiddenSteps
  }

  var byteCount: Int {
    isFar.byteCount + scratch.byteCount + disparity.byteCount + light.byteCount + keys.byteCount + samples.byteCount
      + drops.byteCount + lines.byteCount + directions.byteCount + ends.byteCount + endPlaces.byteCount
  }

  /// Builds the layer's samples at its own resolution, or nil where nothing hides anything.
  func build(_ frame: Frame, circle: CircleOfConfusion, largestRadius: Float, workers: Workers) -> SampleRows? {
    let (width, height) = ((frame.width + scale - 1) / scale, (frame.height + scale - 1) / scale)
    let reach = min(Int(largestRadius) / scale + 2, steps)
    let drop = LineFill.leastDrop / max(circle.radiusPerDisparity, .leastNormalMagnitude)
    let drops = LineDrops(
      reduce(frame.disparity, workers), drop: drop, reach: reach, memory: drops, directions: directions)
    let fill = LineFill(linear: frame.linear, disparity: frame.disparity, scale: scale, drop: drop, drops: drops)
    let distant = isFar.plane(width, height)
    guard mark(distant, fill, workers) else { return nil }
    WindowMinimum(reach: reach, workers: workers).apply(
      distant, scratch: scratch.plane(width, height), lines: lines)
    drops.find(workers, lines: lines)
    let layer = Layer(
      light: light.plane(width, height), keys: keys.plane(width, height), circle: circle, scale: scale)
    find(layer, fill, distant, workers)
    return samples.build(
      width: width, height: height, shape: circle.look.discs, workers: workers, capacity: { layer.count($0) },
      write: { layer.write($0, &$1) })
  }

  /// The disparity at the first pixel of each of the layer's blocks.
  private func reduce(_ plane: Plane<Float>, _ workers: Workers) -> Plane<Float> {
    guard scale > 1 else { return plane }
    let reduced = disparity.plane((plane.width + scale - 1) / scale, (plane.height + scale - 1) / scale)
    workers.rows(reduced.height) { _, rows in
      for y in rows {
        let (source, out) = (plane.row(y &* scale), reduced.row(y))
        for x in 0..<reduced.width { out[x] = source[x &* scale] }
      }
    }
    return reduced
  }

  /// Sets `plane` to 0 beside depth edges, and to 1 elsewhere; says whether there are any.
  private func mark(_ plane: Plane<UInt8>, _ fill: LineFill, _ workers: Workers) -> Bool {
    workers.rows(plane.height) { _, rows in
      for y in rows {
        for x in 0..<plane.width { plane[x, y] = fill.isEdge(x &* scale, y &* scale) ? 0 : 1 }
      }
    }
    for i in 0..<plane.count where plane.base[i] == 0 { return true }
    return false
  }

  /// Finds the layer's pixels where `distant` is 0.
  private func find(_ layer: Layer, _ fill: LineFill, _ distant: Plane<UInt8>, _ workers: Workers) {
    let size = LineFill.KnownEnds.size
    let lines = WorkerRows(distant.width, in: lines, workers)
    let (ends, places) = (WorkerRows(size, in: ends, workers), WorkerRows(size, in: endPlaces, workers))
    for worker in 0..<workers.count { places[worker].update(repeating: -1, count: size) }
    workers.rows(distant.height) { worker, rows in
      let known = LineFill.KnownEnds(ends: ends[worker], places: places[worker])
      let nearest = lines[worker]
      for y in rows {
        let isFar = distant.row(y)
        fill.drops.findNearest(y, nearest)
        for x in 0..<distant.width {
          layer.set(x, y, isFar[x] == 0 ? fill.behind(x, y, nearest[x], known) : nil)
        }
      }
    }
  }

  /// The layer's light and keys, and how they become samples.
  private struct Layer {
    let light: Plane<SIMD4<Float>>
    let keys: Plane<DepthKey>
    let circle: CircleOfConfusion
    let scale: Int
    /// The key of a pixel behind which nothing is known.
    private static let none = DepthKey(index: .max >> 8, bin: 0)

    /// - Parameter value: light with its disparity in `w`.
    @inline(__always)
    func set(_ x: Int, _ y: Int, _ value: SIMD4<Float>?) {
      guard let value else { return keys[x, y] = Layer.none }
      light[x, y] = SIMD4(value, weight: 1)
      let key = circle.key(value.w)
      keys[x, y] = scale == 1 ? key.limited : key.reduced(by: Float(scale))
    }

    func count(_ y: Int) -> Int {
      let keys = keys.row(y)
      var count = 0
      for x in 0..<light.width where keys[x] != Layer.none {
        count &+= SampleSink.count(position: x, width: light.width, key: keys[x], shape: circle.look.discs)
      }
      return count
    }

    func write(_ y: Int, _ sink: inout SampleSink) {
      let (light, keys) = (light.row(y), keys.row(y))
      for x in 0..<self.light.width where keys[x] != Layer.none {
        sink.add(position: x, width: self.light.width, key: keys[x], color: light[x])
      }
    }
  }
}

/// Looks for what lies behind a pixel along lines through it.
struct LineFill {
  let linear: Plane<SIMD4<Float>>
  let disparity: Plane<Float>
  /// Pixels in a step; lines go from the first pixel of a block to the next one's.
  let scale: Int
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

  /// What lies behind block (x, y): what the block itself shows behind its nearest pixel, else what lines from its first pixel
  /// come to.
  ///
  /// - Parameter nearest: the steps to the nearest drop.
  @inline(__always)
  func behind(_ x: Int, _ y: Int, _ nearest: UInt8, _ known: KnownEnds) -> SIMD4<Float>? {
    if scale > 1, let shown = shown(x &* scale, y &* scale) { return shown }
    return Int(nearest) <= drops.reach ? value(x, y, known) : nil
  }

  /// What the block that begins at pixel (x, y) shows behind its nearest pixel.
  @inline(__always)
  private func shown(_ x: Int, _ y: Int) -> SIMD4<Float>? {
    // Two pixels in each direction, but at a border.
    let (right, upper) = (min(x &+ 1, disparity.width &- 1), disparity.row(y))
    let lower = disparity.row(min(y &+ 1, disparity.height &- 1))
    let limit = max(max(upper[x], upper[right]), max(lower[x], lower[right])) - drop
    guard min(min(upper[x], upper[right]), min(lower[x], lower[right])) < limit else { return nil }
    return shown(x..<min(x &+ scale, disparity.width), y..<min(y &+ scale, disparity.height), below: limit)
  }

  private func shown(_ columns: Range<Int>, _ rows: Range<Int>, below limit: Float) -> SIMD4<Float> {
    var (sum, total) = (SIMD4<Float>.zero, Float(0))
    for row in rows {
      for column in columns where disparity[column, row] < limit {
        let light = SIMD4(linear[column, row], weight: disparity[column, row])
        let share = 1 / (1 + max(light.brightness, 0))
        sum += light * share
        total += share
      }
    }
    return sum / total
  }

  /// Where a line leaves the pixel's surface.
  struct End: BitwiseCopyable {
    var light: SIMD4<Float>
    /// The light's colour in steps that look about even; in `w` the square of how much it changes in another step.
    var color: SIMD4<Float>
  }

  /// The ends that a worker has looked at last: those around often come to the same one.
  struct KnownEnds {
    let ends: UnsafeMutablePointer<End>
    /// The place and direction of each, or -1.
    let places: UnsafeMutablePointer<Int>

    static let size = 1 << 12

    /// Where the end of a place and direction is kept.
    @inline(__always)
    static func slot(_ place: Int) -> Int {
      // Of a product with 2³² divided by the golden ratio the upper bits are well spread.
      Int((UInt32(truncatingIfNeeded: place) &* 0x9E37_79B1) >> (32 - 12))
    }
  }

  /// The light behind block (x, y) with its disparity in `w`, or nil where no line leaves its surface.
  func value(_ x: Int, _ y: Int, _ known: KnownEnds) -> SIMD4<Float>? {
    var sum = SIMD4<Float>.zero
    var total: Float = 0
    let place = y &* drops.disparity.width &+ x
    for direction in stride(from: 0, to: drops.count, by: 2) {
      let length = drops.directions[direction].length
      let ahead = drops.steps(place, direction)
      let behind = drops.steps(place, direction &+ 1)
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

  /// The end of the line from block (x, y) that leaves its surface after some steps.
  @inline(__always)
  private func end(_ x: Int, _ y: Int, _ direction: Int, _ steps: Int, _ known: KnownEnds) -> End {
    let way = drops.directions[direction]
    let (column, row) = (x &+ steps &* way.x, y &+ steps &* way.y)
    let place = (row &* drops.disparity.width &+ column) &* drops.count &+ direction
    let slot = KnownEnds.slot(place)
    if known.places[slot] != place {
      known.ends[slot] = end(column, row, way.x, way.y)
      known.places[slot] = place
    }
    return known.ends[slot]
  }

  /// The end of a line that has come to block (x, y), the first one beyond a drop: the mean of it and a few beyond on the
  /// same surface.
  private func end(_ x: Int, _ y: Int, _ dx: Int, _ dy: Int) -> End {
    let disparity = drops.disparity
    var last = disparity[x, y]
    var (column, row) = (x, y)
    var (lights, colors, squares) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
    var (disparities, count) = (Float(0), Float(0))
    while count < LineFill.endLength, isInside(column, row), abs(disparity[column, row] - last) < drop {
      last = disparity[column, row]
      let light = linear[column &* scale, row &* scale]
      lights += light
      disparities += last
      let color = GuideStage.color(light)
      colors += color
      squares += color * color
      count += 1
      column &+= dx
      row &+= dy
    }
    let mean = colors / count
    let variance = max((squares / count - mean * mean).total, 0)
    let light = SIMD4(lights / count, weight: disparities / count)
    return End(
      light: light,
      color: SIMD4(GuideStage.color(light), weight: count > 1 ? 2 * variance : LineFill.unknownChange))
  }

  /// Blocks beyond an end that say what lies there.
  private static let endLength: Float = 3

  @inline(__always)
  private func isInside(_ x: Int, _ y: Int) -> Bool {
    x >= 0 && y >= 0 && x < drops.disparity.width && y < drops.disparity.height
  }
}
