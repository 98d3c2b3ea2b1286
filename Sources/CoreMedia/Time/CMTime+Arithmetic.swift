// The rules of every operation below, beside its own: an invalid operand makes the result invalid; the result carries
// `hasBeenRounded` if an operand does or if rounding took place; a result that overflows its time scale is expressed in
// a time scale halved as often as needed, and becomes an infinity where even whole seconds overflow. Rounding is half
// away from zero.

extension CMTime {
  var fraction: Fraction { Fraction(numerator: Int128(value), denominator: UInt128(timescale)) }

  /// The number in `timescale`, or in the first of timescale/2, timescale/4 … in which it fits; an infinity where none
  /// does.
  static func fitting(_ number: Fraction, timescale: CMTimeScale, wasRounded: Bool, epoch: CMTimeEpoch) -> CMTime {
    var timescale = timescale
    while timescale > 0 {
      if let (value, isExact) = number.scaled(to: timescale, rounding: .halfAwayFromZero) {
        let flags: CMTimeFlags = wasRounded || !isExact ? [.valid, .hasBeenRounded] : .valid
        return CMTime(value: value, timescale: timescale, flags: flags, epoch: epoch)
      }
      timescale /= 2
    }
    return number.isNegative ? .negativeInfinity : .positiveInfinity
  }

  /// Like `fitting(_:timescale:…)`, in the first of `timescales` that holds the number exactly, else in its lowest
  /// terms, else in the largest time scale.
  static func exactly(
    _ number: Fraction, preferring timescales: [CMTimeScale?], wasRounded: Bool, epoch: CMTimeEpoch
  ) -> CMTime {
    let fit = timescales.lazy.compactMap { $0 }.first { number.scaled(to: $0, rounding: .towardZero)?.isExact == true }
    let timescale = fit ?? number.lowestTimescale ?? kCMTimeMaxTimescale
    return fitting(number, timescale: timescale, wasRounded: wasRounded, epoch: epoch)
  }
}

/// The least common multiple where it can be a time scale.
func leastCommonTimescale(_ a: CMTimeScale, _ b: CMTimeScale) -> CMTimeScale? {
  CMTimeScale(exactly: Int64(a) / Int64(greatestCommonDivisor(a, b)) * Int64(b))
}

// MARK: - Sum and difference

/// The sum, in the least common multiple of the time scales, or in the largest time scale where the multiple exceeds
/// it.
///
/// Opposite infinities have no sum: invalid. One infinity wins over everything else, then indefinite. Numbers of
/// different non-zero epochs have no sum; those of the same non-zero epoch give epoch 0; with one epoch 0 (a duration),
/// the other one's epoch stays.
public func CMTimeAdd(_ lhs: CMTime, _ rhs: CMTime) -> CMTime {
  guard lhs.isNumeric, rhs.isNumeric else { return nonNumericSum(lhs.kind, rhs.kind) }
  return numericSum(lhs, rhs, sign: 1)
}

/// The difference, by the rules of `CMTimeAdd`.
public func CMTimeSubtract(_ lhs: CMTime, _ rhs: CMTime) -> CMTime {
  guard lhs.isNumeric, rhs.isNumeric else { return nonNumericSum(lhs.kind, rhs.kind.opposite) }
  return numericSum(lhs, rhs, sign: -1)
}

private func numericSum(_ lhs: CMTime, _ rhs: CMTime, sign: Int128) -> CMTime {
  guard let epoch = epochOfSum(lhs.epoch, rhs.epoch) else { return .invalid }
  let scales = (Int128(lhs.timescale), Int128(rhs.timescale))
  let divisor = Int128(greatestCommonDivisor(lhs.timescale, rhs.timescale))
  let numerator = Int128(lhs.value) * (scales.1 / divisor) + sign * Int128(rhs.value) * (scales.0 / divisor)
  return CMTime.fitting(
    Fraction(numerator: numerator, denominator: UInt128(scales.0 / divisor * scales.1)),
    timescale: leastCommonTimescale(lhs.timescale, rhs.timescale) ?? kCMTimeMaxTimescale,
    wasRounded: lhs.hasBeenRounded || rhs.hasBeenRounded, epoch: epoch)
}

