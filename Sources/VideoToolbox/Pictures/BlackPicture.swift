internal import Codecs
internal import CoreVideo

/// Opaque black, in any pixel format with colour or grey.
enum BlackPicture {
  /// - Throws: `SessionError` for formats whose samples are not known.
  static func fill(_ buffer: CVPixelBuffer) throws {
    guard let format = buffer.format, !format.isOpaque else {
      throw SessionError(status: kVTPixelTransferNotSupportedErr)
    }
    for (index, plane) in format.planes.enumerated() {
      let block = try bytes(of: plane, format)
      buffer.withPlane(index, readOnly: false) { base, pitch, width, height in
        let blocks = (width + plane.blockWidth - 1) / plane.blockWidth
        for row in 0..<height {
          let row = (base + row * pitch).assumingMemoryBound(to: UInt8.self)
          for place in 0..<blocks * block.count { row[place] = block[place % block.count] }
        }
      }
    }
  }

  private static func bytes(of plane: PixelFormat.Plane, _ format: PixelFormat) throws -> [UInt8] {
    if format.sample == .packed10 { return try packed(format) }
    return plane.components.flatMap { bytes(of: share($0, format), $0, format) }
  }

  /// v210: six pixels in four words, chroma and luma in turn.
  private static func packed(_ format: PixelFormat) throws -> [UInt8] {
    guard format.code == kCVPixelFormatType_422YpCbCr10 else {
      throw SessionError(status: kVTPixelTransferNotSupportedErr)
    }
    let codes: [UInt32] = [512, 64, 512, 64, 512, 64, 512, 64, 512, 64, 512, 64]
    return stride(from: 0, to: 12, by: 3).flatMap { first in
      littleEndian(codes[first] | codes[first + 1] << 10 | codes[first + 2] << 20)
    }
  }

  /// The component's value, in 1/256 of the codes where the format is integer.
  private static func share(_ component: PixelFormat.Component, _ format: PixelFormat) -> Double {
    switch component {
    case .alpha: 256
    case .chromaBlue, .chromaRed: 128
    case .luma: format.isYCbCr && !format.isFullRange ? 16 : 0
    default: 0
    }
  }

  private static func bytes(
    of share: Double, _ component: PixelFormat.Component, _ format: PixelFormat
  ) -> [UInt8] {
    let bits = format.bitsPerComponent
    let code = share >= 256 ? UInt16(truncatingIfNeeded: 1 << bits - 1) : UInt16(share * Double(1 << (bits - 8)))
    switch format.sample {
    case .uint8: return [UInt8(truncatingIfNeeded: code)]
    case .uint16: return littleEndian(code)
    case .uint10InUpperBits, .uint12InUpperBits: return littleEndian(code << UInt16(16 - bits))
    case .uint16BigEndian: return littleEndian(code.bigEndian)
    // Floats of Y'CbCr have chroma around 0.
    case .half: return littleEndian(Float16(share >= 256 ? 1 : 0).bitPattern)
    case .float: return littleEndian(Float(share >= 256 ? 1 : 0).bitPattern)
    case .packed10: return []
    }
  }

  private static func littleEndian<Word: FixedWidthInteger>(_ word: Word) -> [UInt8] {
    withUnsafeBytes(of: word.littleEndian) { Array($0) }
  }
}
