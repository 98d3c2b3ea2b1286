package import CoreMedia
import Foundation

extension CMTime {
  /// Seconds as a fraction in lowest terms, `n/d` with d ≥ 1: exact, and equal for equal times. Nil for a time that is no
  /// number.
  package var fractionText: String? {
    guard isNumeric, timescale > 0 else { return nil }
    let divisor = Int64(clamping: Self.greatestDivisor(value.magnitude, UInt64(timescale)))
    return "\(value / divisor)/\(Int64(timescale) / divisor)"
  }

  /// For people: `m:ss.mmm`, or `h:mm:ss.mmm` from an hour on, to the nearest millisecond.
  package var clockText: String {
    guard isNumeric else { return "unknown" }
    let milliseconds = CMTimeConvertScale(self, timescale: 1000, method: .roundHalfAwayFromZero).value
    let sign = milliseconds < 0 ? "-" : "", total = milliseconds.magnitude
    let (hours, minutes) = (total / 3_600_000, total / 60_000 % 60)
    let seconds = String(format: "%02d.%03d", Int(total / 1000 % 60), Int(total % 1000))
    let lead = hours > 0 ? "\(hours):" + String(format: "%02d", Int(minutes)) : "\(minutes)"
    return "\(sign)\(lead):\(seconds)"
  }

  private static func greatestDivisor(_ first: UInt64, _ second: UInt64) -> UInt64 {
    var (a, b) = (first, second)
    while b != 0 { (a, b) = (b, a % b) }
    return max(a, 1)
  }
}

extension JSON {
  /// A time as `"n/d"` seconds; null for a time that is no number.
  package static func time(_ time: CMTime) -> JSON { optional(time.fractionText) { .string($0) } }
}
