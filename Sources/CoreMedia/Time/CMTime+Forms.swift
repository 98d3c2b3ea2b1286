public import CoreVideo

public let kCMTimeValueKey: CFString = "value"
public let kCMTimeScaleKey: CFString = "timescale"
public let kCMTimeEpochKey: CFString = "epoch"
public let kCMTimeFlagsKey: CFString = "flags"

/// The four fields of the time as a dictionary of integers, for property lists.
public func CMTimeCopyAsDictionary(_ time: CMTime, allocator: CFAllocator?) -> CFDictionary? {
  [
    kCMTimeValueKey: Int(time.value), kCMTimeScaleKey: Int(time.timescale), kCMTimeEpochKey: Int(time.epoch),
    kCMTimeFlagsKey: Int(time.flags.rawValue),
  ]
}

/// The time that `CMTimeCopyAsDictionary` wrote; invalid where a field is missing or does not fit.
public func CMTimeMakeFromDictionary(_ dictionaryRepresentation: CFDictionary?) -> CMTime {
  guard let dictionary = dictionaryRepresentation,
    let value = integer(dictionary[kCMTimeValueKey]),
    let timescale = integer(dictionary[kCMTimeScaleKey]).flatMap(CMTimeScale.init(exactly:)),
    let epoch = integer(dictionary[kCMTimeEpochKey]),
    let flags = integer(dictionary[kCMTimeFlagsKey]).flatMap(UInt32.init(exactly:))
  else { return .invalid }
  return CMTime(value: Int64(value), timescale: timescale, flags: CMTimeFlags(rawValue: flags), epoch: Int64(epoch))
}

/// The time for people: `{300/600 = 0.500}`, `{1/3 = 0.333, rounded}`, `{+INFINITY}`, `{INVALID}`.
public func CMTimeCopyDescription(allocator: CFAllocator?, time: CMTime) -> CFString? { time.description }

/// Prints the time's description on a line of standard output.
public func CMTimeShow(_ time: CMTime) { print(time.description) }

extension CMTime: CustomStringConvertible {
  public var description: String {
    switch kind {
    case .invalid: return "{INVALID}"
    case .indefinite: return "{INDEFINITE}"
    case .positiveInfinity: return "{+INFINITY}"
    case .negativeInfinity: return "{-INFINITY}"
    case .numeric: break
    }
    let thousandths = CMTimeConvertScale(self, timescale: 1000, method: .default)
    let number = thousandths.isNumeric ? decimal(thousandths.value) : "\(seconds)"
    return
      "{\(value)/\(timescale) = \(number)\(epoch == 0 ? "" : ", epoch \(epoch)")\(hasBeenRounded ? ", rounded" : "")}"
  }

  private func decimal(_ thousandths: Int64) -> String {
    let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
    return "\(value < 0 ? "-" : "")\(whole)." + String(String(1000 + rest).dropFirst())
  }
}
