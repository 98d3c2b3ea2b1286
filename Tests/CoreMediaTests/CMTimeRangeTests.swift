import CoreMedia
import Testing

@Suite struct CMTimeRangeTests {
  private func time(_ value: Int) -> CMTime { CMTime(value: Int64(value), timescale: 2) }
  private func range(_ start: Int, _ end: Int) -> CMTimeRange { CMTimeRange(start: time(start), end: time(end)) }

  /// Every range with both ends in 0…5.
  private var allRanges: [(Range<Int>, CMTimeRange)] {
    (0...5).flatMap { start in (start...5).map { (start..<$0, range(start, $0)) } }
  }

  @Test func rangesAreHalfOpen() {
    for (model, range) in allRanges {
      #expect(range.isValid && range.isEmpty == model.isEmpty && range.end == time(model.upperBound))
      for value in -1...6 {
        #expect(range.containsTime(time(value)) == model.contains(value))
        #expect(CMTimeRangeContainsTime(range, time: time(value)) == model.contains(value))
      }
    }
  }

  @Test func rangesCombineAsSetsDo() {
    for (a, x) in allRanges {
      for (b, y) in allRanges {
        let common = a.clamped(to: b)
        let intersection = x.intersection(y)
        #expect(intersection.isEmpty == common.isEmpty || a.isEmpty || b.isEmpty)
        if !common.isEmpty { #expect(intersection == range(common.lowerBound, common.upperBound)) }
        #expect(x.union(y) == range(min(a.lowerBound, b.lowerBound), max(a.upperBound, b.upperBound)))
        #expect(x.containsTimeRange(y) == (a.lowerBound <= b.lowerBound && b.upperBound <= a.upperBound))
        #expect((x == y) == (a == b) && CMTimeRangeEqual(x, y) == (a == b))
        if a == b { #expect(x.hashValue == y.hashValue) }
        #expect(x.intersection(y) == y.intersection(x) && x.union(y) == y.union(x))
      }
    }
  }

  @Test func validity() {
    let one = CMTime(value: 1, timescale: 1)
    #expect(!CMTimeRange().isValid && !CMTimeRange.invalid.isValid && CMTimeRange.zero.isEmpty)
    #expect(!CMTimeRange(start: .zero, duration: CMTime(value: -1, timescale: 1)).isValid)
    #expect(
      !CMTimeRange(start: .invalid, duration: one).isValid && !CMTimeRange(start: one, duration: .invalid).isValid)
    #expect(!CMTimeRange(start: one, end: .zero).isValid && !CMTimeRange(start: .zero, end: .invalid).isValid)
    #expect(CMTimeRange(start: .zero, duration: .indefinite).isIndefinite)
    let epoch = CMTimeMakeWithEpoch(value: 1, timescale: 1, epoch: 1)
    #expect(!CMTimeRangeMake(start: .zero, duration: epoch).isValid)
    #expect(CMTimeRange(start: epoch, duration: one).end.epoch == 1)
    #expect(!CMTimeRange(start: .zero, end: epoch).isValid)
    #expect(!CMTimeRange(start: epoch, duration: one).intersection(CMTimeRange(start: .zero, duration: one)).isValid)
    #expect(!CMTimeRange.invalid.containsTime(.zero) && !CMTimeRange.invalid.end.isValid)
    #expect(!CMTimeRange.invalid.union(.zero).isValid && !CMTimeRange.zero.intersection(.invalid).isValid)
  }

  @Test func rangesWithoutEnd() {
    let all = CMTimeRange(start: .zero, duration: .positiveInfinity)
    #expect(all.isValid && all.end == .positiveInfinity)
    #expect(all.containsTime(CMTime(value: .max, timescale: 1)) && !all.containsTime(CMTime(value: -1, timescale: 1)))
    #expect(!all.containsTime(.positiveInfinity))
    #expect(all.intersection(range(2, 4)) == range(2, 4))
    #expect(all.union(range(2, 4)) == all && all.containsTimeRange(range(2, 4)))
    #expect(all.intersection(CMTimeRange(start: time(4), duration: .positiveInfinity)).end == .positiveInfinity)
    #expect(CMTimeRange(start: time(1), end: .positiveInfinity).duration == .positiveInfinity)
  }

  @Test func dictionariesAndDescriptions() {
    let range = range(1, 4)
    let mapping = CMTimeMapping(source: range, target: .zero)
    #expect(CMTimeRangeMakeFromDictionary(CMTimeRangeCopyAsDictionary(range, allocator: nil)!) == range)
    #expect(CMTimeMappingMakeFromDictionary(CMTimeMappingCopyAsDictionary(mapping, allocator: nil)!) == mapping)
    #expect(!CMTimeRangeMakeFromDictionary([:]).isValid && !CMTimeMappingMakeFromDictionary([:]).isValid)
    #expect(range.description == "{{1/2 = 0.500}, {3/2 = 1.500}}")
    #expect(CMTimeMappingCopyDescription(allocator: nil, mapping: mapping) == "{\(range), \(CMTimeRange.zero)}")
  }

  // MARK: - Mapping

  @Test func timesMapAlongALine() {
    let scales: [CMTimeScale] = [1, 2, 3, 5]
    for (from, to) in zip(scales, scales.dropFirst() + [1]) {
      let source = CMTimeRange(start: CMTime(value: 1, timescale: from), duration: CMTime(value: 7, timescale: from))
      let target = CMTimeRange(start: CMTime(value: -2, timescale: to), duration: CMTime(value: 3, timescale: to))
      #expect(CMTimeMapTimeFromRangeToRange(source.start, fromRange: source, toRange: target) == target.start)
      #expect(CMTimeMapTimeFromRangeToRange(source.end, fromRange: source, toRange: target) == target.end)
      for time in smallTimes {
        let ratio = TimeOracle.exact(target.duration) / TimeOracle.exact(source.duration)
        let exact = (TimeOracle.exact(time) - TimeOracle.exact(source.start)) * ratio + TimeOracle.exact(target.start)
        let mapped = CMTimeMapTimeFromRangeToRange(time, fromRange: source, toRange: target)
        #expect(TimeOracle.exact(mapped) == exact && !mapped.hasBeenRounded)
        #expect(CMTimeMapTimeFromRangeToRange(mapped, fromRange: target, toRange: source) == time)
      }
    }
  }

  @Test func durationsOfAnySizeMapWithOneRounding() {
    let durations = extremeTimes.filter { $0 > .zero }
    for duration in extremeTimes where duration.timescale != 3 {
      for (from, to) in zip(durations, durations.reversed()) {
        let (source, target) = (CMTimeRange(start: .zero, duration: from), CMTimeRange(start: .zero, duration: to))
        let result = CMTimeMapDurationFromRangeToRange(duration, fromRange: source, toRange: target)
        let exact = TimeOracle.exact(duration) * TimeOracle.exact(to) / TimeOracle.exact(from)
        guard result.isNumeric else {
          #expect(result.isPositiveInfinity || result.isNegativeInfinity)
          #expect(TimeOracle.rounded(exact, to: 1).value.int64 == nil)
          continue
        }
        let (value, isExact) = TimeOracle.rounded(exact, to: result.timescale)
        #expect(BigInteger(result.value) == value && result.hasBeenRounded != isExact, "\(duration) * \(to) / \(from)")
      }
    }
  }

  @Test func whatCannotBeMapped() {
    let (one, empty, endless) = (range(0, 2), range(1, 1), CMTimeRange(start: time(1), duration: .positiveInfinity))
    #expect(!CMTimeMapTimeFromRangeToRange(.zero, fromRange: empty, toRange: one).isValid)
    #expect(!CMTimeMapTimeFromRangeToRange(.zero, fromRange: one, toRange: empty).isValid)
    #expect(!CMTimeMapTimeFromRangeToRange(.zero, fromRange: .invalid, toRange: one).isValid)
    let epoch = CMTimeMakeWithEpoch(value: 0, timescale: 1, epoch: 1)
    #expect(!CMTimeMapTimeFromRangeToRange(epoch, fromRange: one, toRange: one).isValid)
    #expect(!CMTimeMapDurationFromRangeToRange(epoch, fromRange: one, toRange: one).isValid)
    let shifted = CMTimeRange(start: time(5), duration: .positiveInfinity)
    #expect(CMTimeMapTimeFromRangeToRange(time(2), fromRange: endless, toRange: shifted) == time(6))
    #expect(CMTimeMapTimeFromRangeToRange(.positiveInfinity, fromRange: one, toRange: one) == .positiveInfinity)
  }

  @Test func timesAreClamped() {
    for (model, range) in allRanges where !model.isEmpty {
      for value in -1...6 {
        #expect(
          CMTimeClampToRange(time(value), range: range) == time(min(max(value, model.lowerBound), model.upperBound)))
      }
    }
    #expect(
      !CMTimeClampToRange(.zero, range: range(1, 1)).isValid
        && !CMTimeClampToRange(.invalid, range: range(0, 1)).isValid)
  }

  @Test func timesFoldIntoALoop() {
    for (model, range) in allRanges where !model.isEmpty {
      for value in -11...11 {
        var expected = value
        while expected < model.lowerBound { expected += model.count }
        while expected >= model.upperBound { expected -= model.count }
        let folded = CMTimeFoldIntoRange(time(value), foldRange: range)
        #expect(folded == time(expected) && range.containsTime(folded))
      }
      for fine in smallTimes { #expect(range.containsTime(CMTimeFoldIntoRange(fine, foldRange: range))) }
    }
    #expect(!CMTimeFoldIntoRange(.zero, foldRange: range(1, 1)).isValid)
    #expect(!CMTimeFoldIntoRange(.zero, foldRange: CMTimeRange(start: .zero, duration: .positiveInfinity)).isValid)
    #expect(!CMTimeFoldIntoRange(.indefinite, foldRange: range(0, 1)).isValid)
  }

  @Test func mappings() {
    let (a, b) = (range(0, 2), range(2, 6))
    #expect(CMTimeMappingMake(source: a, target: b).isValid && !CMTimeMappingMake(source: a, target: b).isEmpty)
    #expect(CMTimeMappingMakeEmpty(target: b).isEmpty && CMTIMEMAPPING_IS_EMPTY(CMTimeMappingMakeEmpty(target: b)))
    #expect(!CMTimeMapping().isValid && CMTIMEMAPPING_IS_INVALID(kCMTimeMappingInvalid))
    let odd = CMTimeRange(start: .zero, duration: CMTimeMakeWithEpoch(value: 1, timescale: 1, epoch: 1))
    #expect(!CMTimeMappingMake(source: odd, target: b).isValid && !CMTimeMappingMakeEmpty(target: odd).isValid)
  }
}
