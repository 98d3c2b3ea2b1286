/// The smallest value in a square window around each value of a plane.
///
/// First each value becomes the minimum of a run of 2ⁿ values that starts there, by doubling; then a window is covered
/// by two runs, the last one ending where the window ends.
struct WindowMinimum {
  /// The window reaches this many values in each direction; it is cut at the plane's borders.
  let reach: Int
  let workers: Workers

  /// Replaces each value of `plane` by its window's minimum; `scratch` is as large.
  func apply(_ plane: Plane<UInt8>, scratch: Plane<UInt8>, lines: Storage<UInt8>) {
    let lines = WorkerRows(2 * (plane.width + 2 * reach), in: lines, workers)
    workers.rows(plane.height) { worker, rows in
      for y in rows { alongRow(plane.row(y), to: scratch.row(y), plane.width, lines[worker]) }
    }
    workers.rows(plane.width, chunk: 64) { _, columns in alongColumns(columns, from: scratch, to: plane) }
  }

  /// The longest run that fits in a window.
  private var longest: Int {
    var run = 1
    while run &* 2 <= 2 &* reach &+ 1 { run &*= 2 }
    return run
  }

  /// Beyond a row's ends nothing is smaller.
  private func alongRow(
    _ row: UnsafeMutablePointer<UInt8>, to out: UnsafeMutablePointer<UInt8>, _ count: Int,
    _ room: UnsafeMutablePointer<UInt8>
  ) {
    let length = count &+ 2 &* reach
    room.update(repeating: .max, count: 2 &* length)
    var (runs, longer) = (room, room + length)
    (runs + reach).update(from: row, count: count)
    var run = 1
    while run < longest {
      let second = runs + run
      for x in 0..<length &- 2 &* run &+ 1 { longer[x] = min(runs[x], second[x]) }
      (runs, longer) = (longer, runs)
      run &*= 2
    }
    let last = runs + (2 &* reach &+ 1 &- run)
    for x in 0..<count { out[x] = min(runs[x], last[x]) }
  }

  private func alongColumns(_ columns: Range<Int>, from plane: Plane<UInt8>, to out: Plane<UInt8>) {
    let count = plane.height
    let reach = min(reach, count &- 1)
    var run = 1
    while run &* 2 <= reach &+ 1 {
      for y in 0..<count &- run { WindowMinimum.join(plane.row(y), plane.row(y &+ run), to: plane.row(y), columns) }
      run &*= 2
    }
    for y in 0..<count {
      let last = min(y &+ reach &+ 1, count) &- run
      let target = out.row(y)
      (target + columns.lowerBound).update(from: plane.row(last) + columns.lowerBound, count: columns.count)
      for start in stride(from: max(0, y &- reach), to: last, by: run) {
        WindowMinimum.join(target, plane.row(start), to: target, columns)
      }
    }
  }

  @inline(__always)
  private static func join(
    _ first: UnsafeMutablePointer<UInt8>, _ second: UnsafeMutablePointer<UInt8>, to out: UnsafeMutablePointer<UInt8>,
    _ columns: Range<Int>
  ) {
    for x in columns { out[x] = min(first[x], second[x]) }
  }
}
