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
  /// How many steps a line is followed, at most 127.
  let reach: Int
  /// Direction after direction, for each pixel the steps to the first one beyond a drop.
  private let steps: UnsafeMutablePointer<UInt8>
  let disparity: Plane<Float>
  private let drop: Float

  /// There is no drop between a pixel and the border, or none within reach.
  private static let none: UInt8 = 255
  /// As many more between these tell no more.
  private static let lines = [(1, 0), (0, 1), (1, 1), (1, -1)]

  /// - Parameter drop: the least drop of disparity.
  init(
    _ disparity: Plane<Float>, drop: Float, reach: Int, memory: Storage<UInt8>, directions: Storage<Direction>
  ) {
    count = 2 * LineDrops.lines.count
    (self.disparity, self.drop, self.reach) = (disparity, drop, reach)
    steps = memory.reserve(count * disparity.count)
    self.directions = directions.reserve(count)
    for i in 0..<count {
      let (line, sign) = (LineDrops.lines[i / 2], i & 1 == 0 ? 1 : -1)
      let length = Float(line.0 * line.0 + line.1 * line.1).squareRoot()
      let (x, y) = (line.0 * sign, line.1 * sign)
      self.directions[i] = Direction(x: x, y: y, offset: y * disparity.width + x, length: length)
    }
  }

  /// Finds all drops.
  func find(_ workers: Workers, lines: Storage<UInt8>) {
    let lines = WorkerRows(2 * lineLength, in: lines, workers)
    workers.rows(count, chunk: 1) { worker, directions in
      for direction in directions { find(direction, lines[worker]) }
    }
  }

  /// A row with room for what is looked at beyond its ends.
  private var lineLength: Int { disparity.width &+ 2 &* reach }

  /// How many steps it is from pixel number `place` to the first one in a direction that lies beyond a drop and more than
  /// `drop` below it; nil if it is not within reach.
  @inline(__always)
  func steps(_ place: Int, _ direction: Int) -> Int? {
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

  /// Of each pixel of row `y` the steps to the nearest drop in any direction.
  func findNearest(_ y: Int, _ out: UnsafeMutablePointer<UInt8>) {
    out.update(repeating: LineDrops.none, count: disparity.width)
    for direction in 0..<count {
      let row = steps + (direction &* disparity.count &+ y &* disparity.width)
      for x in 0..<disparity.width { out[x] = min(out[x], row[x]) }
    }
  }

  private func find(_ direction: Int, _ room: UnsafeMutablePointer<UInt8>) {
    let step = directions[direction]
    let out = Plane(base: steps + direction &* disparity.count, width: disparity.width, height: disparity.height)
    if step.y == 0 {
      findAlong(out, step.x, room)
    } else {
      findAcross(out, step)
    }
  }

  /// Each row follows from the one a step ahead.
  private func findAcross(_ out: Plane<UInt8>, _ step: Direction) {
    let columns = max(0, -step.x)..<min(out.width, out.width &- step.x)
    for i in 0..<out.height {
      let y = step.y > 0 ? out.height &- 1 &- i : i
      let (row, own) = (out.row(y), disparity.row(y))
      guard i > 0 else {
        row.update(repeating: LineDrops.none, count: out.width)
        continue
      }
      row[0] = LineDrops.none
      row[out.width &- 1] = LineDrops.none
      let (later, ahead) = (out.row(y &+ step.y) + step.x, disparity.row(y &+ step.y) + step.x)
      for x in columns {
        // Read whether needed or not, so that the compiler makes vectors of it.
        let farther = LineDrops.farther(later[x], by: 1)
        row[x] = own[x] - ahead[x] > drop ? 1 : farther
      }
    }
  }

  /// Looks one step along each row first, then up to two, four and so on: no pixel has to wait for the one before it.
  private func findAlong(_ out: Plane<UInt8>, _ step: Int, _ room: UnsafeMutablePointer<UInt8>) {
    let columns = max(0, -step)..<min(out.width, out.width &- step)
    room.update(repeating: LineDrops.none, count: 2 &* lineLength)
    var (known, wider) = (room + reach, room + (reach &+ lineLength))
    for y in 0..<out.height {
      let (own, ahead) = (disparity.row(y), disparity.row(y) + step)
      for x in columns { known[x] = own[x] - ahead[x] > drop ? 1 : LineDrops.none }
      known[step > 0 ? out.width &- 1 : 0] = LineDrops.none
      var run = 1
      while run < reach {
        let (later, count) = (known + run &* step, UInt8(truncatingIfNeeded: run))
        for x in 0..<out.width { wider[x] = min(known[x], LineDrops.farther(later[x], by: count)) }
        (known, wider) = (wider, known)
        run &*= 2
      }
      out.row(y).update(from: known, count: out.width)
    }
  }

  @inline(__always)
  private static func farther(_ steps: UInt8, by count: UInt8) -> UInt8 {
    steps > none &- count ? none : steps &+ count
  }
}
