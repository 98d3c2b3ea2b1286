import CoreMedia
import Testing

@Suite struct CMTimeArithmeticTests {
  /// The time scale that a sum starts from.
  private func commonScale(_ a: CMTimeScale, _ b: CMTimeScale) -> CMTimeScale {
    var (x, y) = (Int64(a), Int64(b))
    while y != 0 { (x, y) = (y, x % y) }
    return CMTimeScale(exactly: Int64(a) / x * Int64(b)) ?? kCMTimeMaxTimescale
  }

  @Test(arguments: [smallTimes, Array(stride(from: 0, to: extremeTimes.count, by: 3)).map { extremeTimes[$0] }])
  func sumsAndDifferencesAreExactOrRoundedOnce(_ times: [CMTime]) {
    for a in times {
      for b in times {
        let scale = commonScale(a.timescale, b.timescale)
        let sum = TimeOracle.fitting(TimeOracle.exact(a) + TimeOracle.exact(b), scale, rounded: false)
        let difference = TimeOracle.fitting(TimeOracle.exact(a) - TimeOracle.exact(b), scale, rounded: false)
        #expect((a + b).isIdentical(to: sum), "\(a) + \(b)")
        #expect((a - b).isIdentical(to: difference), "\(a) - \(b)")
      }
    }
  }

  @Test func whatIsAddedCanBeTakenAway() {
    for a in smallTimes {
      for b in smallTimes {
        #expect(a + b - b == a)
        #expect(!(a + b).hasBeenRounded)
        #expect(a + b == b + a)
        #expect(a - b == -(b - a))
      }
    }
  }

  @Test func roundingIsRememberedByEveryOperation() {
    let rounded = CMTime.rounded(1, 3)
    let exact = CMTime(value: 1, timescale: 3)
    #expect((rounded + exact).hasBeenRounded)
    #expect((exact - rounded).hasBeenRounded)
    #expect(CMTimeMultiply(rounded, multiplier: 2).hasBeenRounded)
    #expect(CMTimeMultiplyByFloat64(rounded, multiplier: 2).hasBeenRounded)
    #expect(CMTimeMultiplyByRatio(rounded, multiplier: 2, divisor: 1).hasBeenRounded)
    #expect(CMTimeAbsoluteValue(-rounded).hasBeenRounded)
    #expect(rounded.convertScale(6, method: .default).hasBeenRounded)
    #expect(!(exact + exact).hasBeenRounded)
  }

  @Test func sumsThatOverflowHalveTheTimeScale() {
    let most = CMTime(value: .max, timescale: 600)
    let twice = most + most
    #expect(twice.timescale == 300)
    #expect(twice.value == .max)
    #expect(!twice.hasBeenRounded)
    #expect(CMTime(value: .max, timescale: 1) + CMTime(value: 1, timescale: 1) == .positiveInfinity)
    #expect(CMTime(value: .min, timescale: 1) - CMTime(value: 1, timescale: 1) == .negativeInfinity)
    let mixed = CMTime(value: 1, timescale: .max) + CMTime(value: 1, timescale: .max - 1)
    #expect(mixed.isIdentical(to: .rounded(2, .max)))
  }

  @Test func sumsOfWhatIsNoNumber() {
    let (plus, minus, number) = (CMTime.positiveInfinity, CMTime.negativeInfinity, CMTime(value: 1, timescale: 2))
    for time in [plus, minus, number, .indefinite, .invalid] {
      #expect(!(time + .invalid).isValid)
      #expect(!(CMTime.invalid - time).isValid)
    }
    #expect(plus + plus == plus && minus + minus == minus)
    #expect(!(plus + minus).isValid && !(minus + plus).isValid && !(plus - plus).isValid && !(minus - minus).isValid)
    #expect(plus - minus == plus && minus - plus == minus)
    for other in [number, .indefinite] {
      #expect(plus + other == plus && other + plus == plus && other - plus == minus)
      #expect(minus + other == minus && other + minus == minus && other - minus == plus)
      #expect((other + .indefinite).isIndefinite && (CMTime.indefinite - other).isIndefinite)
    }
  }

  @Test func epochsAreKeptByDurations() {
    let (a, b) = (
      CMTimeMakeWithEpoch(value: 5, timescale: 1, epoch: 1), CMTimeMakeWithEpoch(value: 3, timescale: 1, epoch: 1)
    )
    let other = CMTimeMakeWithEpoch(value: 3, timescale: 1, epoch: 2)
    let duration = CMTime(value: 1, timescale: 1)
    #expect((a - b).isIdentical(to: CMTime(value: 2, timescale: 1)))
    #expect((a + b).epoch == 0)
    #expect((a + duration).epoch == 1 && (duration + a).epoch == 1 && (a - duration).epoch == 1)
    #expect(!(a + other).isValid && !(a - other).isValid)
    #expect(CMTimeMultiply(a, multiplier: 2).epoch == 1)
  }

