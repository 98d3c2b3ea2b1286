internal import CoreVideo

/// Brings 16-bit Y'CbCr codes of the full range into the video range (ITU-R BT.2100, table 9).
enum CodeRange {
  /// Luma 0…65535 to 4096…60160, chroma to 4096…61440 around 32768.
  static let lumaScale: Float = 219 * 256 / 65535
  static let chromaScale: Float = 224 * 256 / 65535

  /// Formats of video range whose samples are 16-bit words.
  static func canCompress(_ format: PixelFormat) -> Bool {
    format.isYCbCr && !format.isFullRange && format.sample == .uint16
  }

  /// In place; alpha stays.
  static func compress(_ buffer: CVPixelBuffer) {
    guard let format = buffer.format, canCompress(format) else { return }
    for (index, plane) in format.planes.enumerated() {
      let steps = plane.components.map(Step.init)
      buffer.withPlane(index, readOnly: false) { base, pitch, width, height in
        let blocks = (width + plane.blockWidth - 1) / plane.blockWidth
        for row in 0..<height {
          let codes = (base + row * pitch).assumingMemoryBound(to: UInt16.self)
          for (offset, step) in steps.enumerated() {
            step.apply(codes + offset, every: steps.count, count: blocks)
          }
        }
      }
    }
  }

  private struct Step {
    let scale: Float
    let from: Float
    let to: Float

    init(_ component: PixelFormat.Component) {
      switch component {
      case .luma: (scale, from, to) = (lumaScale, 0, 4096)
      case .chromaBlue, .chromaRed: (scale, from, to) = (chromaScale, 32768, 32768)
      default: (scale, from, to) = (1, 0, 0)
      }
    }

    func apply(_ codes: UnsafeMutablePointer<UInt16>, every step: Int, count: Int) {
      guard scale != 1 else { return }
      for index in 0..<count {
        let code = codes + index * step
        code.pointee = UInt16((Float(code.pointee) - from) * scale + to + 0.5)
      }
    }
  }
}