private func epochOfSum(_ lhs: CMTimeEpoch, _ rhs: CMTimeEpoch) -> CMTimeEpoch? {
  if lhs == rhs { return 0 }
  if lhs == 0 { return rhs }
  return rhs == 0 ? lhs : nil
}

private func nonNumericSum(_ lhs: CMTime.Kind, _ rhs: CMTime.Kind) -> CMTime {
  if lhs == .invalid || rhs == .invalid { return .invalid }
  if lhs.isInfinite, rhs.isInfinite, lhs != rhs { return .invalid }
  if lhs == .positiveInfinity || rhs == .positiveInfinity { return .positiveInfinity }
  return lhs == .negativeInfinity || rhs == .negativeInfinity ? .negativeInfinity : .indefinite
}

extension CMTime.Kind {
  var isInfinite: Bool { self == .positiveInfinity || self == .negativeInfinity }

  var opposite: CMTime.Kind {
    switch self {
    case .positiveInfinity: .negativeInfinity
    case .negativeInfinity: .positiveInfinity
    case .numeric, .invalid, .indefinite: self
    }
  }

  /// What a product of a time that is no number and of a factor of this sign is.
  func product(isNegative: Bool) -> CMTime {
    switch isNegative ? opposite : self {
    case .positiveInfinity: .positiveInfinity
    case .negativeInfinity: .negativeInfinity
    case .indefinite: .indefinite
    case .invalid, .numeric: .invalid
    }
  }
}

// MARK: - Products

/// The product, in the time scale of `time`. An infinity stays infinite, its sign that of the product (zero counts as
/// positive).
public func CMTimeMultiply(_ time: CMTime, multiplier: Int32) -> CMTime {
  guard time.isNumeric else { return time.kind.product(isNegative: multiplier < 0) }
  let number = Fraction(numerator: Int128(time.value) * Int128(multiplier), denominator: UInt128(time.timescale))
  return CMTime.fitting(number, timescale: time.timescale, wasRounded: time.hasBeenRounded, epoch: time.epoch)
}

/// The product, in the time scale of `time` doubled until it is at least 65536. The product of the two exact numbers is
/// rounded once.
///
/// An infinity stays infinite, its sign that of the product; an infinite multiplier gives an infinity; NaN, and zero
/// times infinity in either order of number and multiplier, give an invalid time.
public func CMTimeMultiplyByFloat64(_ time: CMTime, multiplier: Double) -> CMTime {
  guard !multiplier.isNaN else { return .invalid }
  guard time.isNumeric else {
    return multiplier == 0 && time.kind.isInfinite ? .invalid : time.kind.product(isNegative: multiplier < 0)
  }
  guard multiplier.isFinite else {
    if time.value == 0 { return .invalid }
    return CMTime.Kind.positiveInfinity.product(isNegative: (time.value < 0) != (multiplier < 0))
  }
  return finiteProduct(time, multiplier)
}

private func finiteProduct(_ time: CMTime, _ multiplier: Double) -> CMTime {
  var timescale = time.timescale
  var exponent = multiplier.binaryExponentOfUnit
  // Below 2^116: 63 bits times 53. The product is magnitude * 2^exponent in units of the (doubled) time scale.
  let magnitude = UInt128(time.value.magnitude) * UInt128(multiplier.integerSignificand)
  while timescale < 65536 { (timescale, exponent) = (timescale * 2, exponent + 1) }
  let isNegative = (time.value < 0) != (multiplier < 0)
  if let (value, isExact) = shifted(magnitude, by: exponent, isNegative: isNegative) {
    let flags: CMTimeFlags = isExact && !time.hasBeenRounded ? .valid : [.valid, .hasBeenRounded]
    return CMTime(value: value, timescale: timescale, flags: flags, epoch: time.epoch)
  }
  // It is over 2^63, so the exponent is over -53 and the denominator below 2^84.
  guard exponent < magnitude.leadingZeroBitCount - 1 else { return isNegative ? .negativeInfinity : .positiveInfinity }
  let number = Fraction(
    isNegative: isNegative, magnitude: exponent > 0 ? magnitude << UInt128(exponent) : magnitude,
    denominator: UInt128(timescale) << UInt128(max(0, -exponent)))
  return CMTime.fitting(number, timescale: timescale, wasRounded: time.hasBeenRounded, epoch: time.epoch)
}

