import CoreVideo

/// How a picture lies in memory, in numbers.
package struct StoredPicture: Hashable, Sendable {
  package enum Model: UInt32, Sendable {
    case yCbCr = 0
    case rgb = 1
    case grey = 2
  }

  /// A component's place; the order is that of `components`.
  package struct Component: Hashable, Sendable {
    package let plane: Int
    /// Bytes from a row's start to the component's first sample.
    package let offset: Int
    /// Bytes from one sample to the next.
    package let step: Int
  }

  /// One plane as a repetition of blocks of samples.
  package struct Plane: Hashable, Sendable {
    /// For each sample of a block its component's number, as in `components`.
    package let samples: [Int]
    /// Pixels of the plane in a block.
    package let blockWidth: Int
  }

  package let model: Model
  /// How a sample is stored: `StoredSample`'s kinds in the order of `PixelFormat.Sample`.
  package let sample: UInt32
  package let bytesPerSample: Int
  /// Y', Cb, Cr, or R', G', B', or grey three times; and alpha, if there is any.
  package let components: [Component]
  package let planes: [Plane]
  /// Pixels for each chroma sample, across and down.
  package let subsampling: SIMD2<Int32>
  /// Stored = offset + scale · value: luma's offset and scale, and chroma's.
  package let range: SIMD4<Float>
  /// The least and greatest stored number.
  package let limits: SIMD2<Float>
  /// Whether a fixed pattern is added before rounding.
  package let isDithered: Bool

  init(_ format: PixelFormat) {
    let range = YCbCrRange(format)
    self.range = SIMD4(range.lumaOffset, range.lumaScale, range.chromaOffset, range.chromaScale)
    switch format.model {
    case .yCbCr:
      model = .yCbCr
      limits = SIMD2(range.limits.lowerBound, range.limits.upperBound)
    case .rgb:
      model = .rgb
      limits = SIMD2(-.infinity, .infinity)
    default:
      model = .grey
      limits = SIMD2(-.infinity, .infinity)
    }
    (sample, bytesPerSample) = (format.sample.number, format.sample.byteCount)
    isDithered = format.sample == .uint8
    subsampling = SIMD2(Int32(format.chromaSubsampling.horizontal), Int32(format.chromaSubsampling.vertical))
    let names = StoredPicture.names(format)
    components = names.compactMap { StoredPicture.place($0, format) }
    planes = format.planes.map { plane in
      Plane(samples: plane.components.map { names.firstIndex(of: $0) ?? 0 }, blockWidth: plane.blockWidth)
    }
  }

  private static func names(_ format: PixelFormat) -> [PixelFormat.Component] {
    switch format.model {
    case .yCbCr: [.luma, .chromaBlue, .chromaRed, .alpha]
    case .rgb: [.red, .green, .blue, .alpha]
    default: [.first, .first, .first, .alpha]
    }
  }

  private static func place(_ name: PixelFormat.Component, _ format: PixelFormat) -> Component? {
    for (index, plane) in format.planes.enumerated() {
      guard let first = plane.components.firstIndex(of: name) else { continue }
      let count = plane.components.count { $0 == name }
      return Component(
        plane: index, offset: first * format.sample.byteCount, step: plane.bytesPerBlock / count)
    }
    return nil
  }
}

/// How disparity is stored.
package struct StoredDisparity: Hashable, Sendable {
  /// As in `StoredPicture`.
  package let sample: UInt32
  package let bytesPerSample: Int
  package let isDepth: Bool
  /// Whether samples are codes of a table.
  package let isCoded: Bool
  /// What a code's bits are shifted by.
  package let shift: Int
  private let bits: Int
  private let coding: DisparityCodes

  init(_ format: PixelFormat, _ coding: DisparityCodes) {
    (sample, bytesPerSample) = (format.sample.number, format.sample.byteCount)
    isDepth = format.model == .depth
    isCoded = !format.isFloat
    bits = format.bitsPerComponent
    shift = format.isFloat ? 0 : 8 * format.sample.byteCount - bits
    self.coding = coding
  }

  /// The disparity of each code in 1/m, NaN where it is not valid.
  package func makeCodes() -> [Float] { isCoded ? (0..<1 << bits).map(value) : [] }

  /// From the least to the greatest disparity that a sample may stand for.
  package var range: ClosedRange<Float> {
    guard isCoded else { return 0...HoleFiller.largestValid }
    let (first, last) = (value(0), value(1 << bits - 1))
    guard !first.isNaN, !last.isNaN else { return 0...HoleFiller.largestValid }
    return min(first, last)...max(first, last)
  }

  /// The disparity of a code in 1/m, NaN where it is not valid.
  package func value(_ code: Int) -> Float {
    let value = coding.disparity(Float(code) / Float(1 << bits - 1))
    let disparity = isDepth ? 1 / value : value
    return HoleFiller.isValid(disparity) ? disparity : .nan
  }
}

extension PixelFormat.Sample {
  /// The number by which shaders know it.
  fileprivate var number: UInt32 {
    switch self {
    case .uint8: 0
    case .uint16: 1
    case .uint16BigEndian: 2
    case .uint10InUpperBits: 3
    case .uint12InUpperBits: 4
    case .half: 5
    case .float, .packed10: 6
    }
  }
}
