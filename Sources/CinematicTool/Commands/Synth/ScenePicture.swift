import Bokeh
import CoreVideo
import Foundation

/// How the sample movie's light becomes a picture: HLG BT.2020 in 10 bits, or BT.709 in 8.
struct ScenePicture: Sendable {
  let isHDR: Bool
  /// The signal for light 0…`brightest`, by the square root of the light, so that shadows have enough entries.
  private let signals: [Float]

  private static let brightest: Float = 12
  private static let entries = 4096

  init(isHDR: Bool) {
    self.isHDR = isHDR
    let curve: TransferFunction = isHDR ? .hlg : .bt709
    signals = (0...Self.entries).map { index in
      let root = Float(index) / Float(Self.entries)
      return min(1, curve.signal(root * root * Self.brightest))
    }
  }

  var pixelFormat: OSType {
    isHDR ? kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange : kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
  }

  var primaries: String {
    isHDR ? kCVImageBufferColorPrimaries_ITU_R_2020 : kCVImageBufferColorPrimaries_ITU_R_709_2
  }
  var transferFunction: String {
    isHDR ? kCVImageBufferTransferFunction_ITU_R_2100_HLG : kCVImageBufferTransferFunction_ITU_R_709_2
  }
  var matrix: String { isHDR ? kCVImageBufferYCbCrMatrix_ITU_R_2020 : kCVImageBufferYCbCrMatrix_ITU_R_709_2 }

  /// Writes linear BT.709 light into a buffer of `pixelFormat`.
  func store(_ light: [SIMD4<Float>], into buffer: CVPixelBuffer) {
    if isHDR {
      store(light, into: buffer, UInt16.self, scale: 4, shift: 6)
    } else {
      store(light, into: buffer, UInt8.self, scale: 1, shift: 0)
    }
  }

  private func store<Code: FixedWidthInteger>(
    _ light: [SIMD4<Float>], into buffer: CVPixelBuffer, _: Code.Type, scale: Float, shift: Code
  ) {
    let width = buffer.width
    let signal = light.map(self.signal)
    let weights: SIMD4<Float> = isHDR ? SIMD4(0.2627, 0.6780, 0.0593, 0) : SIMD4(0.2126, 0.7152, 0.0722, 0)
    buffer.withPlane(0, readOnly: false) { base, pitch, width, height in
      for y in 0..<height {
        let row = (base + y * pitch).assumingMemoryBound(to: Code.self)
        for x in 0..<width {
          let luma = (signal[y * width + x] * weights).sum()
          row[x] = Code((16 + 219 * luma) * scale + 0.5) << shift
        }
      }
    }
    buffer.withPlane(1, readOnly: false) { base, pitch, columns, rows in
      for y in 0..<rows {
        let row = (base + y * pitch).assumingMemoryBound(to: Code.self)
        for x in 0..<columns {
          let mean = Self.mean(signal, width, x, y)
          let luma = (mean * weights).sum()
          let blue = (mean.z - luma) / (2 * (1 - weights.z))
          let red = (mean.x - luma) / (2 * (1 - weights.x))
          row[2 * x] = Code((128 + 224 * blue) * scale + 0.5) << shift
          row[2 * x + 1] = Code((128 + 224 * red) * scale + 0.5) << shift
        }
      }
    }
  }

  /// The four pixels of a chroma sample; the picture's sides are even.
  private static func mean(_ signal: [SIMD4<Float>], _ width: Int, _ x: Int, _ y: Int) -> SIMD4<Float> {
    let first = 2 * y * width + 2 * x
    return (signal[first] + signal[first + 1] + signal[first + width] + signal[first + width + 1]) * 0.25
  }

  private func signal(_ light: SIMD4<Float>) -> SIMD4<Float> {
    let wide = isHDR ? Self.bt2020(light) : light
    return SIMD4(look(wide.x), look(wide.y), look(wide.z), 0)
  }

  private func look(_ light: Float) -> Float {
    let place = min(max(light, 0) / Self.brightest, 1).squareRoot() * Float(Self.entries)
    let index = min(Int(place), Self.entries - 1)
    return signals[index] + (signals[index + 1] - signals[index]) * (place - Float(index))
  }

  /// ITU-R BT.2087, table 3: BT.709 primaries to those of BT.2020.
  private static func bt2020(_ light: SIMD4<Float>) -> SIMD4<Float> {
    SIMD4(
      0.6274 * light.x + 0.3293 * light.y + 0.0433 * light.z, 0.0691 * light.x + 0.9195 * light.y + 0.0114 * light.z,
      0.0164 * light.x + 0.0880 * light.y + 0.8956 * light.z, 0)
  }
}
