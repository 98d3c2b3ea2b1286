public import CoreVideo
internal import Foundation

/// What tells time: a clock or a timebase.
public protocol CMSyncProtocol: AnyObject, Sendable {
  /// The time now.
  var time: CMTime { get }
}

public typealias CMClockOrTimebase = any CMSyncProtocol

public let kCMClockError_MissingRequiredParameter: OSStatus = -12745
public let kCMClockError_InvalidParameter: OSStatus = -12746
public let kCMClockError_AllocationFailed: OSStatus = -12747
public let kCMClockError_UnsupportedOperation: OSStatus = -12756

/// A source of time that moves on at the rate 1. There is one, the machine's monotonic clock.
public final class CMClock: CMSyncProtocol, Hashable {
  /// The machine's clock: nanoseconds since some moment before, usually its start; it never jumps.
  public static let hostTimeClock = CMClock()

  private init() {}

  public var time: CMTime {
    CMTime(value: Int64(clamping: DispatchTime.now().uptimeNanoseconds), timescale: 1_000_000_000)
  }

  public static func == (lhs: CMClock, rhs: CMClock) -> Bool { lhs === rhs }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

public func CMClockGetHostTimeClock() -> CMClock { .hostTimeClock }
public func CMClockGetTime(_ clock: CMClock) -> CMTime { clock.time }

/// The host time of a number of nanoseconds, the system's unit here.
public func CMClockMakeHostTimeFromSystemUnits(_ hostTime: UInt64) -> CMTime {
  guard let value = Int64(exactly: hostTime) else { return .positiveInfinity }
  return CMTime(value: value, timescale: 1_000_000_000)
}

/// The nanoseconds of a host time; 0 where it is negative, the largest number where it does not fit or is infinite.
public func CMClockConvertHostTimeToSystemUnits(_ hostTime: CMTime) -> UInt64 {
  let time = hostTime.convertScale(1_000_000_000, method: .default)
  if time.isPositiveInfinity { return .max }
  return time.isNumeric ? UInt64(clamping: time.value) : 0
}

/// Two clocks may drift apart unless they are one.
public func CMClockMightDrift(_ clock: CMClock, otherClock: CMClock) -> Bool { clock != otherClock }
