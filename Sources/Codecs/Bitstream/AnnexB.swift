internal import Foundation

/// The byte stream of H.264 and H.265, Annex B: start codes 0, 0, 1 between NAL units.
enum AnnexB {
  /// The NAL units of a byte stream, without start codes and trailing zeros; slices of `stream`, in order.
  static func units(in stream: Data) -> [Data] {
    let starts = startCodes(in: stream)
    return starts.indices.compactMap { index in
      let begin = starts[index] + 3
      var end = index + 1 < starts.count ? starts[index + 1] : stream.endIndex
      while end > begin, stream[end - 1] == 0 { end -= 1 }
      return end > begin ? stream[begin..<end] : nil
    }
  }

  /// Where each 0, 0, 1 begins.
  private static func startCodes(in stream: Data) -> [Int] {
    let offsets: [Int] = stream.withUnsafeBytes { bytes in
      var found: [Int] = []
      var index = 2
      while index < bytes.count {
        // The third byte decides how far the next start code can be.
        switch bytes[index] {
        case 0: index += 1
        case 1 where bytes[index - 1] == 0 && bytes[index - 2] == 0:
          found.append(index - 2)
          index += 3
        default: index += 3
        }
      }
      return found
    }
    return offsets.map { $0 + stream.startIndex }
  }

  /// The same units as stored in a movie: each with its length, 4 bytes big-endian, in front.
  static func lengthPrefixed(_ units: [Data]) -> Data {
    var out = Data(capacity: units.reduce(0) { $0 + $1.count + 4 })
    for unit in units {
      out.append(bigEndian: UInt32(unit.count))
      out.append(unit)
    }
    return out
  }
}

extension Data {
  mutating func append(bigEndian value: UInt32) {
    append(contentsOf: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) })
  }

  mutating func append(bigEndian value: UInt16) {
    append(contentsOf: [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)])
  }
}
