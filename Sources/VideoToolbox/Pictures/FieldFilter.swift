internal import CoreMedia
internal import CoreVideo
internal import Foundation

/// Makes a progressive picture of one whose rows are two fields, woven.
enum FieldFilter {
  /// `target` has the format and width of `source`, and half its height, rounded up, where one field is taken.
  ///
  /// - Throws: `SessionError` for formats whose samples are not known.
  static func apply(_ fields: SessionSettings.Fields, _ source: CVPixelBuffer, to target: CVPixelBuffer) throws {
    guard let format = source.format, let mean = RowMean(format) else {
      throw SessionError(status: kVTPixelTransferNotSupportedErr)
    }
    for plane in format.planes.indices {
      let bytes = format.rowByteCount(plane, width: CVPixelBufferGetWidth(source))
      source.withPlane(plane, readOnly: true) { from, fromPitch, _, height in
        target.withPlane(plane, readOnly: false) { to, toPitch, _, rows in
          func row(_ index: Int) -> UnsafeRawPointer {
            UnsafeRawPointer(from + max(0, min(index, height - 1)) * fromPitch)
          }
          for y in 0..<rows {
            if fields == .deinterlaced {
              mean.write(row(y - 1), row(y), row(y + 1), to + y * toPitch, byteCount: bytes)
            } else {
              (to + y * toPitch).copyMemory(from: row(2 * y + firstRow(fields, source)), byteCount: bytes)
            }
          }
        }
      }
    }
    tag(target, like: source, isHalf: fields.isHalf)
  }

  /// 0 where the top field is taken.
  private static func firstRow(_ fields: SessionSettings.Fields, _ picture: CVPixelBuffer) -> Int {
    switch fields {
    case .bottomOnly: return 1
    case .single:
      let detail = CVBufferCopyAttachment(picture, kCVImageBufferFieldDetailKey, nil) as? String
      let late = [
        kCMFormatDescriptionFieldDetail_SpatialFirstLineLate, kCMFormatDescriptionFieldDetail_TemporalBottomFirst,
      ]
      return detail.map(late.contains) == true ? 1 : 0
    default: return 0
    }
  }

  private static func tag(_ target: CVPixelBuffer, like source: CVPixelBuffer, isHalf: Bool) {
    CVBufferPropagateAttachments(source, target)
    CVBufferRemoveAttachment(target, kCVImageBufferFieldDetailKey)
    CVBufferSetAttachment(target, kCVImageBufferFieldCountKey, 1, .shouldPropagate)
    if isHalf { PictureGeometry.scale(target, from: source) }
  }
}

extension PixelFormat {
  /// Bytes of the visible part of a plane's rows.
  func rowByteCount(_ plane: Int, width: Int) -> Int {
    let shape = planes[plane]
    let columns = shape.size(width: width, height: 1).width
    return (columns + shape.blockWidth - 1) / shape.blockWidth * shape.bytesPerBlock
  }
}

/// A quarter of either neighbour and half of the row itself, sample by sample.
private struct RowMean {
  private enum Sample { case byte, word(UInt16), bigEndianWord, half, float, tenBits }
  private let sample: Sample

  init?(_ format: PixelFormat) {
    switch format.sample {
    case .uint8: sample = .byte
    case .uint16: sample = .word(0xFFFF)
    case .uint10InUpperBits: sample = .word(0xFFC0)
    case .uint12InUpperBits: sample = .word(0xFFF0)
    case .uint16BigEndian: sample = .bigEndianWord
    case .half: sample = .half
    case .float: sample = .float
    case .packed10:
      // Of v410 the fields lie elsewhere in the word.
      guard format.code == kCVPixelFormatType_422YpCbCr10 else { return nil }
      sample = .tenBits
    }
  }

  private typealias Rows = (UnsafeRawPointer, UnsafeRawPointer, UnsafeRawPointer)

  func write(
    _ above: UnsafeRawPointer, _ row: UnsafeRawPointer, _ below: UnsafeRawPointer, _ out: UnsafeMutableRawPointer,
    byteCount: Int
  ) {
    let rows = (above, row, below)
    switch sample {
    case .byte:
      each(rows, out, byteCount) { (a: UInt8, b, c) in UInt8((UInt32(a) + 2 * UInt32(b) + UInt32(c) + 2) / 4) }
    case .word(let mask): each(rows, out, byteCount) { (a: UInt16, b, c) in mean(a, b, c) & mask }
    case .bigEndianWord:
      each(rows, out, byteCount) { (a: UInt16, b, c) in mean(a.byteSwapped, b.byteSwapped, c.byteSwapped).byteSwapped }
    case .half: each(rows, out, byteCount) { (a: Float16, b, c) in Float16((Float(a) + 2 * Float(b) + Float(c)) / 4) }
    case .float: each(rows, out, byteCount) { (a: Float, b, c) in (a + 2 * b + c) / 4 }
    case .tenBits: each(rows, out, byteCount) { (a: UInt32, b, c) in tenBits(a, b, c) }
    }
  }

  private func each<Value>(
    _ rows: Rows, _ out: UnsafeMutableRawPointer, _ byteCount: Int, _ mean: (Value, Value, Value) -> Value
  ) {
    let (a, b, c) = (
      rows.0.assumingMemoryBound(to: Value.self), rows.1.assumingMemoryBound(to: Value.self),
      rows.2.assumingMemoryBound(to: Value.self)
    )
    let target = out.assumingMemoryBound(to: Value.self)
    for index in 0..<byteCount / MemoryLayout<Value>.size { target[index] = mean(a[index], b[index], c[index]) }
  }

  private func mean(_ a: UInt16, _ b: UInt16, _ c: UInt16) -> UInt16 {
    UInt16((UInt32(a) + 2 * UInt32(b) + UInt32(c) + 2) / 4)
  }

  private func tenBits(_ a: UInt32, _ b: UInt32, _ c: UInt32) -> UInt32 {
    var word: UInt32 = 0
    for shift in [UInt32(0), 10, 20] {
      let sum = (a >> shift & 0x3FF) + 2 * (b >> shift & 0x3FF) + (c >> shift & 0x3FF) + 2
      word |= sum / 4 << shift
    }
    return word
  }
}
