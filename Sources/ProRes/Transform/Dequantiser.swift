/// What levels are multiplied by: a frame's two matrices at a slice's scale, made anew only where the scale changes.
struct Dequantiser {
  /// Luma's 64 weights, then chroma's, column after column.
  let weights: UnsafeMutablePointer<Float>
  private let unscaled: [Float]
  private let unscaledDC: (luma: Int32, chroma: Int32)
  private let depth: Int
  private var quantiserScale = 0

  private(set) var dcScales: (luma: Int32, chroma: Int32) = (0, 0)
  let dcShift: Int32

  static let byteCount = 128 * MemoryLayout<Float>.size

  /// `weights` has room for `byteCount` bytes.
  init(_ header: ProResFrameHeader, depth: Int, _ scale: ProResScale, weights: UnsafeMutablePointer<Float>) {
    self.weights = weights
    self.depth = depth
    unscaled = [header.lumaMatrix, header.chromaMatrix].flatMap { matrix in
      (0..<64).map { place in
        let (v, u) = (place & 7, place >> 3)
        let factor =
          scale == .full ? PlaneTransform.factor(v, u, depth: depth) : ReducedTransform.factor(v, u, depth: depth)
        return Float(Double(matrix[v * 8 + u]) * factor)
      }
    }
    unscaledDC = (Int32(header.lumaMatrix[0]), Int32(header.chromaMatrix[0]))
    dcShift = Int32(max(0, 15 - depth))
  }

  mutating func set(quantiserScale scale: Int) {
    guard scale != quantiserScale else { return }
    quantiserScale = scale
    unscaled.withUnsafeBufferPointer { unscaled in
      for place in 0..<128 { weights[place] = unscaled[place] * Float(scale) }
    }
    // A sample of depth b is 2^b / 2^15 of DC, weight and scale.
    let whole = Int32(scale) << Int32(max(0, depth - 15))
    dcScales = (unscaledDC.luma * whole, unscaledDC.chroma * whole)
  }
}
