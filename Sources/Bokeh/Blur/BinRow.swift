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
    let reach = samples.shape.reach(samples.reach)
    let rim = samples.shape?.rim(samples.width, samples.height)
    for dy in -reach...reach {
      let row = BinRow.mirrored(y &+ dy, samples.height)
      guard row >= 0, row < samples.height else { continue }
      let least = samples.shape.leastIndex(abs(dy))
      guard samples.counts[row] > 0, samples.rowReach[row] >= least else { continue }
      if let shape = samples.shape {
        // Cut off as where it lies, since that is the area by which its light was divided.
        let spans = DiscSpans(shape, rim, y: Float(row), dy: -dy)
        touched |= scatter(samples, row: row, least: least) { spans.ends($0) }
      } else {
        let halfWidths = DiscTable.shared.row(abs(dy))
        touched |= scatter(samples, row: row, least: least) { place in
          let half = halfWidths[Int(truncatingIfNeeded: place.key.index)]
          return (-half, half)
        }
      }
    }
    return touched
  }

  /// The row that is seen at `row` when both borders are mirrors.
  private static func mirrored(_ row: Int, _ height: Int) -> Int {
    row < 0 ? -1 &- row : row < height ? row : 2 &* height &- 1 &- row
  }

  /// - Parameter ends: where a sample's span in row `y` begins and ends, seen from its centre.
  @inline(__always)
  private func scatter(
    _ samples: SampleRows, row: Int, least: UInt32, ends: (SampleRows.Place) -> (left: Float, right: Float)
  ) -> UInt32 {
    var touched: UInt32 = 0
    let start = samples.starts[row]
    let end = start &+ samples.counts[row]
    var first = start
    while first < end {
      let last = min(first &+ SampleRows.block, end)
      let block = first / SampleRows.block
      if samples.blockReach[block] >= least {
        touched |= scatter(samples, first..<last, samples.blockBins[block], ends)
      }
      first = last
    }
    return touched
  }

  /// Adds the spans of a block of samples, whose bins are `bins`, and returns a bit for each bin that may have got
  /// something.
  @inline(__always)
  private func scatter(
    _ samples: SampleRows, _ range: Range<Int>, _ bins: UInt32,
    _ ends: (SampleRows.Place) -> (left: Float, right: Float)
  ) -> UInt32 {
    let limit = Float(width &+ 1)
    var all = (left: limit, right: Float(0))
    var i = range.lowerBound
    while i < range.upperBound {
      let place = samples.places[i]
      let span = ends(place)
      let run = Int(samples.runs[i])
      var (left, right) = (place.x + 1.5 + span.left, place.x + 1.5 + span.right)
      let end = right + Float(run &- 1)
      let cells = cells + Int(truncatingIfNeeded: place.key.bin) &* stride
      if run >= BinRow.leastRun, span.left < span.right, left >= 1, end <= limit {
        addSpans(cells, left, right, samples.colors + i, run)
        all = (min(all.left, left), max(all.right, end))
        i &+= run
        continue
      }
      (left, right) = (max(left, 1), min(right, limit))
      if left < right {
        addSpan(cells, left, right, samples.colors[i])
        all = (min(all.left, left), max(all.right, right))
      }
      i &+= 1
    }
    guard all.left < all.right else { return 0 }
    let blocks = BinRow.start(all.left).cell / BinRow.block &+ 1...BinRow.start(all.right).cell / BinRow.block &+ 1
    for block in blocks { marks[block] |= bins }
    return bins
  }

  /// Fewer samples than this are quicker added one by one.
  private static let leastRun = 3

  /// Adds `color` to every cell between two positions, a cell at an end by the part that is covered.
  @inline(__always)
  private func addSpan(
    _ cells: UnsafeMutablePointer<SIMD4<Float>>, _ left: Float, _ right: Float, _ color: SIMD4<Float>
  ) {
    let (first, last) = (BinRow.start(left), BinRow.start(right))
    let (later, beyond) = (color * first.rest, color * last.rest)
    cells[first.cell] += color - later
    cells[first.cell &+ 1] += later
    cells[last.cell] -= color - beyond
    cells[last.cell &+ 1] -= beyond
  }

  /// The same for samples that follow each other and are alike: each begins and ends a cell later than the one before, at
  /// the same place in a cell.
  @inline(__always)
  private func addSpans(
    _ cells: UnsafeMutablePointer<SIMD4<Float>>, _ left: Float, _ right: Float,
    _ colors: UnsafeMutablePointer<SIMD4<Float>>, _ count: Int
  ) {
    let (start, end) = (BinRow.start(left), BinRow.start(right))
    let (firsts, lasts) = (cells + start.cell, cells + end.cell)
    var (waiting, ending) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    for i in 0..<count {
      let color = colors[i]
      let (later, beyond) = (color * start.rest, color * end.rest)
      firsts[i] += waiting + (color - later)
      lasts[i] -= ending + (color - beyond)
      (waiting, ending) = (later, beyond)
    }
    firsts[count] += waiting
    lasts[count] -= ending
  }

  /// A cell that `position`, between 1 and 2²², lies in or ends, and what of it lies before the position: the sum's mantissa
  /// is the cell's number, without the range check of a conversion. A whole position may give the cell before it, with a
  /// rest of 1: the same span.
  @inline(__always)
  private static func start(_ position: Float) -> (cell: Int, rest: Float) {
    let whole = position + (8_388_608 - 0.5)
    return (Int(truncatingIfNeeded: whole.bitPattern & 0x7F_FFFF), position - (whole - 8_388_608))
  }
}
