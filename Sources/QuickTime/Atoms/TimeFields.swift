import Foundation

/// The times and durations of `mvhd`, `tkhd` and `mdhd`: 32 bits in version 0, 64 bits in version 1, all ones for unknown.
enum TimeFields {
  /// The smallest version that holds the duration and both dates.
  static func version(_ duration: Int64?, _ creation: Date?, _ modification: Date?) -> UInt8 {
    let dates = max(MovieDate.seconds(creation), MovieDate.seconds(modification))
    return duration ?? 0 < Int64(UInt32.max) && dates <= UInt64(UInt32.max) ? 0 : 1
  }
}

extension ByteReader {
  mutating func time(_ version: UInt8) throws(QuickTimeError) -> UInt64 {
    version == 1 ? try u64() : UInt64(try u32())
  }

  mutating func duration(_ version: UInt8) throws(QuickTimeError) -> Int64? {
    let place = self
    let duration = try time(version)
    guard duration != (version == 1 ? UInt64.max : UInt64(UInt32.max)) else { return nil }
    guard duration <= UInt64(ReadingLimit.time) else {
      throw place.malformed("has an impossible duration of \(duration) units")
    }
    return Int64(duration)
  }

  mutating func timescale() throws(QuickTimeError) -> Int32 {
    let place = self
    let timescale = try i32()
    guard timescale > 0 else { throw place.malformed("has an impossible time scale of \(timescale) units a second") }
    return timescale
  }
}

extension ByteWriter {
  mutating func time(_ value: UInt64, _ version: UInt8) {
    if version == 1 { u64(value) } else { u32(UInt32(truncatingIfNeeded: value)) }
  }

  mutating func duration(_ value: Int64?, _ version: UInt8) {
    time(value.map { UInt64(max(0, $0)) } ?? UInt64.max, version)
  }
}
