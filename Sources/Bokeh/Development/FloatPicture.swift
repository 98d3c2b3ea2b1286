package import CoreGeometry
package import CoreVideo
import Foundation

/// Red, green, blue and straight alpha of a picture as plain numbers, row by row from the top.
package struct FloatPicture: Sendable {
  package let width: Int
  package let height: Int
  package var pixels: [SIMD4<Float>]

  package init(width: Int, height: Int, pixels: [SIMD4<Float>]) {
    precondition(width > 0 && height > 0 && pixels.count == width * height)
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  package subscript(x: Int, y: Int) -> SIMD4<Float> { pixels[y * width + x] }
}

extension FloatPicture {
  /// The picture turned for showing; nil for a transform that is more than quarter turns and mirrors. Its translation
  /// is not looked at.
  package func turned(by transform: CGAffineTransform) -> FloatPicture? {
    guard let orientation = Orientation(transform) else { return nil }
    guard orientation != .identity else { return self }
    let size = orientation.size(width, height)
    var turned = [SIMD4<Float>](repeating: .zero, count: pixels.count)
    for v in 0..<size.height {
      for u in 0..<size.width {
        let place = orientation.stored(u, v, width, height)
        turned[v * size.width + u] = self[place.x, place.y]
      }
    }
    return FloatPicture(width: size.width, height: size.height, pixels: turned)
  }

  /// One component from the top, as a plane of floats: 0 red, 1 green, 2 blue, 3 alpha.
  package func component(_ index: Int) -> [Float] { pixels.map { $0[index] } }
}

// MARK: - As codes
extension FloatPicture {
  /// The picture as `l64r`: red, green, blue and alpha of 16 bits, 0…1 from the least to the largest code.
  package func sixteenBits() throws(CVError) -> CVPixelBuffer {
    let buffer = try CVBuffer.make(width: width, height: height, format: kCVPixelFormatType_64RGBALE)
    buffer.withPlane(0, readOnly: false) { base, pitch, width, height in
      for y in 0..<height {
        let row = (base + y * pitch).assumingMemoryBound(to: SIMD4<UInt16>.self)
        for x in 0..<width {
          row[x] = SIMD4<UInt16>(truncatingIfNeeded: SIMD4<Int32>(Self.limited(self[x, y]) * 65_535 + 0.5))
        }
      }
    }
    return buffer
  }

  /// Lays the picture over a part of a `BGRA` picture, as far as it reaches into it; alpha lets the ground through.
  package func lay(over ground: CVPixelBuffer, x left: Int, y top: Int) {
    precondition(CVPixelBufferGetPixelFormatType(ground) == kCVPixelFormatType_32BGRA)
    ground.withPlane(0, readOnly: false) { base, pitch, width, height in
      for y in max(0, -top)..<max(max(0, -top), min(self.height, height - top)) {
        let row = (base + (top + y) * pitch).assumingMemoryBound(to: SIMD4<UInt8>.self)
        for x in max(0, -left)..<max(max(0, -left), min(self.width, width - left)) {
          let below = SIMD4<Float>(row[left + x]) / 255, above = Self.limited(self[x, y])
          let mixed = below + (SIMD4(above.z, above.y, above.x, 1) - below) * above.w
          row[left + x] = SIMD4<UInt8>(truncatingIfNeeded: SIMD4<Int32>(mixed * 255 + 0.5))
        }
      }
    }
  }

  private static func limited(_ pixel: SIMD4<Float>) -> SIMD4<Float> {
    // Comparisons with what is not a number are false.
    let positive = pixel.replacing(with: SIMD4<Float>(), where: .!(pixel .> 0))
    return positive.replacing(with: SIMD4<Float>(repeating: 1), where: positive .> 1)
  }
}

// MARK: - Smaller
extension FloatPicture {
  /// The means of the areas that the pixels of a picture of another size cover; each pixel counts as much as its alpha.
  package func resized(width newWidth: Int, height newHeight: Int, threads: Int) -> FloatPicture {
    precondition(newWidth > 0 && newHeight > 0)
    let columns = Coverage(of: width, by: newWidth), rows = Coverage(of: height, by: newHeight)
    var result = [SIMD4<Float>](repeating: .zero, count: newWidth * newHeight)
    result.withUnsafeMutableBufferPointer { result in
      nonisolated(unsafe) let target = result.baseAddress!
      pixels.withUnsafeBufferPointer { source in
        nonisolated(unsafe) let source = source.baseAddress!
        Workers(threads).rows(newHeight) { _, range in
          for y in range {
            let row = target + y * newWidth
            for place in rows[y] {
              let line = source + place * width
              for x in 0..<newWidth {
                for column in columns[x] {
                  let pixel = line[column], weight = rows.share(place, y) * columns.share(column, x) * pixel.w
                  row[x] += SIMD4(pixel * weight, weight: weight)
                }
              }
            }
            for x in 0..<newWidth where row[x].w > 0 { row[x] = SIMD4(row[x] / row[x].w, weight: row[x].w) }
          }
        }
      }
    }
    return FloatPicture(width: newWidth, height: newHeight, pixels: result)
  }
}

/// Which of `count` intervals of equal length each of `parts` intervals of the same line covers, and how much of itself.
private struct Coverage {
  private let scale: Float
  private let count: Int

  init(of count: Int, by parts: Int) {
    self.count = count
    scale = Float(count) / Float(parts)
  }

  subscript(part: Int) -> Range<Int> {
    let first = min(Int(Float(part) * scale), count - 1)
    return first..<max(first + 1, min(count, Int((Float(part + 1) * scale).rounded(.up))))
  }

  @inline(__always)
  func share(_ interval: Int, _ part: Int) -> Float {
    let covered = min(Float(interval + 1), Float(part + 1) * scale) - max(Float(interval), Float(part) * scale)
    return max(0, covered) / scale
  }
}
