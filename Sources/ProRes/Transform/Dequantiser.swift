/// The scan steps of a frame's two matrices at a slice's scale, made anew only where the scale changes.
struct Dequantiser {
  /// Luma's steps, then chroma's; beyond 64, steps that a lane may look at but that are none.
  let steps: UnsafeMutablePointer<ScanStep>
  private var scale = 0
  private let weights: [Float]
  private let dcWeights: (luma: Int32, chroma: Int32)
  private let depth: Int

  private(set) var dcScales: (luma: Int32, chroma: Int32) = (0, 0)
  let dcShift: Int32

  static let stepByteCount = 2 * CoefficientLane.stepCount * MemoryLayout<ScanStep>.stride

  /// - Parameter factor: what a coefficient at `(v, u)` is multiplied by beside weight and scale.
  init(
    _ header: ProResFrameHeader, depth: Int, steps: UnsafeMutablePointer<ScanStep>, factor: (Int, Int) -> Double
  ) {
    self.steps = steps
    self.depth = depth
    let scan = header.isInterlaced ? ScanOrder.interlaced : ScanOrder.progressive
    weights = [header.lumaMatrix, header.chromaMatrix].flatMap { matrix in
      scan.map { Float(Double(matrix[$0]) * factor($0 >> 3, $0 & 7)) }
    }
    dcWeights = (Int32(header.lumaMatrix[0]), Int32(header.chromaMatrix[0]))
    dcShift = Int32(max(0, 15 - depth))
    for plane in 0..<2 {
      for index in 0..<CoefficientLane.stepCount {
        let place = scan[min(index, 63)]
        steps[plane * CoefficientLane.stepCount + index] = ScanStep(
          weight: 0, place: Int32((place & 7) * 8 + place >> 3))
      }
    }
  }

  var lumaSteps: UnsafePointer<ScanStep> { UnsafePointer(steps) }
  var chromaSteps: UnsafePointer<ScanStep> { UnsafePointer(steps + CoefficientLane.stepCount) }

  mutating func set(scale: Int) {
    guard scale != self.scale else { return }
    self.scale = scale
    weights.withUnsafeBufferPointer { weights in
      for index in 0..<64 {
        steps[index].weight = weights[index] * Float(scale)
        steps[CoefficientLane.stepCount + index].weight = weights[64 + index] * Float(scale)
      }
    }
    // A sample of depth b is 2^b / 2^15 of DC, weight and scale.
    let whole = Int32(scale) << Int32(max(0, depth - 15))
    dcScales = (dcWeights.luma * whole, dcWeights.chroma * whole)
  }
}
