public import CoreVideo
public import Foundation

public let kCMTimebaseError_MissingRequiredParameter: OSStatus = -12748
public let kCMTimebaseError_InvalidParameter: OSStatus = -12749
public let kCMTimebaseError_AllocationFailed: OSStatus = -12750

/// A time line that moves with a source at a rate that can be changed: the time of a player.
///
/// It starts at time zero and rate zero. Its time is the anchor's plus what has passed at the source since, times the
/// rate.
public final class CMTimebase: CMSyncProtocol, @unchecked Sendable {
  // Unchecked: `anchor` is guarded by the lock.
  let source: CMClockOrTimebase
  private let guardian = NSLock()
  private var anchor: Anchor

  /// A moment at which both times are known, and the rate since.
  struct Anchor {
    var time: CMTime
    var sourceTime: CMTime
    var rate: Double

    func time(at sourceTime: CMTime) -> CMTime {
      rate == 0 ? time : time + scaled(sourceTime - self.sourceTime, rate)
    }

    /// The source's time at which this time line shows `time`; invalid where it stands still.
    func sourceTime(at time: CMTime) -> CMTime {
      rate == 0 ? .invalid : sourceTime + scaled(time - self.time, 1 / rate)
    }

    private func scaled(_ time: CMTime, _ factor: Double) -> CMTime {
      factor == 1 ? time : CMTimeMultiplyByFloat64(time, multiplier: factor)
    }
  }

  init(source: CMClockOrTimebase) {
    self.source = source
    anchor = Anchor(time: .zero, sourceTime: source.time, rate: 0)
  }

  public convenience init(sourceClock: CMClock) throws { self.init(source: sourceClock) }
  public convenience init(sourceTimebase: CMTimebase) throws { self.init(source: sourceTimebase) }

  var current: Anchor { guardian.withLock { anchor } }

  public var time: CMTime {
    // The source first: it may be a timebase with a lock of its own.
    let now = source.time
    return current.time(at: now)
  }

  /// How fast the time moves against the source.
  public var rate: Double { current.rate }

  /// How fast the time moves against the clock that all comes from.
  public var effectiveRate: Double { rate * ((source as? CMTimebase)?.effectiveRate ?? 1) }

  public var sourceClock: CMClock? { source as? CMClock }
  public var sourceTimebase: CMTimebase? { source as? CMTimebase }

  /// Jumps to a time; the rate stays.
  public func setTime(_ time: CMTime) throws { try set(rate: nil, time: time, at: source.time) }

  /// Changes the rate from now on; the time does not jump.
  public func setRate(_ rate: Double) throws { try set(rate: rate, time: nil, at: source.time) }

  /// Sets which time goes with a time of the source, and the rate from there.
  public func setRate(_ rate: Double, anchorTime: CMTime, immediateSourceTime: CMTime) throws {
    try set(rate: rate, time: anchorTime, at: immediateSourceTime)
  }

  /// Sets which time goes with a time of the source; the rate stays.
  public func setAnchorTime(_ time: CMTime, immediateSourceTime: CMTime) throws {
    try set(rate: nil, time: time, at: immediateSourceTime)
  }

  private func set(rate: Double?, time: CMTime?, at sourceTime: CMTime) throws {
    guard sourceTime.isNumeric, time?.isNumeric ?? true, rate?.isFinite ?? true else { throw Error.invalidParameter }
    guardian.withLock {
      let time = time ?? anchor.time(at: sourceTime)
      anchor = Anchor(time: time, sourceTime: sourceTime, rate: rate ?? anchor.rate)
    }
  }

  /// Why a timebase was not set.
  public struct Error: Swift.Error, CustomNSError, Hashable, Sendable {
    public let code: OSStatus
    public init(code: OSStatus) { self.code = code }
    public static let invalidParameter = Error(code: kCMTimebaseError_InvalidParameter)
    public static var errorDomain: String { "CMTimebase.Error" }
    public var errorCode: Int { Int(code) }
  }
}

