import CoreMedia

/// What a time must be, worked out with integers of any size.
enum TimeOracle {
  /// The exact number that a numeric time stands for.
  static func exact(_ time: CMTime) -> BigFraction { BigFraction(BigInteger(time.value), BigInteger(time.timescale)) }

  /// A double as an exact fraction.
  static func exact(_ number: Double) -> BigFraction {
    guard number != 0 else { return BigFraction(0, 1) }
    let significand = BigInteger(Int64(number.significand * 0x1p52)) * (number < 0 ? -1 : 1)
    let power = powerOfTwo(abs(Int(number.exponent) - 52))
    return Int(number.exponent) >= 52 ? BigFraction(significand * power, 1) : BigFraction(significand, power)
  }

  private static func powerOfTwo(_ exponent: Int) -> BigInteger {
    BigInteger(isNegative: false, digits: Array(repeating: 0, count: exponent / 32) + [1 << UInt32(exponent % 32)])
  }

  /// The number in units of 1 / timescale by a rounding method, and whether that is exact.
  static func rounded(
    _ number: BigFraction, to timescale: CMTimeScale, _ method: CMTimeRoundingMethod = .roundHalfAwayFromZero,
    from old: CMTimeScale = 1
  ) -> (value: BigInteger, isExact: Bool) {
    let numerator = number.numerator * BigInteger(timescale)
    let (quotient, rest) = numerator.divided(by: number.denominator)
    let isNegative = numerator.isNegative
    let twice = rest + rest
    var awayFromZero: Bool
    switch method {
    case .roundHalfAwayFromZero: awayFromZero = !(twice < number.denominator)
    case .roundTowardZero: awayFromZero = false
    case .roundAwayFromZero: awayFromZero = true
    case .roundTowardPositiveInfinity: awayFromZero = !isNegative
    case .roundTowardNegativeInfinity: awayFromZero = isNegative
    case .quickTime: awayFromZero = timescale >= old || (isNegative && quotient == 0)
    }
    if rest == 0 { awayFromZero = false }
    let magnitude = awayFromZero ? quotient + 1 : quotient
    return (isNegative ? -magnitude : magnitude, rest == 0)
  }

  /// The number in the first of timescale, timescale/2, timescale/4 … in which it fits 64 bits; an infinity where none
  /// does.
  static func fitting(_ number: BigFraction, _ timescale: CMTimeScale, rounded wasRounded: Bool, epoch: CMTimeEpoch = 0)
    -> CMTime
  {
    var timescale = timescale
    while timescale > 0 {
      let (value, isExact) = rounded(number, to: timescale)
      if let value = value.int64 {
        let flags: CMTimeFlags = wasRounded || !isExact ? [.valid, .hasBeenRounded] : .valid
        return CMTime(value: value, timescale: timescale, flags: flags, epoch: epoch)
      }
      timescale /= 2
    }
    return number.numerator.isNegative ? .negativeInfinity : .positiveInfinity
  }
}

extension CMTime {
  /// Whether all four fields are the same; `==` compares the number alone.
  func isIdentical(to other: CMTime) -> Bool {
    value == other.value && timescale == other.timescale && flags == other.flags && epoch == other.epoch
  }

  static func rounded(_ value: Int64, _ timescale: CMTimeScale) -> CMTime {
    CMTime(value: value, timescale: timescale, flags: [.valid, .hasBeenRounded], epoch: 0)
  }
}

/// Values and scales near every limit.
let extremeValues: [Int64] = [
  .min, .min + 1, -(1 << 62) - 1, -1001, -1, 0, 1, 3, 1001, 1 << 53, (1 << 62) + 1, .max - 1, .max,
]
let extremeScales: [CMTimeScale] = [1, 2, 3, 600, 90000, 1 << 30, .max - 1, .max]
let extremeTimes = extremeValues.flatMap { value in extremeScales.map { CMTime(value: value, timescale: $0) } }

/// Every value from -4 to 4 over every scale from 1 to 6.
let smallTimes = (-4...4).flatMap { value in (1...6).map { CMTime(value: Int64(value), timescale: CMTimeScale($0)) } }

/// One time of every kind that is no number.
let nonNumbers: [CMTime] = [.invalid, .indefinite, .positiveInfinity, .negativeInfinity]