  @Test func productsWithIntegers() {
    for time in smallTimes + extremeTimes {
      for factor in [Int32.min, -7, -1, 0, 1, 2, 1001, .max] {
        let exact = TimeOracle.exact(time) * BigFraction(BigInteger(factor), 1)
        let expected = TimeOracle.fitting(exact, time.timescale, rounded: false)
        #expect(CMTimeMultiply(time, multiplier: factor).isIdentical(to: expected), "\(time) * \(factor)")
      }
    }
  }

  @Test func productsWithDoubles() {
    let factors: [Double] = [
      0, -0.0, 1, -1, 0.5, 1 / 3, -2.75, 1e-9, 1e9, 0x1p-70, 0x1p-200, 0x1p62, 0x1p63, 0x1p90, 0x1p1000,
      .leastNonzeroMagnitude,
    ]
    for time in smallTimes + extremeTimes {
      for factor in factors {
        var scale = time.timescale
        while scale < 65536 { scale *= 2 }
        let exact = TimeOracle.exact(time) * TimeOracle.exact(factor)
        let expected = TimeOracle.fitting(exact, scale, rounded: false)
        #expect(CMTimeMultiplyByFloat64(time, multiplier: factor).isIdentical(to: expected), "\(time) * \(factor)")
      }
    }
  }

  @Test func productsOfInfinities() {
    let (plus, minus) = (CMTime.positiveInfinity, CMTime.negativeInfinity)
    #expect(CMTimeMultiply(plus, multiplier: -2) == minus && CMTimeMultiply(minus, multiplier: -2) == plus)
    #expect(CMTimeMultiply(.indefinite, multiplier: 2).isIndefinite && !CMTimeMultiply(.invalid, multiplier: 2).isValid)
    #expect(
      CMTimeMultiplyByFloat64(minus, multiplier: 0.5) == minus
        && CMTimeMultiplyByFloat64(plus, multiplier: -0.5) == minus)
    #expect(!CMTimeMultiplyByFloat64(plus, multiplier: 0).isValid)
    let number = CMTime(value: -1, timescale: 2)
    #expect(CMTimeMultiplyByFloat64(number, multiplier: .infinity) == minus)
    #expect(!CMTimeMultiplyByFloat64(.zero, multiplier: .infinity).isValid)
    #expect(!CMTimeMultiplyByFloat64(number, multiplier: .nan).isValid)
    #expect(CMTimeMultiplyByRatio(plus, multiplier: 1, divisor: 3) == plus)
  }

  @Test func ratiosKeepTheExactNumber() {
    for time in smallTimes {
      for multiplier in -4...4 as ClosedRange<Int32> {
        for divisor in -4...4 as ClosedRange<Int32> where divisor != 0 {
          let result = CMTimeMultiplyByRatio(time, multiplier: multiplier, divisor: divisor)
          let exact = TimeOracle.exact(time) * BigFraction(BigInteger(multiplier), BigInteger(divisor))
          #expect(TimeOracle.exact(result) == exact && !result.hasBeenRounded)
          #expect(result.timescale % time.timescale == 0)
        }
      }
    }
  }

  @Test func ratiosThatOverflowAreRoundedByLessThanOneUnit() {
    for time in extremeTimes {
      for (multiplier, divisor) in [(Int32.max, Int32(7)), (.min, .max), (.max - 1, .min), (3, .max), (1, 1 << 30)] {
        let result = CMTimeMultiplyByRatio(time, multiplier: multiplier, divisor: divisor)
        let exact = TimeOracle.exact(time) * BigFraction(BigInteger(multiplier), BigInteger(divisor))
        guard result.isNumeric else {
          let whole = TimeOracle.rounded(exact, to: 1).value
          #expect(whole.int64 == nil && result.isPositiveInfinity != whole.isNegative)
          continue
        }
        let (expected, isExact) = TimeOracle.rounded(exact, to: result.timescale)
        #expect(
          BigInteger(result.value) == expected && result.hasBeenRounded != isExact,
          "\(time) * \(multiplier) / \(divisor)")
      }
    }
  }

  @Test func ratiosOverZero() {
    let time = CMTime(value: -3, timescale: 2)
    #expect(CMTimeMultiplyByRatio(time, multiplier: 2, divisor: 0) == .negativeInfinity)
    #expect(CMTimeMultiplyByRatio(time, multiplier: -2, divisor: 0) == .positiveInfinity)
    #expect(!CMTimeMultiplyByRatio(time, multiplier: 0, divisor: 0).isValid)
    #expect(!CMTimeMultiplyByRatio(.zero, multiplier: 2, divisor: 0).isValid)
  }

  @Test func absoluteValues() {
    #expect(CMTimeAbsoluteValue(.negativeInfinity) == .positiveInfinity)
    #expect(CMTimeAbsoluteValue(.indefinite).isIndefinite && !CMTimeAbsoluteValue(.invalid).isValid)
    for time in smallTimes { #expect(CMTimeAbsoluteValue(time).value == abs(time.value)) }
    let least = CMTimeAbsoluteValue(CMTime(value: .min, timescale: 600))
    #expect(least.isIdentical(to: CMTime(value: 1 << 62, timescale: 300)))
  }
}
