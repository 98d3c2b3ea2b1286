import Foundation

/// The memory of a pixel buffer, for code that counts by hand who uses it; every pixel buffer has one.
///
/// While the use count is above zero, no pool lends the memory out again or frees it, even where nobody holds the pixel buffer. Nothing of
/// this package needs that: a command holds what it touches. Thread-safe.
public final class IOSurface: @unchecked Sendable {
  // Unchecked: the count is guarded by the lock.
  private let guardian = NSLock()
  private var count: Int32 = 0
  private let release: @Sendable () -> Void

  init(release: @escaping @Sendable () -> Void) { self.release = release }

  deinit { release() }

  /// How often the surface is in use.
  public var localUseCount: Int32 { guardian.withLock { count } }

  /// Whether the use count is above zero.
  public var isInUse: Bool { localUseCount > 0 }

  /// Keeps the memory from being lent out again until `decrementUseCount()` has been called as often.
  public func incrementUseCount() { guardian.withLock { count += 1 } }

  /// Ends a use that `incrementUseCount()` began.
  public func decrementUseCount() {
    guardian.withLock {
      precondition(count > 0, "A use of a surface ends after it has begun.")
      count -= 1
    }
  }
}

public typealias IOSurfaceRef = IOSurface

/// The surface behind a pixel buffer, which lives as long as the buffer; nil for nil and for a texture.
public func CVPixelBufferGetIOSurface(_ pixelBuffer: CVPixelBuffer?) -> Unmanaged<IOSurfaceRef>? {
  (pixelBuffer?.storage?.surface).map { Unmanaged.passUnretained($0) }
}

/// See `IOSurface.incrementUseCount()`.
public func IOSurfaceIncrementUseCount(_ buffer: IOSurfaceRef) { buffer.incrementUseCount() }

/// See `IOSurface.decrementUseCount()`.
public func IOSurfaceDecrementUseCount(_ buffer: IOSurfaceRef) { buffer.decrementUseCount() }

/// How often the surface is in use.
public func IOSurfaceGetUseCount(_ buffer: IOSurfaceRef) -> Int32 { buffer.localUseCount }

/// Whether the use count is above zero.
public func IOSurfaceIsInUse(_ buffer: IOSurfaceRef) -> Bool { buffer.isInUse }
