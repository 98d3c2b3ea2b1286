/// The coefficients of one plane of a slice on their way from the bits to the transform.
///
/// A block's coefficients are dequantised and stand column after column (place `u·8 + v`), since the transform begins with
/// columns. What the transform has read it sets to zero again, so that all are zero between slices.
package struct CoefficientStore {
  /// A slice is at most 8 macroblocks wide, and has 4 blocks of a plane in each.
  package static let mostBlocks = 32
  package static let byteCount = mostBlocks * 64 * 4 + mostBlocks + mostBlocks * 4

  package let coefficients: UnsafeMutablePointer<Float>

  /// For each block, the largest scan position that has been written; 0 where there is only the DC.
  @inline(__always)
  package var last: UnsafeMutablePointer<UInt8> {
    UnsafeMutableRawPointer(coefficients + Self.mostBlocks * 64).assumingMemoryBound(to: UInt8.self)
  }

  /// For each block, its quantised DC.
  @inline(__always)
  package var dc: UnsafeMutablePointer<Int32> {
    UnsafeMutableRawPointer(coefficients + Self.mostBlocks * 64 + Self.mostBlocks / 4)
      .assumingMemoryBound(to: Int32.self)
  }

  /// `memory` has `byteCount` bytes, on a boundary of 64.
  package init(_ memory: UnsafeMutableRawPointer) {
    coefficients = memory.bindMemory(to: Float.self, capacity: Self.byteCount / 4)
    clear()
  }

  /// After a damaged slice.
  func clear() {
    UnsafeMutableRawPointer(coefficients).initializeMemory(as: UInt8.self, repeating: 0, count: Self.byteCount)
  }
}
