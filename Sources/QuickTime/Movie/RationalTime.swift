/// An exact time: whole units over a positive number of units a second.
///
/// Nothing is rounded until the caller asks for it. Only sums that need more than 128 bits, as times of centuries in picoseconds would,
/// become the nearest microsecond.
package struct RationalTime: Hashable, Sendable, Comparable {
  package let numerator: Int128
  /// Positive; the fraction is in lowest terms.
  package let denominator: Int128

  package static let zero = RationalTime(0, 1)

  package init(_ value: Int64, _ scale: Int32) {
    self.init(numerator: Int128(value), denominator: Int128(scale))
  }

  package init(numerator: Int128, denominator: Int128) {
    precondition(denominator > 0)
    let divisor = Self.greatestDivisor(numerator.magnitude, denominator.magnitude)
    self.numerator = numerator / Int128(divisor)
    self.denominator = denominator / Int128(divisor)
  }

  private init(reduced numerator: Int128, _ denominator: Int128) {
    self.numerator = numerator
    self.denominator = denominator
  }

  private init(nearestSeconds seconds: Double) {
    self.init(numerator: Int128(Self.clamped(seconds * 1e6)), denominator: 1_000_000)
  }

  private static func clamped(_ value: Double) -> Int64 {
    Int64(max(-9e18, min(9e18, value.rounded())))
  }

  package static func < (left: RationalTime, right: RationalTime) -> Bool {
    let first = left.numerator.multipliedFullWidth(by: right.denominator)
    let second = right.numerator.multipliedFullWidth(by: left.denominator)
    return (first.high, first.low) < (second.high, second.low)
  }

  package static func + (left: RationalTime, right: RationalTime) -> RationalTime {
    let first = left.numerator.multipliedReportingOverflow(by: right.denominator)
    let second = right.numerator.multipliedReportingOverflow(by: left.denominator)
    let sum = first.partialValue.addingReportingOverflow(second.partialValue)
    let denominator = left.denominator.multipliedReportingOverflow(by: right.denominator)
    guard !first.overflow, !second.overflow, !sum.overflow, !denominator.overflow else {
      return RationalTime(nearestSeconds: left.seconds + right.seconds)
    }
    return RationalTime(numerator: sum.partialValue, denominator: denominator.partialValue)
  }

  package static prefix func - (time: RationalTime) -> RationalTime {
    RationalTime(reduced: -time.numerator, time.denominator)
  }

  package static func - (left: RationalTime, right: RationalTime) -> RationalTime { left + -right }

  /// In units of the scale, to the nearest, ties away from zero; the nearest end where 64 bits do not suffice.
  package func rounded(toScale scale: Int32) -> Int64 {
    let (scaled, overflow) = numerator.multipliedReportingOverflow(by: Int128(scale))
    guard !overflow else { return Self.clamped(seconds * Double(scale)) }
    let (quotient, remainder) = scaled.quotientAndRemainder(dividingBy: denominator)
    let carry: Int128 = remainder.magnitude >= denominator.magnitude - remainder.magnitude ? scaled.signum() : 0
    return Int64(clamping: quotient + carry)
  }

  /// In units of the scale, if that is exact.
  package func exact(inScale scale: Int32) -> Int64? {
    let (scaled, overflow) = numerator.multipliedReportingOverflow(by: Int128(scale))
    guard !overflow, scaled % denominator == 0 else { return nil }
    return Int64(exactly: scaled / denominator)
  }

  /// The product; the nearest microsecond where 128 bits do not suffice.
  func multiplied(by factor: RationalTime) -> RationalTime {
    let above = numerator.multipliedReportingOverflow(by: factor.numerator)
    let below = denominator.multipliedReportingOverflow(by: factor.denominator)
    guard !above.overflow, !below.overflow else { return RationalTime(nearestSeconds: seconds * factor.seconds) }
    return RationalTime(numerator: above.partialValue, denominator: below.partialValue)
  }

  /// The largest whole number that is not above; clamped to 64 bits.
  var roundedDown: Int64 {
    let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
    return Int64(clamping: remainder < 0 ? quotient - 1 : quotient)
  }

  package var seconds: Double { Double(numerator) / Double(denominator) }

  private static func greatestDivisor(_ first: UInt128, _ second: UInt128) -> UInt128 {
    var (large, small) = (first, second)
    while small != 0 { (large, small) = (small, large % small) }
    return max(large, 1)
  }
}
