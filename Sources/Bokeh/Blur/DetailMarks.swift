/// Which blocks of 2 x 2 pixels are worked on at full resolution, besides half: nearly sharp ones and their
/// surroundings. Each set below encloses the one before.
struct DetailMarks {
  /// A value for each pixel of half resolution, the sets' bits.
  let plane: Plane<UInt8>

  /// Blocks whose pixels may be drawn at full resolution: nearly sharp ones, and those beside them, where full
  /// resolution may put an edge.
  static let drawn: UInt8 = 1
  /// Blocks that something drawn at full resolution reaches.
  static let shown: UInt8 = 2
  /// Blocks that work on the shown ones looks at.
  static let read: UInt8 = 4

  /// The sets' bits by the distance from a nearly sharp block, in blocks.
  private static let bits: [UInt8] = [7, 7, 6, 6, 4, 0]
  private static let farthest = bits.count - 1

  /// Marks the surroundings of the blocks whose radius index is less than `limit`.
  ///
  /// - Parameter scratch: as large as `plane`.
  func mark(_ keys: Plane<DepthKey>, below limit: UInt32, scratch: Plane<UInt8>, workers: Workers) {
    workers.rows(plane.height) { _, rows in
      for y in rows { alongRow(keys.row(y), limit << 8, scratch.row(y)) }
    }
    workers.rows(plane.height) { _, rows in
      for y in rows { alongColumns(scratch, y) }
    }
  }

  private func alongRow(_ keys: UnsafeMutablePointer<DepthKey>, _ limit: UInt32, _ out: UnsafeMutablePointer<UInt8>) {
    let farthest = DetailMarks.farthest
    var distance = farthest
    for x in 0..<plane.width {
      distance = keys[x].bits < limit ? 0 : min(distance &+ 1, farthest)
      out[x] = UInt8(truncatingIfNeeded: distance)
    }
    distance = farthest
    DetailMarks.bits.withUnsafeBufferPointer { bits in
      for x in stride(from: plane.width &- 1, through: 0, by: -1) {
        distance = min(distance &+ 1, Int(out[x]))
        out[x] = bits.baseAddress![distance]
      }
    }
  }

  /// Each bit holds where a row as near as its distance has it.
  private func alongColumns(_ marks: Plane<UInt8>, _ y: Int) {
    let out = plane.row(y)
    out.update(repeating: 0, count: plane.width)
    for dy in -4...4 where y &+ dy >= 0 && y &+ dy < plane.height {
      let row = marks.row(y &+ dy)
      let mask = DetailMarks.bits[abs(dy)]
      for x in 0..<plane.width { out[x] |= row[x] & mask }
    }
  }

  /// Whether a block of row `y`, or of some of its blocks, is in the set `bit`.
  func has(_ bit: UInt8, _ y: Int, _ blocks: Range<Int>? = nil) -> Bool {
    let row = plane.row(y)
    var all: UInt8 = 0
    for x in blocks ?? 0..<plane.width { all |= row[x] }
    return all & bit != 0
  }

  /// Calls `body` for each run of blocks in row `y` that are in the set `bit`.
  @inline(__always)
  func forEachRun(_ y: Int, _ bit: UInt8, _ body: (_ blocks: Range<Int>) -> Void) {
    forEachRun(y, bit, isIn: true, body)
  }

  /// Calls `body` for each run of blocks in row `y` that are not in the set `bit`.
  @inline(__always)
  func forEachRun(_ y: Int, without bit: UInt8, _ body: (_ blocks: Range<Int>) -> Void) {
    forEachRun(y, bit, isIn: false, body)
  }

  @inline(__always)
  private func forEachRun(_ y: Int, _ bit: UInt8, isIn: Bool, _ body: (_ blocks: Range<Int>) -> Void) {
    let row = plane.row(y)
    var x = 0
    while x < plane.width {
      let start = x
      let isFirst = row[x] & bit != 0
      x = end(row, x, bit, isIn: isFirst)
      if isFirst == isIn { body(start..<x) }
    }
  }

  /// The end of a run that block `x` belongs to; eight blocks are looked at together.
  private func end(_ row: UnsafePointer<UInt8>, _ x: Int, _ bit: UInt8, isIn: Bool) -> Int {
    var x = x
    let mask = UInt64(bit) &* 0x0101_0101_0101_0101
    while x &+ 8 <= plane.width {
      let blocks = UnsafeRawPointer(row + x).loadUnaligned(as: UInt64.self).littleEndian
      let others = (isIn ? ~blocks : blocks) & mask
      guard others == 0 else { return x &+ others.trailingZeroBitCount / 8 }
      x &+= 8
    }
    while x < plane.width && (row[x] & bit != 0) == isIn { x &+= 1 }
    return x
  }
}
