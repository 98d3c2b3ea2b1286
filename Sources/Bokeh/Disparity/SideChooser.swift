/// Chooses among samples on both sides of a depth edge: while there is an edge among them they are parted there, and
/// the side that the pixel more likely belongs to stays. What is left lies on one side.
///
/// Samples are counted in bins of a quarter of a step, so that an edge is a run of empty bins.
struct SideChooser {
  /// What lies in one bin: x the weights, y the nearness, z disparity times nearness.
  typealias Bin = SIMD4<Float>
  static let capacity = 96

  private let bins: UnsafeMutablePointer<Bin>
  private let count: Int
  private let least: Float
  private let binsPerUnit: Float
  /// Empty bins that make an edge.
  private let edgeGap: Int
  /// Bins that are too many for one surface, even without an edge.
  private let widestSurface: Int

  /// - Parameters:
  ///   - step: the least difference between the sides of an edge, positive.
  ///   - range: the samples' range.
  ///   - scratch: room for `capacity` bins.
  init(step: Float, range: ClosedRange<Float>, scratch: UnsafeMutablePointer<Bin>) {
    let spread = range.upperBound - range.lowerBound
    let width = max(step / 4, spread / Float(SideChooser.capacity - 1))
    bins = scratch
    least = range.lowerBound
    binsPerUnit = 1 / width
    count = min(Int(spread / width) + 1, SideChooser.capacity)
    edgeGap = max(1, Int(step / (2 * width)))
    widestSurface = max(2, Int(4 * step / width))
    bins.update(repeating: .zero, count: count)
  }

  /// Adds a sample: how near it is, for the result is a smooth mean by nearness, and how likely the pixel belongs with
  /// it.
  @inline(__always)
  func add(_ value: Float, nearness: Float, likeness: Float) {
    let bin = min(Int((value - least) * binsPerUnit), count &- 1)
    bins[bin] += SIMD4(nearness * likeness, nearness, value * nearness, 0)
  }

  /// The mean of the side that stays, or nil if there was no sample.
  func choose() -> Float? {
    var kept = trimmed(0..<count)
    while let parting = parting(kept) {
      let far = sum(kept.lowerBound..<parting)
      let near = sum(parting..<kept.upperBound)
      kept = trimmed(near.x > far.x ? parting..<kept.upperBound : kept.lowerBound..<parting)
    }
    let all = sum(kept)
    return all.y > 0 ? all.z / all.y : nil
  }

  /// Without the empty bins at its ends.
  private func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (lower, upper) = (range.lowerBound, range.upperBound)
    while lower < upper && bins[lower].y == 0 { lower &+= 1 }
    while upper > lower && bins[upper &- 1].y == 0 { upper &-= 1 }
    return lower..<upper
  }

  /// The first bin of the near side: after the widest gap, if that is an edge, or in the middle of what rises too far
  /// to be one surface.
  private func parting(_ kept: Range<Int>) -> Int? {
    var (widest, place, gap) = (0, kept.lowerBound, 0)
    for bin in kept {
      if bins[bin].y == 0 {
        gap &+= 1
        continue
      }
      if gap > widest { (widest, place) = (gap, bin) }
      gap = 0
    }
    if widest >= edgeGap { return place }
    return kept.count > widestSurface ? kept.lowerBound &+ kept.count / 2 : nil
  }

  private func sum(_ range: Range<Int>) -> Bin {
    var sum = Bin.zero
    for bin in range { sum += bins[bin] }
    return sum
  }
}

/// How alike two colours of a guide are.
enum Likeness {
  /// Colours that differ by this much (square root of light) are hardly alike.
  private static let spread: Float = 0.08
  /// What quite different colours still count, so that place decides where colours say nothing.
  private static let least: Float = 0.03

  /// From `least` to 1.
  @inline(__always)
  static func weight(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> Float {
    let difference = a - b
    let distance = (difference * difference).sum() * (1 / (2 * spread * spread))
    // A rational fall-off in place of an exponential: (1 + x/4)⁻⁴.
    let base = 1 / (1 + distance * 0.25)
    let square = base * base
    return least + (1 - least) * square * square
  }
}
