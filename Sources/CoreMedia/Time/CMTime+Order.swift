/// -1, 0 or 1 as the first time is less than, equal to or greater than the second.
///
/// A strict order over every value: -infinity < numbers < indefinite < +infinity < invalid. Numbers compare exactly,
/// whatever their time scales; a number of a later epoch is greater. That a time was rounded does not count.
public func CMTimeCompare(_ time1: CMTime, _ time2: CMTime) -> Int32 {
  let (kind1, kind2) = (time1.kind, time2.kind)
  guard kind1 == .numeric, kind2 == .numeric else { return sign(kind1.rawValue, kind2.rawValue) }
  guard time1.epoch == time2.epoch else { return sign(time1.epoch, time2.epoch) }
  if time1.timescale == time2.timescale { return sign(time1.value, time2.value) }
  return sign(
    time1.value.multipliedFullWidth(by: Int64(time2.timescale)),
    time2.value.multipliedFullWidth(by: Int64(time1.timescale)))
}

private func sign<Value: Comparable>(_ a: Value, _ b: Value) -> Int32 { a < b ? -1 : a > b ? 1 : 0 }

private func sign(_ a: (high: Int64, low: UInt64), _ b: (high: Int64, low: UInt64)) -> Int32 {
  a < b ? -1 : a > b ? 1 : 0
}

/// The lesser of the two by `CMTimeCompare`; the first where they are equal.
public func CMTimeMinimum(_ time1: CMTime, _ time2: CMTime) -> CMTime {
  CMTimeCompare(time1, time2) <= 0 ? time1 : time2
}

/// The greater of the two by `CMTimeCompare`; the first where they are equal.
public func CMTimeMaximum(_ time1: CMTime, _ time2: CMTime) -> CMTime {
  CMTimeCompare(time1, time2) >= 0 ? time1 : time2
}

/// Whether the comparison holds: `CMTIME_COMPARE_INLINE(a, <=, b)`.
public func CMTIME_COMPARE_INLINE(_ time1: CMTime, _ comparator: (Int32, Int32) -> Bool, _ time2: CMTime) -> Bool {
  comparator(CMTimeCompare(time1, time2), 0)
}

extension CMTime: Comparable {
  public static func == (lhs: CMTime, rhs: CMTime) -> Bool { CMTimeCompare(lhs, rhs) == 0 }
  public static func < (lhs: CMTime, rhs: CMTime) -> Bool { CMTimeCompare(lhs, rhs) < 0 }
}

extension CMTime: Hashable {
  /// Times that are equal, such as 1/2 and 300/600, hash alike.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind.rawValue)
    guard isNumeric else { return }
    let divisor = greatestCommonDivisor(value.magnitude, UInt64(timescale))
    hasher.combine(value < 0)
    hasher.combine(value.magnitude / divisor)
    hasher.combine(UInt64(timescale) / divisor)
    hasher.combine(epoch)
  }
}

extension CMTime {
  public static func + (lhs: CMTime, rhs: CMTime) -> CMTime { CMTimeAdd(lhs, rhs) }
  public static func - (lhs: CMTime, rhs: CMTime) -> CMTime { CMTimeSubtract(lhs, rhs) }
  public static func += (lhs: inout CMTime, rhs: CMTime) { lhs = CMTimeAdd(lhs, rhs) }
  public static func -= (lhs: inout CMTime, rhs: CMTime) { lhs = CMTimeSubtract(lhs, rhs) }
  public static prefix func - (time: CMTime) -> CMTime { CMTimeMultiply(time, multiplier: -1) }
}
