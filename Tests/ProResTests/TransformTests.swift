import CProRes
import Foundation
import PictureCodes
import ProRes
import Testing

/// The kernel for AVX2 against its portable twin.
@Suite struct TransformTests {
  @Test(.enabled(if: PlaneTransform.hasAVX2), arguments: [10, 12, 16], [true, false])
  func theKernelIsEqualToItsTwin(depth: Int, inRows: Bool) {
    var random = SplitMix(state: 11)
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

  /// Single coefficients as large as they can be coded, at the largest scale: sums of up to 2^34 go to the end that their
  /// sign says.
  @Test(arguments: [10, 12, 16], [true, false])
  func overflowGoesToTheNearerEnd(depth: Int, inRows: Bool) {
    let most = UInt16(truncatingIfNeeded: 1 << depth - 1)
    let dc = (0..<CoefficientStore.mostBlocks).map { Int32($0 % 3 - 1) * 600 }
    for first in [0, CoefficientStore.mostBlocks] {
      for level in [Int16(-32767), 32767] {
        let levels = Self.singleLevels(level, firstPlace: first)
        for transform in Self.transforms {
          let samples = Self.run(levels, dc, depth, inRows, weight: Self.mostWeight, transform)
          for block in 0..<CoefficientStore.mostBlocks {
            let place = max(1, first + block)
            let ends = Self.samples(of: block, inRows, samples).enumerated().map { index, sample in
              sample == (Self.basis(place, index) * Double(level) > 0 ? most : 0)
            }
            #expect(ends.allSatisfy { $0 })
          }
        }
      }
    }
  }

  /// DCs at and beyond their bounds, beside sums that are cut off: where both meet in the range, the bounds decide.
  @Test(.enabled(if: PlaneTransform.hasAVX2), arguments: [10, 12, 16], [true, false])
  func extremesAreCutOffAlike(depth: Int, inRows: Bool) {
    let shift = max(0, 15 - depth)
    let bound = Int32((4_000_000 << shift) / 37)
    let values = [0, 1, -1, bound, -bound, bound - 40, 40 - bound, .max, .min]
    let dc = (0..<CoefficientStore.mostBlocks).map { values[$0 % values.count] }
    var inside = 0
    for first in [0, CoefficientStore.mostBlocks] {
      for level in [Int16(-32767), 0, 32767] {
        let levels = Self.singleLevels(level, firstPlace: first)
        let pictures = Self.transforms.map {
          Self.run(levels, dc, depth, inRows, weight: Self.mostWeight, $0)
        }
        #expect(pictures.allSatisfy { $0 == pictures[0] })
        if level != 0 { inside += pictures[0].count { $0 > 0 && Int($0) < 1 << depth - 1 } }
      }
    }
    #expect(inside > 1000)
  }

  /// A weight of 255 at a slice's largest scale, 512, with the transform's own factor, which is nearly 2.
  private static let mostWeight: Float = 255 * 512 * 2

  private static let transforms: [@Sendable (PlaneTransform.Plane) -> Void] =
    (PlaneTransform.hasAVX2 ? [{ plane in withUnsafePointer(to: plane) { cprores_transform_avx2($0) } }] : [])
    + [{ plane in PlaneTransform.runPortably(plane) }]

  /// One level a block, at place `firstPlace` of the columns in the first block, and a place further in each next one.
  private static func singleLevels(_ level: Int16, firstPlace: Int) -> [Int16] {
    var all = [Int16](repeating: 0, count: CoefficientStore.mostBlocks * 64)
    for block in 0..<CoefficientStore.mostBlocks { all[block * 64 + max(1, firstPlace + block)] = level }
    return all
  }

  /// What the coefficient at `place` of the columns gives sample `index` of the rows, but for a positive factor.
  private static func basis(_ place: Int, _ index: Int) -> Double {
    let (v, u, y, x) = (place % 8, place / 8, index / 8, index % 8)
    return cos(Double((2 * y + 1) * v) * .pi / 16) * cos(Double((2 * x + 1) * u) * .pi / 16)
  }

  /// The samples of a block, row by row.
  private static func samples(of block: Int, _ inRows: Bool, _ samples: [UInt16]) -> [UInt16] {
    let x = inRows ? block / 4 * 16 + block % 2 * 8 : block / 2 * 8
    let y = inRows ? block / 2 % 2 * 8 : block % 2 * 8
    return (0..<64).map { samples[(y + $0 / 8) * samplesPerRow + x + $0 % 8] }
  }

  private static let samplesPerRow = CoefficientStore.mostBlocks * 4

  private static func levels(_ scan: [Int], _ limit: Int, _ random: inout SplitMix) -> [Int16] {
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
    _ levels: [Int16], _ dc: [Int32], _ depth: Int, _ inRows: Bool, weight: Float = 1,
    _ transform: (PlaneTransform.Plane) -> Void
  ) -> [UInt16] {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: CoefficientStore.byteCount, alignment: 64)
    defer { memory.deallocate() }
    let store = CoefficientStore(memory)
    store.levels.update(from: levels, count: levels.count)
    store.dc.update(from: dc, count: dc.count)
    let weights = (0..<64).map { weight * (1 + Float($0) / 64) }
    var samples = [UInt16](repeating: 0xBEEF, count: samplesPerRow * 16)
    samples.withUnsafeMutableBufferPointer { samples in
      weights.withUnsafeBufferPointer { weights in
        transform(
          PlaneTransform.Plane(
            levels: store.levels, weights: weights.baseAddress!, dc: store.dc,
            blocks: Int32(CoefficientStore.mostBlocks), dcScale: 37, dcShift: Int32(max(0, 15 - depth)),
            inRows: inRows, middle: 1 << Int32(depth - 1), most: 1 << Int32(depth) - 1,
            samples: samples.baseAddress!, samplesPerRow: samplesPerRow))
      }
    }
    #expect((0..<levels.count).allSatisfy { store.levels[$0] == 0 })
    return samples
  }
}
