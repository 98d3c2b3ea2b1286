/// Sums a worker's row of bins from left to right, a block of pixels at a time, and clears it for the next.
struct BinSums {
  /// The bins that may hold something in the present block, near to far.
  private let bins: UnsafeMutablePointer<Int>
  private let found: UnsafeMutablePointer<Int>
  /// The sums along the row.
  private let running: UnsafeMutablePointer<SIMD4<Float>>
  private let cells: UnsafeMutablePointer<SIMD4<Float>>
  private let marks: UnsafeMutablePointer<UInt32>
  private let stride: Int
  private let touched: UInt32

  /// Less weight than this is what rounding leaves of sums that should be 0.
  static let leastWeight: Float = 1e-5
  /// A sum of less weight than this, which no aperture takes, is not looked at in blocks where nothing is added to it.
  private static let leftOver: Float = 2e-6

  /// - Parameter touched: a bit for each bin that got something.
  init(_ row: BinRow, touched: UInt32, scratch: BinScratch) {
    bins = scratch.bins
    found = scratch.bins + Effort.maximumBins
    running = scratch.sums
    cells = row.cells
    marks = row.marks
    stride = row.stride
    self.touched = touched
    found.pointee = 0
    running.update(repeating: .zero, count: Effort.maximumBins)
  }

  /// How many bins may hold something in the present block.
  var count: Int { found.pointee }

  /// One of them; they go from near to far.
  @inline(__always)
  func bin(_ i: Int) -> Int { bins[i] }

  /// Whether a block of pixels has nothing in any bin; then it may be passed over.
  @inline(__always)
  func isQuiet(_ block: Int) -> Bool {
    guard marks[block] | marks[block &+ 1] | marks[block &+ 2] == 0 else { return false }
    for i in 0..<count where running[bins[i]].w > BinSums.leftOver { return false }
    return true
  }

  /// Goes to a block of pixels, which must be the next after another or after quiet ones only, and finds the bins that get
  /// something in it or beside it, or have something left.
  ///
  /// - Parameter others: a bit for each bin that is summed besides.
  /// - Returns: a bit for each bin that may hold something.
  @discardableResult
  func enter(_ block: Int, _ others: UInt32) -> UInt32 {
    var active = others | marks[block] | marks[block &+ 1] | marks[block &+ 2]
    for i in 0..<count {
      let bin = bins[i]
      if running[bin].w > BinSums.leftOver { active |= 1 &<< UInt32(bin) }
    }
    // What is left over of the others stays, as the ends of its spans are still to come.
    var (count, rest) = (0, active)
    while rest != 0 {
      bins[count] = rest.trailingZeroBitCount
      rest &= rest &- 1
      count &+= 1
    }
    found.pointee = count
    return active
  }

  /// Sums the `i`th of the block's bins: `body` gets what it holds at each pixel, here and in the layers of a coarser
  /// resolution.
  @inline(__always)
  func sum(
    _ i: Int, _ columns: Range<Int>, _ coarser: UpsampledBlock? = nil, _ body: (_ x: Int, _ sum: SIMD4<Float>) -> Void
  ) {
    let bin = bins[i]
    let cells = cells + (bin &* stride &+ 1)
    var sum = running[bin]
    if let coarser {
      for x in columns {
        sum += cells[x]
        cells[x] = .zero
        body(x, sum + coarser[x])
      }
    } else {
      for x in columns {
        sum += cells[x]
        cells[x] = .zero
        body(x, sum)
      }
    }
    running[bin] = sum
  }

  /// Clears the spare cells that no pixel reads, and the marks.
  func finish(_ width: Int) {
    for bin in 0..<Effort.maximumBins where touched & (1 << UInt32(bin)) != 0 {
      let bin = cells + bin &* stride
      bin[0] = .zero
      bin[width &+ 1] = .zero
      bin[width &+ 2] = .zero
    }
    marks.update(repeating: 0, count: BinRow.markCount(width))
  }
}

/// The few values a worker needs to sum bins.
struct BinScratch {
  /// One for each bin, and their number.
  let bins: UnsafeMutablePointer<Int>
  /// One for each bin.
  let sums: UnsafeMutablePointer<SIMD4<Float>>
}

/// The aperture as one pixel sees it, filled near to far: each layer takes at most what the nearer ones left over.
///
/// It is kept as premultiplied light, and in `w` the part that is filled, 0…1. Where a surface's radius changes, its discs
/// leave small gaps that nothing should show through, so of a small rest a layer takes less, and of a smaller one much less.
enum Aperture {
  @inline(__always)
  static func fill(_ light: inout SIMD4<Float>, with layer: SIMD4<Float>) {
    let weight = layer.w
    guard weight > BinSums.leastWeight else { return }
    light += layer * min(open(1 - light.w) / weight, 1)
  }

  /// How much of a rest is more than a gap.
  @inline(__always)
  private static func open(_ rest: Float) -> Float {
    let free = max(rest, 0)
    let share = min(free * (1 / tolerance), 1)
    return free * share * share
  }

  /// Rests below this may be gaps.
  private static let tolerance: Float = 0.12

  /// Less than this part of an aperture is next to nothing.
  static let least: Float = 1e-3
}
