import CoreMedia
import Testing

@Suite struct CMTimeTests {
  @Test func kindsOfTime() {
    #expect(!CMTime.invalid.isValid && !CMTime().isValid)
    #expect(CMTime.indefinite.isValid && CMTime.indefinite.isIndefinite && !CMTime.indefinite.isNumeric)
    #expect(CMTime.positiveInfinity.isPositiveInfinity && CMTIME_IS_POSITIVEINFINITY(.positiveInfinity))
    #expect(CMTime.negativeInfinity.isNegativeInfinity && !CMTIME_IS_NUMERIC(.negativeInfinity))
    #expect(CMTime.zero.isNumeric && CMTime.zero.timescale == 1 && CMTIME_IS_VALID(.zero))
    #expect(CMTimeFlags.impliedValueFlagsMask.rawValue == 0b11100)
  }

  @Test func aTimeScaleMustBePositive() {
    #expect(!CMTime(value: 1, timescale: 0).isValid)
    #expect(!CMTimeMake(value: 1, timescale: -600).isValid)
    #expect(!CMTime(seconds: 1, preferredTimescale: 0).isValid)
    // A time flagged valid by hand is caught too, and no operation traps on it.
    let odd = CMTime(value: 1, timescale: 0, flags: .valid, epoch: 0)
    #expect(!odd.isValid && !odd.isNumeric && odd.seconds.isNaN)
    #expect(!(odd + .zero).isValid && !CMTimeMultiply(odd, multiplier: 2).isValid && odd == .invalid)
    #expect(!CMTimeConvertScale(odd, timescale: 600, method: .default).isNumeric)
    #expect(!CMTimeConvertScale(CMTime(value: 1, timescale: 2), timescale: 0, method: .default).isValid)
  }

  @Test func secondsAreTheNearestDouble() {
    #expect(CMTime(value: 1, timescale: 2).seconds == 0.5)
    #expect(CMTime(value: 1, timescale: 3).seconds == 1.0 / 3)
    #expect(CMTimeMakeWithEpoch(value: 3, timescale: 2, epoch: 7).seconds == 1.5)
    #expect(CMTime.positiveInfinity.seconds == .infinity && CMTime.negativeInfinity.seconds == -.infinity)
    #expect(CMTime.invalid.seconds.isNaN && CMTime.indefinite.seconds.isNaN)
  }

  @Test func timesOfSecondsAreRoundedOnceAndSaySo() {
    let numbers: [Double] = [
      0, 1, -1, 0.5, 0.1, 1 / 3, -2.75, 1e-9, 1e15, 0x1p53, 0x1p62, 0x1.fffffffffffffp62, -0x1p62,
      .leastNonzeroMagnitude, 0x1p-70,
    ]
    for number in numbers {
      for scale in extremeScales {
        let expected = TimeOracle.fitting(TimeOracle.exact(number), scale, rounded: false)
        let time = CMTime(seconds: number, preferredTimescale: scale)
        #expect(time.isIdentical(to: expected), "\(number) s over \(scale)")
      }
    }
    #expect(CMTime(seconds: 0.1, preferredTimescale: 600).isIdentical(to: .rounded(60, 600)))
    #expect(CMTime(seconds: 0.25, preferredTimescale: 600).isIdentical(to: CMTime(value: 150, timescale: 600)))
    #expect(CMTime(seconds: 0x1p63, preferredTimescale: 600) == .positiveInfinity)
    #expect(CMTime(seconds: -.infinity, preferredTimescale: 600) == .negativeInfinity)
    #expect(!CMTime(seconds: .nan, preferredTimescale: 600).isValid)
  }

  @Test(arguments: CMTimeRoundingMethod.allCases) func scalesConvertByEveryMethod(_ method: CMTimeRoundingMethod) {
    for value in -13...13 {
      for old in 1...7 as ClosedRange<CMTimeScale> {
        for new in 1...9 as ClosedRange<CMTimeScale> {
          let time = CMTime(value: Int64(value), timescale: old)
          let (expected, isExact) = TimeOracle.rounded(TimeOracle.exact(time), to: new, method, from: old)
          let result = time.convertScale(new, method: method)
          #expect(BigInteger(result.value) == expected && result.timescale == new, "\(time) to \(new) by \(method)")
          #expect(result.hasBeenRounded != isExact)
        }
      }
    }
  }

