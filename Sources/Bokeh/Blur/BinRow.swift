/// One row of every depth bin, first as differences along the row, then summed from left to right.
///
/// Each worker has one. Cell x + 1 of a bin belongs to pixel x; a spare cell on each side takes the ends of clipped
/// spans.
struct BinRow {
  /// bin after bin, `stride` cells each: linear light and weight.
  let cells: UnsafeMutablePointer<SIMD4<Float>>
  let stride: Int
  let width: Int
  /// For each block of cells, from the one before the row, a bit for each bin that has an end of a span there.
  let marks: UnsafeMutablePointer<UInt32>

  /// Pixels in a block.
  static let block = 32

  static func stride(_ width: Int) -> Int { width &+ 4 }
  static func markCount(_ width: Int) -> Int { width / block &+ 4 }

  init(_ width: Int, _ scratch: FillScratch) {
    cells = scratch.cells
    marks = scratch.marks
    stride = BinRow.stride(width)
    self.width = width
  }

  /// Adds the discs of every row that reaches row `y`; beyond the picture's border lies its mirror image.
  ///
  /// Returns a bit for each bin that may have got something.
  func scatter(_ samples: SampleRows, y: Int) -> UInt32 {
    var touched: UInt32 = 0
    let reach = DiscTable.reach(samples.reach)
    for dy in -reach...reach {
      let row = BinRow.mirrored(y &+ dy, samples.height)
      guard row >= 0, row < samples.height else { continue }
      let distance = abs(dy)
      let least = UInt32(max(0, 32 &* distance &- 15))
      guard samples.counts[row] > 0, samples.rowReach[row] >= least else { continue }
      touched |= scatter(samples, row: row, distance: distance, least: least)
    }
    return touched
  }

  /// The row that is seen at `row` when both borders are mirrors.
  private static func mirrored(_ row: Int, _ height: Int) -> Int {
    row < 0 ? -1 &- row : row < height ? row : 2 &* height &- 1 &- row
  }

  private func scatter(_ samples: SampleRows, row: Int, distance: Int, least: UInt32) -> UInt32 {
    var touched: UInt32 = 0
    let start = samples.starts[row]
    let end = start &+ samples.counts[row]
    let halfWidths = DiscTable.shared.row(distance)
    var first = start
    while first < end {
      let last = min(first &+ SampleRows.block, end)
      if samples.blockReach[first / SampleRows.block] >= least {
        touched |= scatter(samples.places, samples.colors, first..<last, halfWidths)
      }
      first = last
    }
    return touched
  }

  @inline(__always)
  private func scatter(
    _ places: UnsafeMutablePointer<SampleRows.Place>, _ colors: UnsafeMutablePointer<SIMD4<Float>>,
    _ range: Range<Int>, _ halfWidths: UnsafePointer<Float>
  ) -> UInt32 {
    var touched: UInt32 = 0
    let limit = Float(width &+ 1)
    for i in range {
      let place = places[i]
      let half = halfWidths[Int(truncatingIfNeeded: place.key.index)]
      let left = max(place.x + 1.5 - half, 1)
      let right = min(place.x + 1.5 + half, limit)
      guard half > 0, left < right else { continue }
      let bin = place.key.bin
      touched |= 1 << bin
      let ends = addSpan(cells + Int(truncatingIfNeeded: bin) &* stride, left, right, colors[i])
      marks[ends.first / BinRow.block &+ 1] |= 1 &<< bin
      marks[ends.last / BinRow.block &+ 1] |= 1 &<< bin
    }
    return touched
  }

  /// Adds `color` to every cell between two positions, a cell at an end by the part that is covered, and returns the
  /// cells at the ends.
  @inline(__always)
  private func addSpan(
    _ cells: UnsafeMutablePointer<SIMD4<Float>>, _ left: Float, _ right: Float, _ color: SIMD4<Float>
  ) -> (first: Int, last: Int) {
    let first = BinRow.cell(left)
    let later = color * (left - Float(first))
    cells[first] += color - later
    cells[first &+ 1] += later
    let last = BinRow.cell(right)
    let beyond = color * (right - Float(last))
    cells[last] -= color - beyond
    cells[last &+ 1] -= beyond
    return (first, last)
  }

  /// A cell that `position`, between 1 and 2²², lies in or ends: the sum's mantissa is that number, without the range
  /// check of a conversion. A whole position may give the cell before it, with a remainder of 1: the same span.
  @inline(__always)
  private static func cell(_ position: Float) -> Int {
    Int(truncatingIfNeeded: (position + (8_388_608 - 0.5)).bitPattern & 0x7F_FFFF)
  }
}
