/// An exact non-zero or zero rational number with a sign, big enough for every product that the arithmetic of times
/// forms.
///
/// The number is `magnitude * factor / denominator`. `magnitude` and `denominator` are below 2^127 and `factor` below
/// 2^32, so that `factor` times a time scale still fits 64 bits and the whole numerator 256.
struct Fraction {
  var isNegative: Bool
  var magnitude: UInt128
  var factor: UInt64
  var denominator: UInt128

  init(numerator: Int128, denominator: UInt128) {
    self.init(isNegative: numerator < 0, magnitude: numerator.magnitude, denominator: denominator)
  }

  init(isNegative: Bool, magnitude: UInt128, factor: UInt64 = 1, denominator: UInt128) {
    precondition(denominator > 0)
    self.isNegative = isNegative
    self.magnitude = magnitude
    self.factor = factor
    self.denominator = denominator
  }

  /// The value in units of `1 / timescale`, rounded; nil where it does not fit 64 bits.
  func scaled(to timescale: CMTimeScale, rounding method: Rounding) -> (value: Int64, isExact: Bool)? {
    guard let (quotient, remainder) = division(by: UInt128(factor) * UInt128(timescale)) else { return nil }
    let roundsUp = remainder != 0 && method.roundsUp(remainder: remainder, of: denominator, isNegative: isNegative)
    guard quotient < UInt128.max else { return nil }
    guard let value = Int64(magnitude: roundsUp ? quotient + 1 : quotient, isNegative: isNegative) else { return nil }
    return (value, remainder == 0)
  }

  /// magnitude * multiplier / denominator; nil where the quotient has more than 128 bits.
  private func division(by multiplier: UInt128) -> (quotient: UInt128, remainder: UInt128)? {
    if multiplier == denominator { return (magnitude, 0) }
    let (product, overflow) = magnitude.multipliedReportingOverflow(by: multiplier)
    if !overflow { return product.quotientAndRemainder(dividingBy: denominator) }
    let numerator = magnitude.multipliedFullWidth(by: multiplier)
    return numerator.high < denominator ? denominator.dividingFullWidth(numerator) : nil
  }

  /// The denominator in lowest terms, if it can be a time scale.
  var lowestTimescale: CMTimeScale? {
    let product = magnitude.multipliedFullWidth(by: UInt128(factor))
    let (_, high) = product.high.quotientAndRemainder(dividingBy: denominator)
    let remainder = denominator.dividingFullWidth((high, product.low)).remainder
    return CMTimeScale(exactly: denominator / greatestCommonDivisor(remainder, denominator))
  }
}

/// How the magnitude of a quotient is rounded, seen from zero.
enum Rounding {
  case halfAwayFromZero, towardZero, awayFromZero, up, down

  func roundsUp(remainder: UInt128, of divisor: UInt128, isNegative: Bool) -> Bool {
    switch self {
    case .halfAwayFromZero: remainder >= divisor - remainder
    case .towardZero: false
    case .awayFromZero: true
    case .up: !isNegative
    case .down: isNegative
    }
  }
}

extension Int64 {
  init?(magnitude: UInt128, isNegative: Bool) {
    if isNegative {
      guard magnitude <= UInt128(Int64.min.magnitude) else { return nil }
      self.init(truncatingIfNeeded: 0 &- Int128(magnitude))
    } else {
      self.init(exactly: magnitude)
    }
  }
}

func greatestCommonDivisor<Number: BinaryInteger>(_ a: Number, _ b: Number) -> Number {
  var (a, b) = (a, b)
  while b != 0 { (a, b) = (b, a % b) }
  return a
}
