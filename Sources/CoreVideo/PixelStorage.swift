import Foundation

/// The memory of one pixel buffer, freed (or handed back to whoever gave it) with the last reference.
final class PixelStorage: @unchecked Sendable {
  let layout: PixelLayout
  /// The first visible pixel of each plane.
  let bases: [UnsafeMutableRawPointer]
  /// Owns the memory.
  let surface: IOSurface

  /// New memory, all zero.
  init(layout: PixelLayout) throws(CVError) {
    // `calloc` of a large block gets untouched pages: zeroing costs nothing until they are written.
    let alignment = PixelLayout.defaultRowAlignment
    guard let block = calloc(1, layout.byteCount + alignment) else { throw CVError(code: kCVReturnAllocationFailed) }
    let address = Int(bitPattern: block)
    let start = block + (address.rounded(upTo: alignment) - address)
    self.layout = layout
    bases = layout.planes.map { start + $0.offset }
    surface = IOSurface { free(UnsafeMutableRawPointer(bitPattern: address)) }
  }

  /// Memory that belongs to someone else; `release` is called when it is no longer used.
  init(layout: PixelLayout, bases: [UnsafeMutableRawPointer], release: @escaping @Sendable () -> Void) {
    self.layout = layout
    self.bases = bases
    surface = IOSurface(release: release)
  }
}
