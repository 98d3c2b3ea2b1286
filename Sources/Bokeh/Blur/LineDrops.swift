/// How far it is from each pixel along each of some lines to the next drop of disparity, so that no line is walked step by
/// step: a drop lies between two neighbours of a line, wherever the line began.
struct LineDrops {
  /// A direction in which a line is followed.
  struct Direction: BitwiseCopyable {
    /// Pixels in a step.
    let x: Int
    let y: Int
    /// The same as a distance in memory.
    let offset: Int
    /// The length of a step, in steps along a row.
    let length: Float
  }

  /// Each line's two directions, one after the other.
  let directions: UnsafeMutablePointer<Direction>
  let count: Int
  /// Direction after direction, for each pixel the steps to the first one beyond a drop.
  private let steps: UnsafeMutablePointer<UInt8>
  private let disparity: Plane<Float>
  private let drop: Float

  /// There is no drop between a pixel and the border, or none within 254 steps, of which no more than 32 are looked at.
  private static let none: UInt8 = 255
  /// As many more between these tell no more.
  private static let lines = [(1, 0), (0, 1), (1, 1), (1, -1)]

  /// - Parameters:
  ///   - scale: pixels in a step along a row.
  ///   - drop: the least drop of disparity.
  init(
    _ disparity: Plane<Float>, scale: Int, drop: Float, memory: Storage<UInt8>,
    directions: Storage<Direction>
  ) {
    count = 2 * LineDrops.lines.count
    self.disparity = disparity
    self.drop = drop
    steps = memory.reserve(count * disparity.count)
    self.directions = directions.reserve(count)
    for i in 0..<count {
      let (line, sign) = (LineDrops.lines[i / 2], i & 1 == 0 ? scale : -scale)
      let length = Float(line.0 * line.0 + line.1 * line.1).squareRoot()
      let (x, y) = (line.0 * sign, line.1 * sign)
      self.directions[i] = Direction(x: x, y: y, offset: y * disparity.width + x, length: length)
    }
  }

  /// Finds all drops.
  func find(_ workers: Workers) {
    workers.rows(count, chunk: 1) { _, directions in
      for direction in directions { find(direction) }
    }
  }

  /// How many steps it is from pixel number `place` to the first one in a direction that lies beyond a drop and more than
  /// `drop` below it; nil if it is not within `reach`.
  @inline(__always)
  func steps(_ place: Int, _ direction: Int, reach: Int) -> Int? {
    let steps = steps + direction &* disparity.count
    let offset = directions[direction].offset
    let limit = disparity.base[place] - drop
    var (place, total) = (place, 0)
    while true {
      let next = steps[place]
      total &+= Int(next)
      guard next != LineDrops.none, total <= reach else { return nil }
      place &+= Int(next) &* offset
      if disparity.base[place] < limit { return total }
    }
  }

  /// Each row follows from the one a step ahead.
  private func find(_ direction: Int) {
    let step = directions[direction]
    let out = Plane(base: steps + direction &* disparity.count, width: disparity.width, height: disparity.height)
    for i in 0..<out.height {
      let y = step.y > 0 ? out.height &- 1 &- i : i
      let ahead = y &+ step.y
      guard ahead >= 0, ahead < out.height, abs(step.x) < out.width else {
        out.row(y).update(repeating: LineDrops.none, count: out.width)
        continue
      }
      let columns = max(0, -step.x)..<min(out.width, out.width &- step.x)
      out.row(y).update(repeating: LineDrops.none, count: columns.lowerBound)
      (out.row(y) + columns.upperBound).update(repeating: LineDrops.none, count: out.width &- columns.upperBound)
      if step.y == 0 {
        findAlong(out.row(y), disparity.row(y), columns, step.x)
      } else {
        find(out.row(y), disparity.row(y), out.row(ahead) + step.x, disparity.row(ahead) + step.x, columns)
      }
    }
  }

  private func find(
    _ out: UnsafeMutablePointer<UInt8>, _ own: UnsafeMutablePointer<Float>, _ later: UnsafeMutablePointer<UInt8>,
    _ ahead: UnsafeMutablePointer<Float>, _ columns: Range<Int>
  ) {
    for x in columns { out[x] = LineDrops.steps(own[x] - ahead[x] > drop, later[x]) }
  }

  @inline(__always)
  private static func steps(_ isDrop: Bool, _ later: UInt8) -> UInt8 {
    // Written so that the compiler makes vectors of it.
    let farther = later == none ? later : later &+ 1
    return isDrop ? 1 : farther
  }

  private func findAlong(
    _ out: UnsafeMutablePointer<UInt8>, _ own: UnsafeMutablePointer<Float>, _ columns: Range<Int>, _ step: Int
  ) {
    for i in 0..<columns.count {
      let x = step > 0 ? columns.upperBound &- 1 &- i : columns.lowerBound &+ i
      out[x] = LineDrops.steps(own[x] - own[x &+ step] > drop, out[x &+ step])
    }
  }
}
