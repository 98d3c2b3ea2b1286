public typealias CMTimeValue = Int64
public typealias CMTimeScale = Int32
public typealias CMTimeEpoch = Int64

/// What a time is beside a number: whether it is valid, was rounded, or is one of the values without a number.
public struct CMTimeFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let valid = CMTimeFlags(rawValue: 1 << 0)
  public static let hasBeenRounded = CMTimeFlags(rawValue: 1 << 1)
  public static let positiveInfinity = CMTimeFlags(rawValue: 1 << 2)
  public static let negativeInfinity = CMTimeFlags(rawValue: 1 << 3)
  public static let indefinite = CMTimeFlags(rawValue: 1 << 4)
  /// The flags of a valid time that has no number.
  public static let impliedValueFlagsMask: CMTimeFlags = [.positiveInfinity, .negativeInfinity, .indefinite]
}

/// How `CMTimeConvertScale` rounds what does not fit the new time scale.
public enum CMTimeRoundingMethod: UInt32, Sendable, CaseIterable {
  case roundHalfAwayFromZero = 1
  case roundTowardZero = 2
  case roundAwayFromZero = 3
  /// Toward zero when going to a coarser time scale, away from zero to a finer one; a negative time never becomes zero.
  case quickTime = 4
  case roundTowardPositiveInfinity = 5
  case roundTowardNegativeInfinity = 6

  public static let `default` = CMTimeRoundingMethod.roundHalfAwayFromZero
}

/// A time as `value / timescale` seconds: an exact rational number, or invalid, indefinite or infinite.
///
/// `epoch` tells apart stretches of a time line whose distance is unknown (loops of one item, say); 0 is also the epoch
/// of durations. A numeric time scale is positive; a time that is flagged valid but has a time scale of zero or less
/// counts as invalid everywhere.
public struct CMTime: Sendable {
  public var value: CMTimeValue
  public var timescale: CMTimeScale
  public var flags: CMTimeFlags
  public var epoch: CMTimeEpoch

  /// An invalid time.
  public init() { self.init(value: 0, timescale: 0, flags: [], epoch: 0) }

  public init(value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch) {
    self.value = value
    self.timescale = timescale
    self.flags = flags
    self.epoch = epoch
  }

  /// `value / timescale` seconds; invalid where the time scale is not positive.
  public init(value: CMTimeValue, timescale: CMTimeScale) {
    self = CMTimeMakeWithEpoch(value: value, timescale: timescale, epoch: 0)
  }

  /// The time nearest to `seconds` in `preferredTimescale`; see `CMTimeMakeWithSeconds`.
  public init(seconds: Double, preferredTimescale: CMTimeScale) {
    self = CMTimeMakeWithSeconds(seconds, preferredTimescale: preferredTimescale)
  }

  public static let invalid = CMTime()
  public static let indefinite = CMTime(value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
  public static let positiveInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
  public static let negativeInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)
  public static let zero = CMTime(value: 0, timescale: 1, flags: .valid, epoch: 0)
}

public let kCMTimeInvalid = CMTime.invalid
public let kCMTimeIndefinite = CMTime.indefinite
public let kCMTimePositiveInfinity = CMTime.positiveInfinity
public let kCMTimeNegativeInfinity = CMTime.negativeInfinity
public let kCMTimeZero = CMTime.zero
public let kCMTimeMaxTimescale: CMTimeScale = 0x7fff_ffff

// MARK: - What a time is

extension CMTime {
  public var isValid: Bool { kind != .invalid }
  public var isPositiveInfinity: Bool { kind == .positiveInfinity }
  public var isNegativeInfinity: Bool { kind == .negativeInfinity }
  public var isIndefinite: Bool { kind == .indefinite }
  /// Valid and a number: neither infinite nor indefinite.
  public var isNumeric: Bool { kind == .numeric }
  public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }
  /// The time in seconds as the nearest `Double`; NaN where invalid or indefinite. The epoch does not count.
  public var seconds: Double { CMTimeGetSeconds(self) }

  /// The five kinds of time, in the order in which they compare.
  enum Kind: Int { case negativeInfinity, numeric, indefinite, positiveInfinity, invalid }

  var kind: Kind {
    guard flags.contains(.valid) else { return .invalid }
    if flags.contains(.positiveInfinity) { return .positiveInfinity }
    if flags.contains(.negativeInfinity) { return .negativeInfinity }
    if flags.contains(.indefinite) { return .indefinite }
    return timescale > 0 ? .numeric : .invalid
  }
}

public func CMTIME_IS_VALID(_ time: CMTime) -> Bool { time.isValid }
public func CMTIME_IS_INVALID(_ time: CMTime) -> Bool { !time.isValid }
public func CMTIME_IS_POSITIVEINFINITY(_ time: CMTime) -> Bool { time.isPositiveInfinity }
public func CMTIME_IS_NEGATIVEINFINITY(_ time: CMTime) -> Bool { time.isNegativeInfinity }
public func CMTIME_IS_POSITIVE_INFINITY(_ time: CMTime) -> Bool { time.isPositiveInfinity }
public func CMTIME_IS_NEGATIVE_INFINITY(_ time: CMTime) -> Bool { time.isNegativeInfinity }
public func CMTIME_IS_INDEFINITE(_ time: CMTime) -> Bool { time.isIndefinite }
public func CMTIME_IS_NUMERIC(_ time: CMTime) -> Bool { time.isNumeric }
public func CMTIME_HAS_BEEN_ROUNDED(_ time: CMTime) -> Bool { time.hasBeenRounded }

// MARK: - Making and reading

/// `value / timescale` seconds in epoch 0; invalid where the time scale is not positive.
public func CMTimeMake(value: CMTimeValue, timescale: CMTimeScale) -> CMTime {
  CMTimeMakeWithEpoch(value: value, timescale: timescale, epoch: 0)
}

/// `value / timescale` seconds in `epoch`; invalid where the time scale is not positive.
public func CMTimeMakeWithEpoch(value: CMTimeValue, timescale: CMTimeScale, epoch: CMTimeEpoch) -> CMTime {
  guard timescale > 0 else { return .invalid }
  return CMTime(value: value, timescale: timescale, flags: .valid, epoch: epoch)
}

/// The time in seconds as the nearest `Double`; ±infinity for the infinities, NaN where invalid or indefinite.
public func CMTimeGetSeconds(_ time: CMTime) -> Double {
  switch time.kind {
  case .numeric: Double(time.value) / Double(time.timescale)
  case .positiveInfinity: .infinity
  case .negativeInfinity: -.infinity
  case .invalid, .indefinite: .nan
  }
}
