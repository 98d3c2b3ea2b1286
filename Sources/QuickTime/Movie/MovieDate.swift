import Foundation

/// Dates of headers: seconds since 1904-01-01 in universal time; 0 means unknown.
enum MovieDate {
  private static let secondsTo1970: Int64 = 2_082_844_800

  static func date(_ seconds: UInt64) -> Date? {
    guard seconds != 0, seconds < 1 << 40 else { return nil }
    return Date(timeIntervalSince1970: Double(Int64(seconds) - secondsTo1970))
  }

  static func seconds(_ date: Date?) -> UInt64 {
    guard let date else { return 0 }
    let seconds = date.timeIntervalSince1970.rounded(.down) + Double(secondsTo1970)
    return seconds.isFinite && seconds > 0 && seconds < Double(UInt64(1) << 40) ? UInt64(seconds) : 0
  }
}
