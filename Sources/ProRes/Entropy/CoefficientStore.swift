/// The levels of one plane of a slice on their way from the bits to the transform.
///
/// A block's levels stand column after column (place `u·8 + v`), since the transform begins with columns; the DC, which is
/// coded apart, has its own place. What the transform has read it sets to zero again, so that all are zero between slices.
package struct CoefficientStore {
  /// A slice is at most 8 macroblocks wide, and has 4 blocks of a plane in each.
  package static let mostBlocks = 32
  /// Where levels go that belong nowhere: behind those of the last block.
  static let nowhere = mostBlocks * 64
  private static let levelCount = nowhere + 32
  private static let dcOffset = levelCount * 2
  package static let byteCount = dcOffset + mostBlocks * 4

  package let levels: UnsafeMutablePointer<Int16>

  /// For each block, its quantised DC.
  @inline(__always)
  package var dc: UnsafeMutablePointer<Int32> {
    (UnsafeMutableRawPointer(levels) + Self.dcOffset).assumingMemoryBound(to: Int32.self)
  }

  /// `memory` has `byteCount` bytes, on a boundary of 64.
  package init(_ memory: UnsafeMutableRawPointer) {
    levels = memory.bindMemory(to: Int16.self, capacity: Self.levelCount)
    (memory + Self.dcOffset).bindMemory(to: Int32.self, capacity: Self.mostBlocks)
    clear()
  }

  /// After a damaged slice.
  func clear() {
    levels.update(repeating: 0, count: Self.levelCount)
    dc.update(repeating: 0, count: Self.mostBlocks)
  }
}
