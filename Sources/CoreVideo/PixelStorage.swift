import Foundation

/// The memory of one pixel buffer, freed (or handed back to whoever gave it) with the last reference.
final class PixelStorage: @unchecked Sendable {
  /// Owns the memory.
  let surface: IOSurface
  /// All of the memory, if it was made here.
  let block: UnsafeMutableRawBufferPointer?
  private let guardian = NSLock()
  private var companions: [ObjectIdentifier: AnyObject?] = [:]

  /// New memory, all zero.
  init(layout: PixelLayout) throws(CVError) {
    // `calloc` of a large block gets untouched pages: zeroing costs nothing until they are written.
    let alignment = PixelLayout.defaultRowAlignment
    guard let block = calloc(1, layout.byteCount + alignment) else { throw CVError(code: kCVReturnAllocationFailed) }
    let address = Int(bitPattern: block)
    let start = block + (address.rounded(upTo: alignment) - address)
    self.block = UnsafeMutableRawBufferPointer(start: start, count: layout.byteCount)
    surface = IOSurface(layout: layout, bases: layout.planes.map { start + $0.offset }) {
      free(UnsafeMutableRawPointer(bitPattern: address))
    }
  }

  /// Memory that belongs to someone else; `release` is called when it is no longer used.
  init(layout: PixelLayout, bases: [UnsafeMutableRawPointer], release: @escaping @Sendable () -> Void) {
    block = nil
    surface = IOSurface(layout: layout, bases: bases, release: release)
  }

  var layout: PixelLayout { surface.layout }
  /// The first visible pixel of each plane.
  var bases: [UnsafeMutableRawPointer] { surface.bases }

  // Companions reach the memory, so they go before it.
  deinit { companions = [:] }

  /// What was made before for `owner`, or what `make` makes now and the storage keeps; nil is kept too.
  func companion(of owner: AnyObject, _ make: () -> AnyObject?) -> AnyObject? {
    guardian.withLock {
      if let known = companions[ObjectIdentifier(owner)] { return known }
      let made = make()
      companions[ObjectIdentifier(owner)] = .some(made)
      return made
    }
  }
}
