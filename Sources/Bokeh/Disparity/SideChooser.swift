/// Chooses among samples on both sides of a depth edge: as long as they differ by more than a step they are parted in the middle, and the side with more
/// weight stays. What is left lies on one side.
struct SideChooser {
  static let capacity = 64
  private let values: UnsafeMutablePointer<Float>
  /// Similarity and nearness: how likely the pixel belongs with the sample.
  private let weights: UnsafeMutablePointer<Float>
  private let step: Float
  private var count = 0

  /// - Parameter scratch: room for `2 * capacity` values.
  init(step: Float, scratch: UnsafeMutablePointer<Float>) {
    self.step = step
    values = scratch
    weights = scratch + SideChooser.capacity
  }

  @inline(__always)
  mutating func add(_ value: Float, weight: Float) {
    values[count] = value
    weights[count] = weight
    count &+= 1
  }

  /// The weighted mean of the side that stays.
  mutating func choose() -> Float {
    while let middle = partingValue() {
      let near = weight { $0 > middle }
      let far = weight { $0 <= middle }
      keep { near > far ? $0 > middle : $0 <= middle }
    }
    var sum: Float = 0
    var total: Float = 0
    for i in 0..<count {
      sum += values[i] * weights[i]
      total += weights[i]
    }
    return sum / total
  }

  /// The middle of the widest gap if the samples differ by more than a step, else nil.
  private func partingValue() -> Float? {
    var (least, most) = (Float.infinity, -Float.infinity)
    for i in 0..<count {
      least = min(least, values[i])
      most = max(most, values[i])
    }
    guard most - least > step, count > 1 else { return nil }
    let middle = (least + most) / 2
    // Two neighbouring numbers have no middle.
    return middle < most ? middle : nil
  }

  private func weight(_ isCounted: (Float) -> Bool) -> Float {
    var sum: Float = 0
    for i in 0..<count where isCounted(values[i]) { sum += weights[i] }
    return sum
  }

  private mutating func keep(_ isKept: (Float) -> Bool) {
    var kept = 0
    for i in 0..<count where isKept(values[i]) {
      values[kept] = values[i]
      weights[kept] = weights[i]
      kept &+= 1
    }
    count = kept
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
