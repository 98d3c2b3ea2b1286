import CProRes
import ProRes
import Testing

/// The kernel for AVX2 against its portable twin.
@Suite struct TransformTests {
  @Test(.enabled(if: PlaneTransform.hasAVX2), arguments: [10, 12, 16], [true, false])
  func theKernelIsEqualToItsTwin(depth: Int, inRows: Bool) {
    var random = SystemRandomNumberGenerator()
    for isInterlaced in [false, true] {
      for limit in [1, 16, 32, 64] {
        let levels = Self.levels(isInterlaced ? ScanOrder.interlaced : ScanOrder.progressive, limit, &random)
        let dc = (0..<CoefficientStore.mostBlocks).map { _ in Int32.random(in: -600...600, using: &random) }
        func run(_ transform: (PlaneTransform.Plane) -> Void) -> [UInt16] {
          Self.run(levels, dc, depth, inRows, transform)
        }
        let kernel = run { plane in withUnsafePointer(to: plane) { cprores_transform_avx2($0) } }
        let twin = run(PlaneTransform.runPortably)
        let worst = zip(kernel, twin).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
        #expect(worst <= 1)
        // Both round a sum in single precision, in another order.
        #expect(zip(kernel, twin).count { $0 != $1 } <= kernel.count / 200)
      }
    }
  }

  private static func levels(_ scan: [Int], _ limit: Int, _ random: inout SystemRandomNumberGenerator) -> [Int16] {
    var all = [Int16](repeating: 0, count: CoefficientStore.mostBlocks * 64)
    for block in 0..<CoefficientStore.mostBlocks {
      for index in 1..<64 where index < limit {
        let place = scan[index]
        all[block * 64 + place % 8 * 8 + place / 8] = Int16.random(in: -20...20, using: &random)
      }
    }
    return all
  }

  private static func run(
    _ levels: [Int16], _ dc: [Int32], _ depth: Int, _ inRows: Bool, _ transform: (PlaneTransform.Plane) -> Void
  ) -> [UInt16] {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: CoefficientStore.byteCount, alignment: 64)
    defer { memory.deallocate() }
    let store = CoefficientStore(memory)
    store.levels.update(from: levels, count: levels.count)
    store.dc.update(from: dc, count: dc.count)
    let weights = (0..<64).map { Float(1) + Float($0) / 64 }
    var samples = [UInt16](repeating: 0xBEEF, count: 128 * 16)
    samples.withUnsafeMutableBufferPointer { samples in
      weights.withUnsafeBufferPointer { weights in
        transform(
          PlaneTransform.Plane(
            levels: store.levels, weights: weights.baseAddress!, dc: store.dc,
            blocks: Int32(CoefficientStore.mostBlocks), dcScale: 37, dcShift: Int32(max(0, 15 - depth)),
            inRows: inRows, middle: 1 << Int32(depth - 1), most: 1 << Int32(depth) - 1,
            samples: samples.baseAddress!, samplesPerRow: 128))
      }
    }
    #expect((0..<levels.count).allSatisfy { store.levels[$0] == 0 })
    return samples
  }
}
