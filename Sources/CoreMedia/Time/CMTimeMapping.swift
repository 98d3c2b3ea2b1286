/// A stretch of one time line (`source`, media, say) shown over a stretch of another (`target`, the movie).
///
/// Where the durations differ, it plays at the rate source / target. An empty mapping, with an invalid source start,
/// shows nothing.
public struct CMTimeMapping: Hashable, Sendable {
  public var source: CMTimeRange
  public var target: CMTimeRange

  /// An invalid mapping.
  public init() { self.init(source: .invalid, target: .invalid) }

  public init(source: CMTimeRange, target: CMTimeRange) {
    self.source = source
    self.target = target
  }

  public static let invalid = CMTimeMapping()
  public var isValid: Bool { target.isValid }
  public var isEmpty: Bool { !source.start.isNumeric && target.isValid }
}

public let kCMTimeMappingInvalid = CMTimeMapping.invalid

public func CMTIMEMAPPING_IS_VALID(_ mapping: CMTimeMapping) -> Bool { mapping.isValid }
public func CMTIMEMAPPING_IS_INVALID(_ mapping: CMTimeMapping) -> Bool { !mapping.isValid }
public func CMTIMEMAPPING_IS_EMPTY(_ mapping: CMTimeMapping) -> Bool { mapping.isEmpty }

/// The mapping of these two; invalid where a duration has an epoch.
public func CMTimeMappingMake(source: CMTimeRange, target: CMTimeRange) -> CMTimeMapping {
  source.duration.epoch == 0 && target.duration.epoch == 0 ? CMTimeMapping(source: source, target: target) : .invalid
}

/// The mapping of nothing to `target`; invalid where its duration has an epoch.
public func CMTimeMappingMakeEmpty(target: CMTimeRange) -> CMTimeMapping {
  CMTimeMappingMake(source: .invalid, target: target)
}

// MARK: - From range to range

/// The time of `toRange` that lies where `time` lies in `fromRange`: (time - from.start) * (to.duration /
/// from.duration) + to.start.
///
/// Times outside are mapped by the same line. Invalid where a range is invalid or empty or the time's epoch is not that
/// of `fromRange`. With two infinite durations the time is moved and not scaled.
public func CMTimeMapTimeFromRangeToRange(_ time: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange) -> CMTime {
  guard fromRange.isValid, toRange.isValid, !fromRange.isEmpty, !toRange.isEmpty, time.isValid,
    time.epoch == fromRange.start.epoch
  else { return .invalid }
  let offset = CMTimeSubtract(time, fromRange.start)
  var result = CMTimeAdd(scaled(offset, from: fromRange.duration, to: toRange.duration), toRange.start)
  if result.isNumeric { result.epoch = toRange.start.epoch }
  return result
}

/// The duration scaled by the ratio of the ranges' durations.
///
/// Invalid where a range is invalid or empty or the duration has an epoch. With two infinite durations it is not
/// scaled.
public func CMTimeMapDurationFromRangeToRange(_ dur: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange) -> CMTime {
  guard fromRange.isValid, toRange.isValid, !fromRange.isEmpty, !toRange.isEmpty, dur.isValid, dur.epoch == 0 else {
    return .invalid
  }
  return scaled(dur, from: fromRange.duration, to: toRange.duration)
}

/// `time * to / from`, exact where a time scale allows it.
private func scaled(_ time: CMTime, from: CMTime, to: CMTime) -> CMTime {
  if from.isPositiveInfinity, to.isPositiveInfinity { return time }
  guard time.isNumeric, from.isNumeric, to.isNumeric else {
    return from.isNumeric && to.isNumeric ? time : .indefinite
  }
  let number = Fraction(
    isNegative: time.value < 0, magnitude: UInt128(time.value.magnitude) * UInt128(to.value.magnitude),
    factor: UInt64(from.timescale),
    denominator: UInt128(time.timescale) * UInt128(to.timescale) * UInt128(from.value.magnitude))
  return CMTime.exactly(
    number, preferring: [time.timescale, to.timescale, leastCommonTimescale(time.timescale, to.timescale)],
    wasRounded: time.hasBeenRounded || from.hasBeenRounded || to.hasBeenRounded, epoch: 0)
}

/// The time of the range nearest to `time`: itself inside, else the start or the end. Invalid where the range is
/// invalid or empty, or the time is invalid.
public func CMTimeClampToRange(_ time: CMTime, range: CMTimeRange) -> CMTime {
  guard range.isValid, !range.isEmpty, time.isValid else { return .invalid }
  return CMTimeMinimum(CMTimeMaximum(time, range.start), range.end)
}

/// The time of the range that `time` falls on when the range is repeated for ever in both directions.
///
/// Invalid where the range is invalid or empty, not of the time's epoch, or not finite; a time that is no number is
/// invalid too.
public func CMTimeFoldIntoRange(_ time: CMTime, foldRange: CMTimeRange) -> CMTime {
  guard foldRange.isValid, !foldRange.isEmpty, foldRange.start.isNumeric, foldRange.duration.isNumeric, time.isNumeric,
    time.epoch == foldRange.start.epoch
  else { return .invalid }
  let offset = CMTimeSubtract(time, foldRange.start)
  let duration = foldRange.duration
  guard offset.isNumeric else { return .invalid }
  // offset mod duration over the common denominator; below 2^94 each.
  let (a, b) = (Int128(offset.value) * Int128(duration.timescale), Int128(duration.value) * Int128(offset.timescale))
  let rest = (a % b + b) % b
  let number = Fraction(numerator: rest, denominator: UInt128(offset.timescale) * UInt128(duration.timescale))
  let scales = [offset.timescale, leastCommonTimescale(offset.timescale, duration.timescale)]
  let folded = CMTime.exactly(
    number, preferring: scales, wasRounded: offset.hasBeenRounded || duration.hasBeenRounded, epoch: 0)
  var result = CMTimeAdd(foldRange.start, folded)
  if result.isNumeric { result.epoch = time.epoch }
  return result
}
