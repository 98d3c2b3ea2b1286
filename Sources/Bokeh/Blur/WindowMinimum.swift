/// The smallest value in a square window around each value of a plane.
///
/// First each value becomes the minimum of a run of 2ⁿ values that starts there, by doubling; then a window is covered
/// by a few runs, the last one ending where the window ends.
struct WindowMinimum {
  /// The window reaches this many values in each direction; it is cut at the plane's borders.
  let reach: Int
  let workers: Workers

  /// Replaces each value of `plane` by its window's minimum; `scratch` is as large.
  func apply(_ plane: Plane<Float>, scratch: Plane<Float>) {
    workers.rows(plane.height) { _, rows in
      for y in rows { alongRow(plane.row(y), scratch.row(y), plane.width) }
    }
    workers.rows(plane.width, chunk: 64) { _, columns in
      alongColumns(columns, from: scratch, to: plane)
    }
  }

  private func alongRow(_ values: UnsafeMutablePointer<Float>, _ out: UnsafeMutablePointer<Float>, _ count: Int) {
    let reach = min(reach, count &- 1)
    var run = 1
    while run &* 2 <= reach &+ 1 {
      for x in 0..<count &- run { values[x] = min(values[x], values[x &+ run]) }
      run &*= 2
    }
    for x in 0..<count {
      let last = min(x &+ reach &+ 1, count) &- run
      var least = values[last]
      var start = max(0, x &- reach)
      while start < last {
        least = min(least, values[start])
        start &+= run
      }
      out[x] = least
    }
  }

  private func alongColumns(_ columns: Range<Int>, from plane: Plane<Float>, to out: Plane<Float>) {
    let count = plane.height
    let reach = min(reach, count &- 1)
    var run = 1
    while run &* 2 <= reach &+ 1 {
      for y in 0..<count &- run {
        let upper = plane.row(y)
        let lower = plane.row(y &+ run)
        for x in columns { upper[x] = min(upper[x], lower[x]) }
      }
      run &*= 2
    }
    for y in 0..<count {
      let last = min(y &+ reach &+ 1, count) &- run
      let target = out.row(y)
      for x in columns { target[x] = plane[x, last] }
      var start = max(0, y &- reach)
      while start < last {
        let source = plane.row(start)
        for x in columns { target[x] = min(target[x], source[x]) }
        start &+= run
      }
    }
  }
}