  @Test func scalesThatOverflowGiveInfinity() {
    #expect(CMTime(value: .max, timescale: 1).convertScale(2, method: .default) == .positiveInfinity)
    #expect(CMTime(value: .min, timescale: 1).convertScale(2, method: .default) == .negativeInfinity)
    #expect(CMTime(value: .min, timescale: 2).convertScale(2, method: .default).value == .min)
    for time in nonNumbers { #expect(time.convertScale(600, method: .default) == time) }
    #expect(CMTimeMakeWithEpoch(value: 1, timescale: 1, epoch: 3).convertScale(2, method: .default).epoch == 3)
  }

  @Test func theOrderIsTotal() {
    let later = CMTimeMakeWithEpoch(value: -100, timescale: 1, epoch: 1)
    let all =
      smallTimes + [later] + nonNumbers + [CMTime(value: .max, timescale: 1), CMTime(value: .min, timescale: .max)]
    for a in all {
      for b in all {
        let order = CMTimeCompare(a, b)
        #expect(order == -CMTimeCompare(b, a))
        #expect((a == b) == (order == 0) && (a < b) == (order < 0) && (a >= b) == (order >= 0))
        if a == b { #expect(a.hashValue == b.hashValue) }
      }
    }
    let sorted = all.sorted()
    for (a, b) in zip(sorted, sorted.dropFirst()) { #expect(a <= b) }
    #expect(sorted.first == .negativeInfinity)
    #expect(Array(sorted.suffix(3)) == [.indefinite, .positiveInfinity, .invalid])
    #expect(sorted[sorted.count - 4].isIdentical(to: later))
  }

  @Test func numbersCompareExactly() {
    for a in extremeTimes {
      for b in extremeTimes where a.timescale != b.timescale {
        let (x, y) = (TimeOracle.exact(a), TimeOracle.exact(b))
        #expect(CMTimeCompare(a, b) == (x < y ? -1 : x == y ? 0 : 1))
      }
    }
  }

  @Test func equalTimesHashAlike() {
    #expect(CMTime(value: 1, timescale: 2) == CMTime(value: 300, timescale: 600))
    #expect(Set([CMTime(value: 1, timescale: 2), CMTime(value: 300, timescale: 600), .rounded(2, 4)]).count == 1)
    #expect(Set(nonNumbers).count == nonNumbers.count)
    #expect(CMTime(value: .min, timescale: 2).hashValue == CMTime(value: .min / 2, timescale: 1).hashValue)
    #expect(
      CMTime(value: 0, timescale: 5) == .zero && CMTime(value: 0, timescale: 5).hashValue == CMTime.zero.hashValue)
  }

  @Test func lesserAndGreater() {
    let (a, b) = (CMTime(value: 1, timescale: 3), CMTime(value: 1, timescale: 2))
    #expect(CMTimeMinimum(a, b) == a && CMTimeMaximum(a, b) == b)
    #expect(CMTimeMaximum(b, .invalid) == .invalid && CMTimeMinimum(b, .negativeInfinity) == .negativeInfinity)
    #expect(CMTIME_COMPARE_INLINE(a, <=, b) && !CMTIME_COMPARE_INLINE(a, ==, b))
  }

  @Test func operatorsAreTheFunctions() {
    var time = CMTime(value: 1, timescale: 2)
    time += CMTime(value: 1, timescale: 3)
    #expect(time.isIdentical(to: CMTime(value: 5, timescale: 6)))
    time -= CMTime(value: 1, timescale: 2)
    #expect(time.isIdentical(to: CMTime(value: 2, timescale: 6)))
    #expect((-time).value == -2)
  }

  @Test func dictionariesBringTheTimeBack() {
    let times =
      smallTimes + nonNumbers + [CMTimeMakeWithEpoch(value: .min, timescale: .max, epoch: -4), .rounded(1, 3)]
    for time in times {
      let dictionary = CMTimeCopyAsDictionary(time, allocator: kCFAllocatorDefault)
      #expect(CMTimeMakeFromDictionary(dictionary).isIdentical(to: time))
    }
    #expect(!CMTimeMakeFromDictionary(nil).isValid)
    #expect(!CMTimeMakeFromDictionary([kCMTimeValueKey: 1, kCMTimeScaleKey: 2]).isValid)
    let tooLarge: [String: Any] = [
      kCMTimeValueKey: 1, kCMTimeScaleKey: Int(1) << 40, kCMTimeEpochKey: 0, kCMTimeFlagsKey: 1,
    ]
    #expect(!CMTimeMakeFromDictionary(tooLarge).isValid)
  }

  @Test func descriptionsForPeople() {
    #expect(CMTime(value: 300, timescale: 600).description == "{300/600 = 0.500}")
    #expect(CMTime(value: -1, timescale: 3).description == "{-1/3 = -0.333}")
    #expect(CMTime.rounded(1, 3).description == "{1/3 = 0.333, rounded}")
    #expect(CMTimeMakeWithEpoch(value: 1, timescale: 1, epoch: 2).description == "{1/1 = 1.000, epoch 2}")
    #expect(CMTime(value: .max, timescale: 1).description.hasPrefix("{9223372036854775807/1 = "))
    #expect(nonNumbers.map(\.description) == ["{INVALID}", "{INDEFINITE}", "{+INFINITY}", "{-INFINITY}"])
    #expect(CMTimeCopyDescription(allocator: nil, time: .zero) == "{0/1 = 0.000}")
  }
}
