/// Sums a worker's row of bins from left to right, and clears it for the next.
struct BinSums {
  /// The touched bins, near to far.
  private let bins: UnsafeMutablePointer<Int>
  /// The sums along the row.
  private let running: UnsafeMutablePointer<SIMD4<Float>>
  /// What each of the touched bins holds at the present pixel.
  private let sums: UnsafeMutablePointer<SIMD4<Float>>
  private let cells: UnsafeMutablePointer<SIMD4<Float>>
  private let stride: Int
  private let count: Int

  /// Less weight than this is what rounding leaves of sums that should be 0.
  static let leastWeight: Float = 1e-5

  /// - Parameter touched: a bit for each bin that may hold something.
  init(_ row: BinRow, touched: UInt32, scratch: BinScratch) {
    bins = scratch.bins
    running = scratch.sums
    sums = scratch.sums + Effort.maximumBins
    cells = row.cells
    stride = row.stride
    var count = 0
    for bin in 0..<Effort.maximumBins where touched & (1 << UInt32(bin)) != 0 {
      bins[count] = bin
      running[count] = .zero
      count += 1
    }
    self.count = count
  }

  /// The place among the touched bins of `bin`, which must be one.
  func place(_ bin: Int) -> Int {
    var place = 0
    while place < count &- 1 && bins[place] != bin { place &+= 1 }
    return place
  }

  /// Goes on to pixel `x`, which must be the next, and returns the weight in all bins.
  @inline(__always)
  func advance(_ x: Int) -> Float {
    var weight: Float = 0
    for i in 0..<count {
      let cell = cells + (bins[i] &* stride &+ x &+ 1)
      let sum = running[i] + cell.pointee
      running[i] = sum
      sums[i] = sum
      cell.pointee = .zero
      weight += max(sum.w, 0)
    }
    return weight
  }

  /// What the bin at a place among the touched ones holds at the present pixel.
  @inline(__always)
  subscript(place: Int) -> SIMD4<Float> {
    get { sums[place] }
    nonmutating set { sums[place] = newValue }
  }

  /// Clears the spare cells that no pixel reads.
  func finish(_ width: Int) {
    for i in 0..<count {
      let bin = cells + bins[i] &* stride
      bin[0] = .zero
      bin[width &+ 1] = .zero
      bin[width &+ 2] = .zero
    }
  }

  /// Fills the aperture from the bins before `end`, which begin at `start`.
  @inline(__always)
  func fill(_ aperture: inout Aperture, from start: Int, to end: Int) {
    for i in 0..<count where bins[i] >= start && bins[i] < end { aperture.take(sums[i]) }
  }

  /// Fills the aperture from all bins, with a sharp sample in its place among them.
  @inline(__always)
  func fill(_ aperture: inout Aperture, sharp: SIMD4<Float>, in sharpBin: Int) {
    var isWaiting = true
    for i in 0..<count {
      var sum = sums[i]
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
    for i in 0..<count { aperture.take(sums[i]) }
  }
}

/// The few values a worker needs to sum bins.
struct BinScratch {
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
  private(set) var light = SIMD4<Float>.zero

  @inline(__always)
  mutating func take(_ layer: SIMD4<Float>) {
    let weight = layer.w
    guard weight > BinSums.leastWeight, light.w < 1 else { return }
    let free = Aperture.open(1 - light.w)
    light += weight <= free ? layer : layer * (free / weight)
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