// MARK: - The C interface

/// Makes a timebase that moves with a clock, standing still at zero.
@discardableResult
public func CMTimebaseCreateWithSourceClock(
  allocator: CFAllocator?, sourceClock: CMClock, timebaseOut: UnsafeMutablePointer<CMTimebase?>
) -> OSStatus {
  timebaseOut.pointee = CMTimebase(source: sourceClock)
  return noErr
}

/// Makes a timebase that moves with another one, standing still at zero.
@discardableResult
public func CMTimebaseCreateWithSourceTimebase(
  allocator: CFAllocator?, sourceTimebase: CMTimebase, timebaseOut: UnsafeMutablePointer<CMTimebase?>
) -> OSStatus {
  timebaseOut.pointee = CMTimebase(source: sourceTimebase)
  return noErr
}

public func CMTimebaseGetTime(_ timebase: CMTimebase) -> CMTime { timebase.time }
public func CMTimebaseGetRate(_ timebase: CMTimebase) -> Double { timebase.rate }
public func CMTimebaseGetEffectiveRate(_ timebase: CMTimebase) -> Double { timebase.effectiveRate }

public func CMTimebaseGetTimeWithTimeScale(
  _ timebase: CMTimebase, timescale: CMTimeScale, method: CMTimeRoundingMethod
) -> CMTime {
  timebase.time.convertScale(timescale, method: method)
}

/// Jumps to a time. -12749 where it is no number.
@discardableResult
public func CMTimebaseSetTime(_ timebase: CMTimebase, time: CMTime) -> OSStatus {
  status { try timebase.setTime(time) }
}

/// Changes the rate from now on. -12749 where it is not finite.
@discardableResult
public func CMTimebaseSetRate(_ timebase: CMTimebase, rate: Double) -> OSStatus {
  status { try timebase.setRate(rate) }
}

@discardableResult
public func CMTimebaseSetAnchorTime(_ timebase: CMTimebase, timebaseTime: CMTime, immediateSourceTime: CMTime)
  -> OSStatus
{
  status { try timebase.setAnchorTime(timebaseTime, immediateSourceTime: immediateSourceTime) }
}

@discardableResult
public func CMTimebaseSetRateAndAnchorTime(
  _ timebase: CMTimebase, rate: Double, anchorTime: CMTime, immediateSourceTime: CMTime
) -> OSStatus {
  status { try timebase.setRate(rate, anchorTime: anchorTime, immediateSourceTime: immediateSourceTime) }
}

private func status(_ body: () throws -> Void) -> OSStatus {
  do {
    try body()
    return noErr
  } catch { return (error as? CMTimebase.Error)?.code ?? kCMTimebaseError_InvalidParameter }
}

// MARK: - Between time lines

public func CMSyncGetTime(_ clockOrTimebase: CMClockOrTimebase) -> CMTime { clockOrTimebase.time }

/// The time of `toClockOrTimebase` when `fromClockOrTimebase` shows `time`, if no rate changes until then; invalid
/// where the first stands still.
public func CMSyncConvertTime(
  _ time: CMTime, from fromClockOrTimebase: CMClockOrTimebase, to toClockOrTimebase: CMClockOrTimebase
) -> CMTime {
  if fromClockOrTimebase === toClockOrTimebase { return time }
  return fromClock(toClockTime(time, fromClockOrTimebase), toClockOrTimebase)
}

private func toClockTime(_ time: CMTime, _ line: CMClockOrTimebase) -> CMTime {
  guard let timebase = line as? CMTimebase else { return time }
  return toClockTime(timebase.current.sourceTime(at: time), timebase.source)
}

private func fromClock(_ time: CMTime, _ line: CMClockOrTimebase) -> CMTime {
  guard let timebase = line as? CMTimebase, time.isValid else { return time }
  return timebase.current.time(at: fromClock(time, timebase.source))
}
