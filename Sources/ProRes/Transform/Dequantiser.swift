/// The scan steps of a frame's two matrices at a slice's scale, made anew only where the scale changes.
struct Dequantiser {
  /// Luma's steps, then chroma's; beyond 64, steps that a lane may look at but that are none.
  let steps: UnsafeMutablePointer<ScanStep>
  private var quantiserScale = 0
  private let wanted: Int
  private let weights: [Float]
  private let dcWeights: (luma: Int32, chroma: Int32)
  private let depth: Int

  private(set) var dcScales: (luma: Int32, chroma: Int32) = (0, 0)
  let dcShift: Int32

  static let stepByteCount = 2 * CoefficientLane.stepCount * MemoryLayout<ScanStep>.stride

  init(_ header: ProResFrameHeader, depth: Int, _ scale: ProResScale, steps: UnsafeMutablePointer<ScanStep>) {
    self.steps = steps
    self.depth = depth
    let scan = header.isInterlaced ? ScanOrder.interlaced : ScanOrder.progressive
    weights = [header.lumaMatrix, header.chromaMatrix].flatMap { matrix in
      scan.map { place in
        let (v, u) = (place >> 3, place & 7)
        let factor =
          scale == .full ? PlaneTransform.factor(v, u, depth: depth) : ReducedTransform.factor(v, u, depth: depth)
        return Float(Double(matrix[place]) * factor)
      }
    }
    dcWeights = (Int32(header.lumaMatrix[0]), Int32(header.chromaMatrix[0]))
    wanted = scale.wantedPositions
    dcShift = Int32(max(0, 15 - depth))
    for plane in 0..<2 {
      for index in 0..<CoefficientLane.stepCount {
        let place = index < scale.wantedPositions ? scan[index] : 63
        steps[plane * CoefficientLane.stepCount + index] = ScanStep(
          weight: 0, place: Int32((place & 7) * 8 + place >> 3))
      }
    }
  }

  var lumaSteps: UnsafePointer<ScanStep> { UnsafePointer(steps) }
  var chromaSteps: UnsafePointer<ScanStep> { UnsafePointer(steps + CoefficientLane.stepCount) }

  mutating func set(quantiserScale scale: Int) {
    guard scale != quantiserScale else { return }
    quantiserScale = scale
    weights.withUnsafeBufferPointer { weights in
      for index in 0..<wanted {
        steps[index].weight = weights[index] * Float(scale)
        steps[CoefficientLane.stepCount + index].weight = weights[64 + index] * Float(scale)
      }
    }
    // A sample of depth b is 2^b / 2^15 of DC, weight and scale.
    let whole = Int32(scale) << Int32(max(0, depth - 15))
    dcScales = (dcWeights.luma * whole, dcWeights.chroma * whole)
  }
}
