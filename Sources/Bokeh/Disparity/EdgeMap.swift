/// The samples that have a depth edge near them.
struct EdgeMap {
  /// 1 where the samples around one differ by more than a step from one slanted surface, else 0.
  let marks: Plane<UInt8>
  /// From what to what the samples around one go.
  let least: Plane<Float>
  let most: Plane<Float>

  /// Finds the edges up to `reach` samples away in each direction.
  ///
  /// - Parameters:
  ///   - step: the difference in 1/m that makes an edge.
  ///   - lines: memory for working on rows.
  func mark(_ samples: Plane<Float>, step: Float, reach: Int, lines: Storage<Float>, workers: Workers) {
    let lines = WorkerRows(3 &* (samples.width &+ 2 &* reach), in: lines, workers)
    workers.rows(samples.height) { worker, rows in
      for y in rows {
        let around = max(0, y &- reach)...min(y &+ reach, samples.height &- 1)
        let line = EdgeLine(samples: samples, y: y, rows: around, reach: reach, scratch: lines[worker])
        line.findRanges(least.row(y), most.row(y))
        mark(y, line, step)
      }
    }
  }

  private func mark(_ y: Int, _ line: EdgeLine, _ step: Float) {
    let (least, most, marks) = (least.row(y), most.row(y), marks.row(y))
    var all: UInt8 = 0
    for x in 0..<self.marks.width {
      let mark: UInt8 = most[x] - least[x] > step ? 1 : 0
      marks[x] = mark
      all |= mark
    }
    guard all != 0 else { return }
    line.findMoments()
    self.marks.forEachMark(y) { x in
      if !line.deviates(x, by: step) { marks[x] = 0 }
    }
  }
}

/// The rows of samples around one of them.
private struct EdgeLine {
  let samples: Plane<Float>
  /// The row whose samples are looked at, and all around it.
  let y: Int
  let rows: ClosedRange<Int>
  /// How far the columns around one go.
  let reach: Int
  /// Room for three rows with `reach` more on either side.
  let scratch: UnsafeMutablePointer<Float>

  private var length: Int { samples.width &+ 2 &* reach }
  /// Of each column the sum, and the sum of samples times their way from the middle row.
  private var sums: UnsafeMutablePointer<Float> { scratch }
  private var rises: UnsafeMutablePointer<Float> { scratch + length }

  /// From what to what the samples go that lie around each one.
  func findRanges(_ least: UnsafeMutablePointer<Float>, _ most: UnsafeMutablePointer<Float>) {
    let (leasts, mosts) = (scratch, scratch + length)
    leasts.update(repeating: .infinity, count: length)
    mosts.update(repeating: -.infinity, count: length)
    for row in stride(from: rows.lowerBound, through: rows.upperBound, by: 2) {
      let (values, others) = (samples.row(row), samples.row(min(row &+ 1, rows.upperBound)))
      for x in 0..<samples.width {
        leasts[x &+ reach] = min(leasts[x &+ reach], min(values[x], others[x]))
        mosts[x &+ reach] = EdgeLine.most(mosts[x &+ reach], EdgeLine.most(values[x], others[x]))
      }
    }
    reduce(leasts, to: least) { min($0, $1) }
    reduce(mosts, to: most) { EdgeLine.most($0, $1) }
  }

  /// The greater of two numbers as processors find it; `max` says which of two equal ones it gives, and takes longer.
  @inline(__always)
  private static func most(_ a: Float, _ b: Float) -> Float { a > b ? a : b }

  /// Joins each run of 2 · `reach` + 1 columns into one value: runs of 1, 2, 4 … columns first, of which two make one of any
  /// length.
  @inline(__always)
  private func reduce(
    _ columns: UnsafeMutablePointer<Float>, to out: UnsafeMutablePointer<Float>, _ join: (Float, Float) -> Float
  ) {
    var (runs, other) = (columns, scratch + 2 &* length)
    var run = 1
    while 2 &* run <= 2 &* reach {
      for x in 0..<length &- 2 &* run &+ 1 { other[x] = join(runs[x], runs[x &+ run]) }
      (runs, other) = (other, runs)
      run &*= 2
    }
    let last = 2 &* reach &+ 1 &- run
    for x in 0..<samples.width { out[x] = join(runs[x], runs[x &+ last]) }
  }

