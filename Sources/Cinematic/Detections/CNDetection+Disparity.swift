public import CoreMedia
package import QuickTime

extension CNDetection {
  /// The disparity that focuses on the thing in a rectangle.
  ///
  /// It is the median of the valid disparities in the rectangle's middle half (half its width and half its height). Where a fifth of them
  /// lie near the prior disparity, only those count, so that the focus does not jump to another thing in the same rectangle.
  ///
  /// - Parameters:
  ///   - rect: From (0, 0) at the top left of the buffer to (1, 1) at its bottom right.
  ///   - sourceDisparity: Disparities (`hdis`, `fdis`, `L00h`, `L00f`), depths in metres (`hdep`, `fdep`), or codes of a disparity track
  ///     with the range (0, 16) (`L008`, `L010`, `L012`, `L016`).
  ///   - detectionType: What the thing is; `.unknown` is allowed. The result does not depend on it.
  ///   - priorDisparity: Where the thing was focused a moment ago; nil if that is not known.
  /// - Returns: NaN where nothing is valid and there is no prior; the prior where nothing else is.
  public static func disparity(
    in rect: CGRect, sourceDisparity: CVPixelBuffer, detectionType: CNDetectionType, priorDisparity: Float?
  ) -> Float {
    disparity(in: rect, sourceDisparity: sourceDisparity, priorDisparity: priorDisparity, coding: .standard)
  }

  /// The same for codes of another range.
  package static func disparity(
    in rect: CGRect, sourceDisparity: CVPixelBuffer, priorDisparity: Float?, coding: DisparityCoding
  ) -> Float {
    let samples = DisparitySamples(rect, sourceDisparity, coding).valid
    let prior = priorDisparity.flatMap { isValidDisparity($0) ? $0 : nil }
    guard !samples.isEmpty else { return prior ?? .nan }
    guard let prior else { return median(samples) }
    // Both a share, for near things, and a step, for far ones.
    let reach = max(0.15 * prior, 0.05)
    let near = samples.filter { abs($0 - prior) <= reach }
    return median(near.count * 5 >= samples.count ? near : samples)
  }

  private static func median(_ values: [Float]) -> Float { values.sorted()[values.count / 2] }
}

/// The samples of a disparity buffer inside the middle half of a rectangle.
private struct DisparitySamples {
  private(set) var valid: [Float] = []

  init(_ rect: CGRect, _ buffer: CVPixelBuffer, _ coding: DisparityCoding) {
    guard let read = Self.reader(CVPixelBufferGetPixelFormatType(buffer), coding), !rect.isNull, !rect.isInfinite else {
      return
    }
    let standard = rect.standardized
    buffer.withPlane(0, readOnly: true) { base, bytesPerRow, width, height in
      let columns = Self.middle(Double(standard.minX), Double(standard.width), width)
      let rows = Self.middle(Double(standard.minY), Double(standard.height), height)
      valid.reserveCapacity(columns.count * rows.count)
      for y in rows {
        for x in columns {
          let value = read(base + y * bytesPerRow, x)
          if CNDetection.isValidDisparity(value) { valid.append(value) }
        }
      }
    }
  }

  /// The pixels with centres in the middle half of an edge; at least the one in the middle, as far as it lies in the buffer.
  private static func middle(_ start: Double, _ length: Double, _ count: Int) -> Range<Int> {
    let low = (start + length / 4) * Double(count)
    let high = (start + length * 3 / 4) * Double(count)
    guard low.isFinite, high.isFinite, low < Double(count), high >= 0 else { return 0..<0 }
    let first = Int(max((low - 0.5).rounded(.up), 0))
    let end = Int(min((high - 0.5).rounded(.up), Double(count)))
    if first < end { return first..<end }
    let centre = Int(min(max((low + high) / 2, 0), Double(count - 1)))
    return count > 0 ? centre..<centre + 1 : 0..<0
  }

  /// Reads the sample of a row at a column; nil for a format that holds no disparities.
  private static func reader(
    _ format: OSType, _ coding: DisparityCoding
  ) -> ((UnsafeMutableRawPointer, Int) -> Float)? {
    switch format {
    case kCVPixelFormatType_DisparityFloat32, kCVPixelFormatType_OneComponent32Float: { $0.float($1) }
    case kCVPixelFormatType_DisparityFloat16, kCVPixelFormatType_OneComponent16Half: { $0.half($1) }
    case kCVPixelFormatType_DepthFloat32: { 1 / $0.float($1) }
    case kCVPixelFormatType_DepthFloat16: { 1 / $0.half($1) }
    case kCVPixelFormatType_OneComponent8: { coding.disparity(share: Float($0.byte($1)) / 255) }
    case kCVPixelFormatType_OneComponent10: { coding.disparity(share: Float($0.word($1) >> 6) / 1023) }
    case kCVPixelFormatType_OneComponent12: { coding.disparity(share: Float($0.word($1) >> 4) / 4095) }
    case kCVPixelFormatType_OneComponent16: { coding.disparity(share: Float($0.word($1)) / 65_535) }
    default: nil
    }
  }
}

extension UnsafeMutableRawPointer {
  fileprivate func byte(_ index: Int) -> UInt8 { load(fromByteOffset: index, as: UInt8.self) }
  fileprivate func word(_ index: Int) -> UInt16 { loadUnaligned(fromByteOffset: index * 2, as: UInt16.self) }
  fileprivate func half(_ index: Int) -> Float { Float(loadUnaligned(fromByteOffset: index * 2, as: Float16.self)) }
  fileprivate func float(_ index: Int) -> Float { loadUnaligned(fromByteOffset: index * 4, as: Float.self) }
}
