import Codecs
import CoreMedia
import CoreVideo
import Foundation

/// Pictures whose every code follows from a formula.
enum TestPicture {
  /// A code of a component at a place, as a share of the code range from 0 to 1: slow waves, so that lossy codecs hold
  /// them closely.
  static func share(_ component: Int, _ x: Int, _ y: Int, _ frame: Int) -> Double {
    let phase = Double(x * (component + 2) + y * 3 + frame * 4) / 40
    return 0.5 + 0.45 * sin(phase) * cos(Double(y + component * 7) / 30)
  }

  /// A buffer of the format filled by the formula.
  static func make(_ width: Int, _ height: Int, _ format: OSType, frame: Int = 0) throws -> CVPixelBuffer {
    let buffer = try CVBuffer.make(width: width, height: height, format: format)
    guard let description = PixelFormat.description(of: format) else { preconditionFailure("unknown format") }
    for plane in description.planes.indices { fill(buffer, description, plane, frame) }
    return buffer
  }

  private static func fill(_ buffer: CVPixelBuffer, _ format: PixelFormat, _ plane: Int, _ frame: Int) {
    let layout = format.planes[plane]
    let size = layout.size(width: CVPixelBufferGetWidth(buffer), height: CVPixelBufferGetHeight(buffer))
    buffer.withPlane(plane, readOnly: false) { base, pitch, _, _ in
      for y in 0..<size.height {
        for x in 0..<size.width / layout.blockWidth {
          for (index, component) in layout.components.enumerated() {
            let value = share(plane + index, x, y, frame)
            store(
              value, format, component, base + y * pitch, x * layout.components.count + index)
          }
        }
      }
    }
  }

  private static func store(
    _ share: Double, _ format: PixelFormat, _ component: PixelFormat.Component, _ row: UnsafeMutableRawPointer,
    _ index: Int
  ) {
    let isVideo = format.isYCbCr && !format.isFullRange && component != .alpha
    let top = component == .luma ? 235.0 : 240.0
    func code(_ bits: Int) -> UInt16 {
      let unit = Double(1 << (bits - 8))
      let value = isVideo ? (16 + share * (top - 16)) * unit : share * Double(1 << bits - 1)
      return UInt16(value.rounded())
    }
    switch format.sample {
    case .uint8: row.storeBytes(of: UInt8(code(8)), toByteOffset: index, as: UInt8.self)
    case .uint16: row.storeBytes(of: code(16), toByteOffset: index * 2, as: UInt16.self)
    case .uint16BigEndian: row.storeBytes(of: code(16).bigEndian, toByteOffset: index * 2, as: UInt16.self)
    case .uint10InUpperBits: row.storeBytes(of: code(10) << 6, toByteOffset: index * 2, as: UInt16.self)
    case .uint12InUpperBits: row.storeBytes(of: code(12) << 4, toByteOffset: index * 2, as: UInt16.self)
    case .half: row.storeBytes(of: Float16(share), toByteOffset: index * 2, as: Float16.self)
    case .float: row.storeBytes(of: Float(share), toByteOffset: index * 4, as: Float.self)
    case .packed10: preconditionFailure("packed formats are made by conversion")
    }
  }
}

extension CVBuffer {
  /// The meaningful bytes of a plane, rows after each other.
  func bytes(ofPlane plane: Int) -> [UInt8] {
    let format = PixelFormat.description(of: CVPixelBufferGetPixelFormatType(self))!
    let layout = format.planes[plane]
    let size = layout.size(width: CVPixelBufferGetWidth(self), height: CVPixelBufferGetHeight(self))
    let blocks = (size.width + layout.blockWidth - 1) / layout.blockWidth
    return withPlane(plane, readOnly: true) { base, pitch, _, _ in
      (0..<size.height).flatMap { row in
        UnsafeRawBufferPointer(start: base + row * pitch, count: blocks * layout.bytesPerBlock)
      }
    }
  }

  var allBytes: [[UInt8]] { (0..<max(1, CVPixelBufferGetPlaneCount(self))).map(bytes) }

  /// 16-bit elements of a plane, rows after each other.
  func words(ofPlane plane: Int) -> [UInt16] {
    bytes(ofPlane: plane).withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
  }

  var formatName: String { fourCharacterString(CVPixelBufferGetPixelFormatType(self)) }
}

/// Whether two buffers have the same format and codes; a test that says no prints no megabytes.
func haveSameCodes(_ a: CVPixelBuffer, _ b: CVPixelBuffer) -> Bool {
  a.formatName == b.formatName && a.allBytes == b.allBytes
}

/// The largest difference of two rows of codes.
func largestDifference<Code: BinaryInteger>(_ a: [Code], _ b: [Code]) -> Int {
  guard a.count == b.count else { return .max }
  return zip(a, b).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
}

/// Everything through an encoder.
func encodeAll(
  _ settings: VideoEncoderSettings, _ frames: [(CVPixelBuffer, CMTime)], duration: CMTime = .invalid
) throws -> [CMSampleBuffer] {
  let encoder = try VideoEncoder(settings)
  var samples: [CMSampleBuffer] = []
  for (buffer, time) in frames {
    samples += try encoder.encode(buffer, presentationTime: time, duration: duration)
  }
  return samples + (try encoder.finish())
}

/// Everything through a decoder.
func decodeAll(
  _ samples: [CMSampleBuffer], options: VideoDecoder.Options = .init()
) throws -> [DecodedFrame] {
  guard let format = samples.first?.formatDescription else { return [] }
  let decoder = try VideoDecoder(formatDescription: format, options: options)
  return try samples.flatMap { try decoder.decode($0) } + decoder.finish()
}
