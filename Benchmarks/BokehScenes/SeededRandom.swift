/// Numbers that look random and are the same in every run (SplitMix64).
package struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  package init(_ seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return SeededRandom.mix(state)
  }

  /// A number of the half-open range.
  package mutating func float(_ range: Range<Float>) -> Float {
    range.lowerBound + (range.upperBound - range.lowerBound) * Float(next() >> 40) * 0x1p-24
  }

  static func mix(_ bits: UInt64) -> UInt64 {
    var z = bits
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// From 0 to 1, the same for the same place.
  static func hash(_ x: Int, _ y: Int, seed: UInt64) -> Float {
    let place = UInt64(bitPattern: Int64(x)) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: Int64(y)) &* 0xC2B2_AE3D
    return Float(mix(place ^ seed) >> 40) * 0x1p-24
  }
}