  func findMoments() {
    let (sums, rises) = (sums, rises)
    sums.update(repeating: 0, count: samples.width)
    rises.update(repeating: 0, count: samples.width)
    var way = -Float(rows.count &- 1) / 2
    for row in rows {
      let values = samples.row(row)
      for x in 0..<samples.width {
        sums[x] += values[x]
        rises[x] += values[x] * way
      }
      way += 1
    }
  }

  /// Whether the samples around column `x` differ by more than `step` from the best slanted plane through them.
  func deviates(_ x: Int, by step: Float) -> Bool {
    let columns = max(0, x &- reach)...min(x &+ reach, samples.width &- 1)
    let slope = slope(columns)
    return nineDeviate(x, columns, slope, by: step) || allDeviate(columns, slope, by: step)
  }

  /// Whether the first, own and last columns of the first, own and last row do: they show most edges.
  @inline(__always)
  private func nineDeviate(_ x: Int, _ columns: ClosedRange<Int>, _ slope: SIMD2<Float>, by step: Float) -> Bool {
    let (first, last) = (columns.lowerBound, columns.upperBound)
    let ways = SIMD4(Float(first), Float(x), Float(last), Float(last))
    let middle = Float(rows.lowerBound &+ rows.upperBound) / 2
    @inline(__always)
    func rest(_ row: Int) -> SIMD4<Float> {
      let values = samples.row(row)
      let rise = (Float(row) - middle) * slope.y
      return SIMD4(values[first], values[x], values[last], values[last]) - ways * slope.x - rise
    }
    let (upper, own, lower) = (rest(rows.lowerBound), rest(y), rest(rows.upperBound))
    return upper.most(own).most(lower).largest - upper.least(own).least(lower).smallest > step
  }

  private func allDeviate(_ columns: ClosedRange<Int>, _ slope: SIMD2<Float>, by step: Float) -> Bool {
    let (firstX, firstY) = (-Float(columns.count &- 1) / 2, -Float(rows.count &- 1) / 2)
    var (least, most) = (Float.infinity, -Float.infinity)
    var dy = firstY
    for row in rows {
      let values = samples.row(row)
      var dx = firstX
      for column in columns {
        let rest = values[column] - slope.x * dx - slope.y * dy
        least = min(least, rest)
        most = max(most, rest)
        dx += 1
      }
      if most - least > step { return true }
      dy += 1
    }
    return false
  }

  /// How much the samples rise from one column, and one row, to the next.
  @inline(__always)
  private func slope(_ columns: ClosedRange<Int>) -> SIMD2<Float> {
    let (across, down) = (Float(columns.count), Float(rows.count))
    var (along, dx) = (SIMD2<Float>.zero, (1 - across) / 2)
    for x in columns {
      along += SIMD2(sums[x] * dx, rises[x])
      dx += 1
    }
    // Sums of squares of places.
    let squares = SIMD2(across * across - 1, down * down - 1) * (across * down / 12)
    return along / SIMD2(max(squares.x, 1), max(squares.y, 1))
  }
}

extension Plane<UInt8> {
  /// Calls `body` for each column of row `y` that is 1; all others are 0.
  @inline(__always)
  func forEachMark(_ y: Int, _ columns: Range<Int>? = nil, _ body: (_ x: Int) -> Void) {
    let (row, columns) = (row(y), columns ?? 0..<width)
    for first in stride(from: columns.lowerBound, to: columns.upperBound, by: 8) {
      var marks = UnsafeRawPointer(row + first).marks(min(8, columns.upperBound &- first))
      while marks != 0 {
        body(first &+ marks.trailingZeroBitCount / 8)
        marks &= marks &- 1
      }
    }
  }

  /// A row of what any of some rows holds, in `room`.
  func union(of rows: ClosedRange<Int>, in room: UnsafeMutablePointer<UInt8>) -> Plane<UInt8> {
    room.update(from: row(rows.lowerBound), count: width)
    for y in rows.dropFirst() {
      let marks = row(y)
      for x in 0..<width { room[x] |= marks[x] }
    }
    return Plane(base: room, width: width, height: 1)
  }
}

extension UnsafeRawPointer {
  /// Up to eight bytes as one number, the first one lowest.
  @inline(__always)
  fileprivate func marks(_ count: Int) -> UInt64 {
    guard count < 8 else { return UInt64(littleEndian: loadUnaligned(as: UInt64.self)) }
    return (0..<count).reduce(0) { $0 | UInt64(load(fromByteOffset: $1, as: UInt8.self)) &<< UInt64(8 &* $1) }
  }
}
