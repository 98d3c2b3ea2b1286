import CoreMedia
import CoreVideo
import Foundation

/// The 10-bit codes of one frame of a disparity track, in the orientation in which they are stored.
struct DisparityPicture {
  /// When it is shown.
  let time: CMTime
  let width: Int
  let height: Int
  private let codes: [UInt16]

  /// Takes a buffer in the format L010, whose codes are in the high bits.
  init(_ buffer: CVPixelBuffer, time: CMTime) {
    self.time = time
    (width, height, codes) = buffer.withPlane(0, readOnly: true) { base, pitch, width, height in
      var codes: [UInt16] = []
      codes.reserveCapacity(width * height)
      for row in 0..<height {
        let line = (base + row * pitch).assumingMemoryBound(to: UInt16.self)
        for column in 0..<width { codes.append(line[column] >> 6) }
      }
      return (width, height, codes)
    }
  }

  /// The codes of a block that lies in the picture, by rows.
  func codes(columns: Range<Int>, rows: Range<Int>) -> [UInt16] {
    rows.flatMap { codes[$0 * width + columns.lowerBound..<$0 * width + columns.upperBound] }
  }

  /// The samples of a normalised rectangle, clipped to the picture; at least one where any of it lies inside.
  func codes(in rectangle: CGRect) -> [UInt16] {
    let columns = Self.range(rectangle.minX, rectangle.maxX, width)
    let rows = Self.range(rectangle.minY, rectangle.maxY, height)
    return codes(columns: columns, rows: rows)
  }

  private static func range(_ low: CGFloat, _ high: CGFloat, _ count: Int) -> Range<Int> {
    guard low.isFinite, high.isFinite, high >= 0, low <= 1, low <= high else { return 0..<0 }
    let first = min(count - 1, max(0, Int((max(low, 0) * CGFloat(count)).rounded(.down))))
    let last = min(count, max(first + 1, Int((min(high, 1) * CGFloat(count)).rounded(.up))))
    return first..<last
  }
}
