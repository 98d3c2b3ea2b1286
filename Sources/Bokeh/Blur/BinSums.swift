/// Sums a worker's row of bins from left to right, and clears it for the next.
struct BinSums {
  /// The bins that may hold something in the present block, near to far.
  private let bins: UnsafeMutablePointer<Int>
  private let count: UnsafeMutablePointer<Int>
  /// The sums along the row.
  private let running: UnsafeMutablePointer<SIMD4<Float>>
  /// What each bin holds at the present pixel.
  private let sums: UnsafeMutablePointer<SIMD4<Float>>
  private let cells: UnsafeMutablePointer<SIMD4<Float>>
  private let marks: UnsafeMutablePointer<UInt32>
  private let stride: Int
  private let touched: UInt32
  private let always: UInt32

  /// Less weight than this is what rounding leaves of sums that should be 0.
  static let leastWeight: Float = 1e-5
  /// A sum of less weight than this, which no aperture takes, is not looked at in blocks where nothing is added to it.
  private static let leftOver: Float = 2e-6

  /// - Parameters:
  ///   - touched: a bit for each bin that got something.
  ///   - always: a bit for each bin that is summed everywhere.
  init(_ row: BinRow, touched: UInt32, always: UInt32, scratch: BinScratch) {
    bins = scratch.bins
    count = scratch.bins + Effort.maximumBins
    running = scratch.sums
    sums = scratch.sums + Effort.maximumBins
    cells = row.cells
    marks = row.marks
    stride = row.stride
    self.touched = touched | always
    self.always = always
    count.pointee = 0
    for bin in 0..<Effort.maximumBins { (running[bin], sums[bin]) = (.zero, .zero) }
  }

  /// Goes on to pixel `x`, which must be the next after another or after empty cells only, and returns the weight in
  /// all bins.
  @inline(__always)
  func advance(_ x: Int) -> Float {
    if x & (BinRow.block &- 1) == 0 { enter(x / BinRow.block) }
    var weight: Float = 0
    for i in 0..<count.pointee {
      let bin = bins[i]
      let cell = cells + (bin &* stride &+ x &+ 1)
      let sum = running[bin] + cell.pointee
      running[bin] = sum
      sums[bin] = sum
      cell.pointee = .zero
      weight += max(sum.w, 0)
    }
    return weight
  }

  /// Whether a block of pixels has nothing in any bin; then it may be passed over.
  @inline(__always)
  func isQuiet(_ block: Int) -> Bool {
    guard marks[block] | marks[block &+ 1] | marks[block &+ 2] == 0 else { return false }
    for i in 0..<count.pointee where running[bins[i]].w > BinSums.leftOver { return false }
    return true
  }

  /// Finds the bins of a block of pixels: those that get something in it or beside it, or have something left.
  func enter(_ block: Int) {
    var active = always | marks[block] | marks[block &+ 1] | marks[block &+ 2]
    for i in 0..<count.pointee {
      let bin = bins[i]
      if running[bin].w > BinSums.leftOver { active |= 1 << UInt32(bin) }
    }
    var found = 0
    for bin in 0..<Effort.maximumBins {
      if active & (1 << UInt32(bin)) != 0 {
        bins[found] = bin
        found &+= 1
      } else {
        // What is left over stays, as the ends of its spans are still to come.
        sums[bin] = .zero
      }
    }
    count.pointee = found
  }

  /// Sums the bins of a whole block of pixels, `columns`, one after the other: near to far `body` gets what each bin holds at
  /// each pixel, here and in the layers of a coarser resolution.
  @inline(__always)
  func sumBlock(
    _ columns: Range<Int>, _ coarser: UpsampledLayers? = nil,
    _ body: (_ bin: Int, _ x: Int, _ sum: SIMD4<Float>) -> Void
  ) {
    enter(columns.lowerBound / BinRow.block)
    for i in 0..<count.pointee {
      let bin = bins[i]
      let cells = cells + (bin &* stride &+ 1)
      var sum = running[bin]
      if let other = coarser?.row(of: bin) {
        for x in columns {
          sum += cells[x]
          cells[x] = .zero
          body(bin, x, sum + other[x])
        }
      } else {
        for x in columns {
          sum += cells[x]
          cells[x] = .zero
          body(bin, x, sum)
        }
      }
      running[bin] = sum
    }
  }

  /// What a bin holds at the present pixel.
  @inline(__always)
  subscript(bin: Int) -> SIMD4<Float> {
    get { sums[bin] }
    nonmutating set { sums[bin] = newValue }
  }

  /// What some bins hold at the present pixel.
  @inline(__always)
  func sum(_ bins: ClosedRange<Int>) -> SIMD4<Float> { bins.reduce(.zero) { $0 + sums[$1] } }

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

  /// Fills the aperture from the bins before `end`, which begin at `start`.
  @inline(__always)
  func fill(_ aperture: inout Aperture, from start: Int, to end: Int) {
    for i in 0..<count.pointee where bins[i] >= start && bins[i] < end { aperture.take(sums[bins[i]]) }
  }

  /// Fills the aperture from all bins, with a sharp sample in its place among them.
  @inline(__always)
  func fill(_ aperture: inout Aperture, sharp: SIMD4<Float>, in sharpBin: Int) {
    var isWaiting = true
    for i in 0..<count.pointee {
      var sum = sums[bins[i]]
      if isWaiting && bins[i] >= sharpBin {
        isWaiting = false
        if bins[i] == sharpBin { sum += sharp } else { aperture.take(sharp) }
      }
      aperture.take(sum)
    }
    if isWaiting { aperture.take(sharp) }
  }

  /// Fills the aperture from all bins.
  @inline(__always)
  func fill(_ aperture: inout Aperture) {
    for i in 0..<count.pointee { aperture.take(sums[bins[i]]) }
  }
}

/// The few values a worker needs to sum bins.
struct BinScratch {
  /// One for each bin, and their number.
  let bins: UnsafeMutablePointer<Int>
  /// Two for each bin.
  let sums: UnsafeMutablePointer<SIMD4<Float>>
}

/// The aperture as one pixel sees it, filled near to far: each layer takes at most what the nearer ones left over.
///
/// Where a surface's radius changes, its discs leave small gaps that nothing should show through, so of a small rest a
/// layer takes less, and of a smaller one much less.
struct Aperture {
  /// Premultiplied light, and in `w` the part of the aperture that is filled, 0…1.
  var light = SIMD4<Float>.zero

  @inline(__always)
  mutating func take(_ layer: SIMD4<Float>) { Aperture.fill(&light, with: layer) }

  /// The same for an aperture that is kept as its light.
  @inline(__always)
  static func fill(_ light: inout SIMD4<Float>, with layer: SIMD4<Float>) {
    let weight = layer.w
    guard weight > BinSums.leastWeight, light.w < 1 else { return }
    let free = Aperture.open(1 - light.w)
    light += weight <= free ? layer : layer * (free / weight)
  }

  /// Fills the rest with light of weight 1.
  @inline(__always)
  mutating func close(_ own: SIMD4<Float>) {
    light += SIMD4(own, weight: 1) * (1 - light.w)
  }

  /// How much of a rest is more than a gap.
  @inline(__always)
  private static func open(_ free: Float) -> Float {
    let share = min(free * (1 / tolerance), 1)
    return free * share * share
  }

  /// Rests below this may be gaps.
  private static let tolerance: Float = 0.12

  /// The light of the filled part as if it filled all, or nil where next to nothing is filled.
  @inline(__always)
  var whole: SIMD4<Float>? {
    light.w > 1e-3 ? light / light.w : nil
  }
}
