/// A stretch of time from `start` up to, but not including, `start + duration`.
///
/// Valid if both times are valid and the duration is not negative and of epoch 0.
public struct CMTimeRange: Sendable {
  public var start: CMTime
  public var duration: CMTime

  /// An invalid range.
  public init() { self = .invalid }

  public init(start: CMTime, duration: CMTime) {
    self.start = start
    self.duration = duration
  }

  /// The range between two times; invalid where the end lies before the start.
  public init(start: CMTime, end: CMTime) { self = CMTimeRangeFromTimeToTime(start: start, end: end) }

  public static let zero = CMTimeRange(start: .zero, duration: .zero)
  public static let invalid = CMTimeRange(start: .invalid, duration: .invalid)
}

public let kCMTimeRangeZero = CMTimeRange.zero
public let kCMTimeRangeInvalid = CMTimeRange.invalid

extension CMTimeRange {
  public var isValid: Bool { start.isValid && duration.isValid && duration.epoch == 0 && duration >= .zero }
  public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }
  public var isEmpty: Bool { isValid && duration == .zero }

  /// The first time after the range; invalid where the range is.
  public var end: CMTime {
    guard isValid else { return .invalid }
    var end = CMTimeAdd(start, duration)
    if end.isNumeric { end.epoch = start.epoch }
    return end
  }

  public func containsTime(_ time: CMTime) -> Bool { isValid && time.isValid && start <= time && time < end }

  /// Whether the other range, not before the start and not beyond the end, lies in this one; false where one of them is
  /// invalid.
  public func containsTimeRange(_ range: CMTimeRange) -> Bool {
    isValid && range.isValid && start <= range.start && range.end <= end
  }

  /// The largest range that lies in both: `zero` where they share nothing, invalid where one is invalid or their epochs
  /// differ.
  public func intersection(_ otherRange: CMTimeRange) -> CMTimeRange {
    guard isCombinable(with: otherRange) else { return .invalid }
    let (start, end) = (CMTimeMaximum(start, otherRange.start), CMTimeMinimum(end, otherRange.end))
    return start <= end ? CMTimeRange(start: start, end: end) : .zero
  }

  /// The smallest range in which both lie, with what is between them: invalid where one is invalid or their epochs
  /// differ.
  public func union(_ otherRange: CMTimeRange) -> CMTimeRange {
    guard isCombinable(with: otherRange) else { return .invalid }
    return CMTimeRange(start: CMTimeMinimum(start, otherRange.start), end: CMTimeMaximum(end, otherRange.end))
  }

  private func isCombinable(with other: CMTimeRange) -> Bool {
    isValid && other.isValid && (start.epoch == other.start.epoch || !start.isNumeric || !other.start.isNumeric)
  }
}

extension CMTimeRange: Hashable {
  public static func == (lhs: CMTimeRange, rhs: CMTimeRange) -> Bool {
    lhs.start == rhs.start && lhs.duration == rhs.duration
  }
}

public func CMTIMERANGE_IS_VALID(_ range: CMTimeRange) -> Bool { range.isValid }
public func CMTIMERANGE_IS_INVALID(_ range: CMTimeRange) -> Bool { !range.isValid }
public func CMTIMERANGE_IS_INDEFINITE(_ range: CMTimeRange) -> Bool { range.isIndefinite }
public func CMTIMERANGE_IS_EMPTY(_ range: CMTimeRange) -> Bool { range.isEmpty }

/// The range of these two; invalid where the duration has an epoch.
public func CMTimeRangeMake(start: CMTime, duration: CMTime) -> CMTimeRange {
  duration.isNumeric && duration.epoch != 0 ? .invalid : CMTimeRange(start: start, duration: duration)
}

/// The range between two times; invalid where the end lies before the start, or where their difference is invalid.
public func CMTimeRangeFromTimeToTime(start: CMTime, end: CMTime) -> CMTimeRange {
  guard start <= end else { return .invalid }
  if start.isNumeric, end.isNumeric, start.epoch != end.epoch { return .invalid }
  let range = CMTimeRange(start: start, duration: CMTimeSubtract(end, start))
  return range.isValid ? range : .invalid
}

public func CMTimeRangeGetUnion(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
  range.union(otherRange)
}
public func CMTimeRangeGetIntersection(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
  range.intersection(otherRange)
}
public func CMTimeRangeEqual(_ range1: CMTimeRange, _ range2: CMTimeRange) -> Bool { range1 == range2 }
public func CMTimeRangeContainsTime(_ range: CMTimeRange, time: CMTime) -> Bool { range.containsTime(time) }
public func CMTimeRangeContainsTimeRange(_ range: CMTimeRange, otherRange: CMTimeRange) -> Bool {
  range.containsTimeRange(otherRange)
}
public func CMTimeRangeGetEnd(_ range: CMTimeRange) -> CMTime { range.end }
