/// The disparities that a frame holds, without its rarest.
struct DisparityRange {
  private static let binCount = 1024
  /// The part of the samples, at either end, that may lie outside.
  private static let tail: Float = 0.002
  /// A range in 1/m below this is a single value: its inverse would not be a number.
  private static let leastWidth: Float = 1e-30
  private let counts = Storage<Int>()

  /// From the smallest to the largest disparity of a plane of valid ones, leaving out the tails.
  func measure(_ plane: Plane<Float>) -> ClosedRange<Float> {
    let (least, most) = limits(plane)
    guard most - least > DisparityRange.leastWidth else { return least...least }
    let counts = counts.reserve(DisparityRange.binCount)
    counts.update(repeating: 0, count: DisparityRange.binCount)
    let scale = Float(DisparityRange.binCount - 1) / (most - least)
    for i in 0..<plane.count { counts[Int((plane.base[i] - least) * scale)] += 1 }
    let spare = Int(Float(plane.count) * DisparityRange.tail)
    let lower = firstBin(counts, spare, from: 0, by: 1)
    let upper = firstBin(counts, spare, from: DisparityRange.binCount - 1, by: -1)
    return least + Float(lower) / scale...max(least + Float(lower) / scale, least + Float(upper) / scale)
  }

  private func limits(_ plane: Plane<Float>) -> (least: Float, most: Float) {
    var (leasts, mosts) = (SIMD4<Float>(repeating: .infinity), SIMD4<Float>(repeating: -.infinity))
    let rest = plane.count & ~3
    for i in stride(from: 0, to: rest, by: 4) {
      let values = plane.base.four(i)
      (leasts, mosts) = (leasts.least(values), mosts.most(values))
    }
    var (least, most) = (leasts.min(), mosts.max())
    for i in rest..<plane.count { (least, most) = (min(least, plane.base[i]), max(most, plane.base[i])) }
    return (least, most)
  }

  private func firstBin(_ counts: UnsafeMutablePointer<Int>, _ spare: Int, from start: Int, by step: Int) -> Int {
    var left = spare
    var bin = start
    while left >= counts[bin] {
      left -= counts[bin]
      bin += step
    }
    return bin
  }
}
