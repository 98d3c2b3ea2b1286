import CPNG
package import CoreVideo
import Foundation

/// PNG pictures by libpng: grey, RGB and RGBA in 8 and 16 bits a sample.
package enum PNGFile {
  package enum Color: Sendable {
    case sRGB
    /// Numbers that are no colours, such as disparity.
    case untagged
  }

  /// Writes a picture of the format L008, L016, L010 (its codes shifted as they are stored), BGRA, or 64-bit RGBA (`l64r`).
  ///
  /// BGRA is written as RGB; the alpha is left out. So is that of `l64r` where `keepsAlpha` is false.
  package static func write(
    _ buffer: CVPixelBuffer, to url: URL, color: Color = .sRGB, keepsAlpha: Bool = true
  ) throws(ImageFileError) {
    let layout = try Layout(CVPixelBufferGetPixelFormatType(buffer), keepsAlpha: keepsAlpha)
    var header = cpng_header(
      width: UInt32(buffer.width), height: UInt32(buffer.height), bit_depth: layout.bitDepth,
      channels: layout.channels, srgb_intent: color == .sRGB ? 0 : -1)
    guard let file = fopen(url.path, "wb") else { throw .system("written", url) }
    var failure = cpng_failure()
    let code = buffer.withPlane(0, readOnly: true) { base, pitch, width, height in
      switch layout.reduction {
      case nil: return cpng_write(file, &header, base.assumingMemoryBound(to: UInt8.self), pitch, &failure)
      case .bytes:
        let rows = rgb(base, pitch, width, height, order: (2, 1, 0), UInt8.self)
        return rows.withUnsafeBufferPointer { cpng_write(file, &header, $0.baseAddress, width * 3, &failure) }
      case .words:
        let rows = rgb(base, pitch, width, height, order: (0, 1, 2), UInt16.self)
        return rows.withUnsafeBytes { bytes in
          cpng_write(file, &header, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), width * 6, &failure)
        }
      }
    }
    let isClosed = fclose(file) == 0
    guard code == 0, isClosed else {
      // libpng's own words for a failed write say less than the system's.
      throw errno == ENOSPC || !isClosed
        ? .system("written", url) : ImageFileError(.file, "'\(url.path)' cannot be written: \(text(of: failure)).")
    }
  }

  /// Reads a picture as L008, L016, BGRA (8 bits) or `l64r` (16 bits); grey with alpha becomes colour.
  package static func read(_ url: URL) throws(ImageFileError) -> CVPixelBuffer {
    try ImageFileError.refuseStreams(url)
    guard let file = fopen(url.path, "rb") else { throw .system("read", url) }
    defer { fclose(file) }
    var header = cpng_header()
    var failure = cpng_failure()
    let rows = Rows()
    let code = cpng_read(
      file, UInt32(maximumImageSide), &header, Unmanaged.passUnretained(rows).toOpaque(),
      { context, header, pitch in
        Unmanaged<Rows>.fromOpaque(context!).takeUnretainedValue().allocate(header!.pointee, pitch!)
      }, &failure)
    guard !rows.isTooLarge else {
      throw ImageFileError(
        .unsupported,
        "'\(url.path)' has more than \(maximumImagePixels) pixels, or more than memory holds: scale it down.")
    }
    guard code == 0 else {
      throw ImageFileError(.malformed, "'\(url.path)' is not a readable PNG picture: \(text(of: failure)).")
    }
    do { return try rows.buffer(header) } catch {
      throw ImageFileError(.unsupported, "'\(url.path)' does not fit into memory.")
    }
  }

  /// The three colours of pixels of four samples; `order` says where red, green and blue are.
  private static func rgb<Sample: FixedWidthInteger>(
    _ base: UnsafeMutableRawPointer, _ pitch: Int, _ width: Int, _ height: Int, order: (Int, Int, Int), _: Sample.Type
  ) -> [Sample] {
    [Sample](unsafeUninitializedCapacity: width * height * 3) { rows, count in
      for y in 0..<height {
        let source = (base + y * pitch).assumingMemoryBound(to: Sample.self)
        let target = rows.baseAddress! + y * width * 3
        for x in 0..<width {
          target[3 * x] = source[4 * x + order.0]
          target[3 * x + 1] = source[4 * x + order.1]
          target[3 * x + 2] = source[4 * x + order.2]
        }
      }
      count = width * height * 3
    }
  }

  private static func text(of failure: cpng_failure) -> String {
    withUnsafeBytes(of: failure.text) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  private struct Layout {
    let channels: Int32
    let bitDepth: Int32
    /// Set where pixels of four samples are written as three.
    let reduction: Reduction?

    enum Reduction {
      case bytes, words
    }

    init(_ format: OSType, keepsAlpha: Bool) throws(ImageFileError) {
      switch format {
      case kCVPixelFormatType_OneComponent8: (channels, bitDepth, reduction) = (1, 8, nil)
      case kCVPixelFormatType_OneComponent10, kCVPixelFormatType_OneComponent16:
        (channels, bitDepth, reduction) = (1, 16, nil)
      case kCVPixelFormatType_32BGRA: (channels, bitDepth, reduction) = (3, 8, .bytes)
      case kCVPixelFormatType_64RGBALE where keepsAlpha: (channels, bitDepth, reduction) = (4, 16, nil)
      case kCVPixelFormatType_64RGBALE: (channels, bitDepth, reduction) = (3, 16, .words)
      default:
        throw ImageFileError(.unsupported, "PNG holds no picture of the format '\(fourCharacterString(format))'.")
      }
    }
  }

  /// Memory for a picture that is read, as the file has it.
  private final class Rows {
    private var bytes: UnsafeMutablePointer<UInt8>?
    private var pitch = 0

    private(set) var isTooLarge = false

    deinit { free(bytes) }

    func allocate(_ header: cpng_header, _ bytesPerRow: UnsafeMutablePointer<Int>) -> UnsafeMutablePointer<UInt8>? {
      pitch = Int(header.width) * Int(header.channels) * Int(header.bit_depth) / 8
      bytesPerRow.pointee = pitch
      // Zeroed by the system when touched: what the header promises costs nothing until the rows come.
      guard Int(header.width) * Int(header.height) <= maximumImagePixels,
        let memory = calloc(pitch, Int(header.height))
      else {
        isTooLarge = true
        return nil
      }
      bytes = memory.bindMemory(to: UInt8.self, capacity: pitch * Int(header.height))
      return bytes
    }

    func buffer(_ header: cpng_header) throws -> CVPixelBuffer {
      let isDeep = header.bit_depth == 16
      let channels = Int(header.channels)
      let format =
        channels == 1
        ? (isDeep ? kCVPixelFormatType_OneComponent16 : kCVPixelFormatType_OneComponent8)
        : (isDeep ? kCVPixelFormatType_64RGBALE : kCVPixelFormatType_32BGRA)
      let buffer = try CVBuffer.make(width: Int(header.width), height: Int(header.height), format: format)
      buffer.withPlane(0, readOnly: false) { base, target, width, height in
        for y in 0..<height {
          let row = UnsafeRawPointer(bytes!) + y * pitch
          if channels == 1 {
            memcpy(base + y * target, row, pitch)
          } else if isDeep {
            spread(
              row.assumingMemoryBound(to: UInt16.self), (base + y * target).assumingMemoryBound(to: UInt16.self), width,
              channels, order: (0, 1, 2))
          } else {
            spread(
              row.assumingMemoryBound(to: UInt8.self), (base + y * target).assumingMemoryBound(to: UInt8.self), width,
              channels, order: (2, 1, 0))
          }
        }
      }
      return buffer
    }

    /// One to four channels to four; `order` says where red, green and blue go.
    private func spread<Sample: FixedWidthInteger>(
      _ source: UnsafePointer<Sample>, _ target: UnsafeMutablePointer<Sample>, _ width: Int, _ channels: Int,
      order: (Int, Int, Int)
    ) {
      let isGrey = channels < 3
      for x in 0..<width {
        let pixel = source + x * channels
        target[4 * x + order.0] = pixel[0]
        target[4 * x + order.1] = pixel[isGrey ? 0 : 1]
        target[4 * x + order.2] = pixel[isGrey ? 0 : 2]
        target[4 * x + 3] = channels % 2 == 0 ? pixel[channels - 1] : .max
      }
    }
  }
}