/// magnitude * 2^exponent, rounded half away from zero; nil where it does not fit 64 bits.
private func shifted(_ magnitude: UInt128, by exponent: Int, isNegative: Bool) -> (value: Int64, isExact: Bool)? {
  if exponent > 0 {
    guard exponent < magnitude.leadingZeroBitCount || magnitude == 0 else { return nil }
    return Int64(magnitude: magnitude << UInt128(exponent), isNegative: isNegative).map { ($0, true) }
  }
  guard exponent > -128 else { return (0, magnitude == 0) }
  let quotient = magnitude >> UInt128(-exponent)
  let rest = magnitude - quotient << UInt128(-exponent)
  let roundsUp = exponent < 0 && rest >> UInt128(-exponent - 1) == 1
  return Int64(magnitude: roundsUp ? quotient + 1 : quotient, isNegative: isNegative).map { ($0, rest == 0) }
}

extension Double {
  /// `self.magnitude == integerSignificand * 2^binaryExponentOfUnit` for every finite number.
  var integerSignificand: UInt64 { exponentBitPattern == 0 ? significandBitPattern : significandBitPattern | 1 << 52 }
  var binaryExponentOfUnit: Int { Int(Swift.max(exponentBitPattern, 1)) - 1075 }
}

/// `time * multiplier / divisor`, exact where that is possible: in the time scale of `time` multiplied by no more than
/// what is needed.
///
/// A zero divisor gives an infinity, or an invalid time if the time or the multiplier is zero too. An infinity stays
/// infinite.
public func CMTimeMultiplyByRatio(_ time: CMTime, multiplier: Int32, divisor: Int32) -> CMTime {
  let isNegative = (multiplier < 0) != (divisor < 0)
  guard time.isNumeric else { return time.kind.product(isNegative: isNegative) }
  let numerator = Int128(time.value) * Int128(multiplier)
  guard divisor != 0 else {
    return numerator == 0 ? .invalid : CMTime.Kind.positiveInfinity.product(isNegative: numerator < 0)
  }
  let magnitude = UInt128(divisor.magnitude)
  let needed = magnitude / greatestCommonDivisor(numerator.magnitude, magnitude)
  let number = Fraction(
    isNegative: (time.value < 0) != isNegative, magnitude: numerator.magnitude,
    denominator: UInt128(time.timescale) * magnitude)
  return CMTime.exactly(
    number, preferring: [CMTimeScale(exactly: UInt128(time.timescale) * needed)], wasRounded: time.hasBeenRounded,
    epoch: time.epoch)
}

// MARK: - Sign and seconds

/// The time without its sign; an infinity becomes positive.
public func CMTimeAbsoluteValue(_ time: CMTime) -> CMTime {
  guard time.isNumeric else { return time.kind.isInfinite ? .positiveInfinity : time }
  return time.value < 0 ? CMTimeMultiply(time, multiplier: -1) : time
}

/// The time nearest to `seconds` in `preferredTimescale`, half away from zero, flagged as rounded where it is not
/// exactly that.
///
/// A time scale in which the value overflows is halved until it fits; an infinity where whole seconds overflow. Invalid
/// where the time scale is not positive or `seconds` is NaN.
public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: CMTimeScale) -> CMTime {
  guard preferredTimescale > 0, !seconds.isNaN else { return .invalid }
  guard seconds.magnitude < 0x1p63 else { return seconds < 0 ? .negativeInfinity : .positiveInfinity }
  let exponent = seconds.binaryExponentOfUnit
  // Below 2^-67 everything rounds to zero in any time scale, so the exponent may stop there.
  let number = Fraction(
    isNegative: seconds < 0, magnitude: UInt128(seconds.integerSignificand) << UInt128(max(0, exponent)),
    denominator: 1 << UInt128(min(120, max(0, -exponent))))
  return CMTime.fitting(number, timescale: preferredTimescale, wasRounded: false, epoch: 0)
}
