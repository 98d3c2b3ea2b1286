import CoreVideo

/// What the pixel formats hold of a picture, pixel by pixel.
struct PackedPicture {
  /// Y', Cb, Cr in the stream's resolution, and alpha.
  let planes: [[UInt16]]
  let width: Int
  let height: Int
  let isHalved: Bool
  let matrix: Int
  var isFullRange = false

  private var chromaWidth: Int { isHalved ? (width + 1) / 2 : width }
  private func luma(_ x: Int, _ y: Int) -> Int { Int(planes[0][y * width + min(x, width - 1)]) }
  private func alpha(_ x: Int, _ y: Int) -> Int { Int(planes[3][y * width + x]) }
  private func stored(_ plane: Int, _ x: Int, _ y: Int) -> Int {
    Int(planes[plane][y * chromaWidth + max(0, min(x, chromaWidth - 1))])
  }

  /// Chroma of full resolution.
  private func full(_ plane: Int, _ x: Int, _ y: Int) -> Int {
    guard isHalved else { return stored(plane, x, y) }
    return (stored(plane, x / 2, y) + stored(plane, (x + 1) / 2, y) + 1) / 2
  }

  /// Chroma of half the resolution; `x` counts its own samples.
  private func halved(_ plane: Int, _ x: Int, _ y: Int) -> Int {
    guard !isHalved else { return stored(plane, x, y) }
    return (stored(plane, 2 * x - 1, y) + 2 * stored(plane, 2 * x, y) + stored(plane, 2 * x + 1, y) + 2) / 4
  }

  /// Whether a buffer holds this picture: to the code for Y'CbCr, and to a step of rounding for R'G'B'.
  func matches(_ buffer: CVPixelBuffer, _ format: String) -> Bool {
    (0..<height).allSatisfy { y in
      switch format {
      case "y416": row(buffer, 0, y, UInt16.self) == y416(y)
      case "v216": row(buffer, 0, y, UInt16.self) == v216(y)
      case "v210": row(buffer, 0, y, UInt32.self) == v210(y)
      case "x422", "sv22": biPlanar(buffer, y, (width + 1) / 2, format == "x422" ? 64 : 1, halved)
      case "x444", "sv44", "s4as": biPlanar(buffer, y, width, format == "x444" ? 64 : 1, full)
      default: colors(buffer, y, format)
      }
    }
  }

  private func y416(_ y: Int) -> [Int] {
    (0..<width).flatMap { [alpha($0, y), luma($0, y), full(1, $0, y), full(2, $0, y)] }
  }

  private func v216(_ y: Int) -> [Int] {
    (0..<(width + 1) / 2).flatMap { [halved(1, $0, y), luma($0 * 2, y), halved(2, $0, y), luma($0 * 2 + 1, y)] }
  }

  private func v210(_ y: Int) -> [Int] {
    var words: [Int] = []
    for x in stride(from: 0, to: width, by: 6) {
      func chroma(_ plane: Int, _ pixel: Int) -> Int { halved(plane, min(x + pixel, width - 1) / 2, y) }
      let samples: [Int] = [
        chroma(1, 0), luma(x, y), chroma(2, 0), luma(x + 1, y), chroma(1, 2), luma(x + 2, y), chroma(2, 2),
        luma(x + 3, y), chroma(1, 4), luma(x + 4, y), chroma(2, 4), luma(x + 5, y),
      ]
      for first in [0, 3, 6, 9] {
        words.append(samples[first] + samples[first + 1] * 1024 + samples[first + 2] * 1_048_576)
      }
    }
    return words
  }

  private func biPlanar(
    _ buffer: CVPixelBuffer, _ y: Int, _ chromaCount: Int, _ factor: Int, _ chroma: (Int, Int, Int) -> Int
  ) -> Bool {
    let lumas = (0..<width).map { luma($0, y) * factor }
    var pairs: [Int] = []
    for x in 0..<chromaCount { pairs += [chroma(1, x, y) * factor, chroma(2, x, y) * factor] }
    guard row(buffer, 0, y, UInt16.self) == lumas, row(buffer, 1, y, UInt16.self) == pairs else { return false }
    guard CVPixelBufferGetPlaneCount(buffer) > 2 else { return true }
    return row(buffer, 2, y, UInt16.self) == (0..<width).map { alpha($0, y) }
  }

  private func colors(_ buffer: CVPixelBuffer, _ y: Int, _ format: String) -> Bool {
    func near(_ words: [Int], _ order: [Int], _ most: Double) -> Bool {
      (0..<width).allSatisfy { x in
        let wanted = color(x, y)
        return order.indices.allSatisfy { place in
          let value = max(0, min(1, wanted[order[place]])) * most
          return abs(Double(words[x * 4 + place]) - value) <= 0.52
        }
      }
    }
    switch format {
    case "b64a": return near(row(buffer, 0, y, UInt16.self).map { $0 >> 8 | $0 << 8 & 0xFF00 }, [3, 0, 1, 2], 65535)
    case "BGRA": return near(row(buffer, 0, y, UInt8.self), [2, 1, 0, 3], 255)
    default:
      let halves = row(buffer, 0, y, UInt16.self).map { Double(Float16(bitPattern: UInt16($0))) }
      return (0..<width * 4).allSatisfy { place in
        let value = color(place / 4, y)[place % 4]
        // A half has 11 bits, of its own magnitude down to 2^-14.
        return abs(halves[place] - value) <= max(abs(value), 1 / 16384) / 2000 + 1e-6
      }
    }
  }

  /// Red, green, blue and alpha, black 0 and white 1.
  private func color(_ x: Int, _ y: Int) -> [Double] {
    let (kr, kb) = matrix == 9 ? (0.2627, 0.0593) : matrix == 6 || matrix == 5 ? (0.299, 0.114) : (0.2126, 0.0722)
    let luma = isFullRange ? Double(luma(x, y)) / 65535 : Double(luma(x, y) - 4096) / (219 * 256)
    let unit = isFullRange ? 65535.0 : 224 * 256
    let (blue, red) = (Double(full(1, x, y) - 32768) / unit, Double(full(2, x, y) - 32768) / unit)
    let (r, b) = (luma + 2 * (1 - kr) * red, luma + 2 * (1 - kb) * blue)
    return [r, (luma - kr * r - kb * b) / (1 - kr - kb), b, Double(alpha(x, y)) / 65535]
  }

  private func row<Word: FixedWidthInteger>(_ buffer: CVPixelBuffer, _ plane: Int, _ y: Int, _: Word.Type) -> [Int] {
    let layout = PixelFormat.description(of: CVPixelBufferGetPixelFormatType(buffer))!.planes[plane]
    return buffer.withPlane(plane, readOnly: true) { base, pitch, width, _ in
      let blocks = (width + layout.blockWidth - 1) / layout.blockWidth
      let words = (base + y * pitch).assumingMemoryBound(to: Word.self)
      return (0..<blocks * layout.bytesPerBlock / MemoryLayout<Word>.size).map { Int(words[$0]) }
    }
  }
}
