import Foundation
public import Metal

/// The memory of a pixel buffer, for code that counts by hand who uses it; every pixel buffer has one.
///
/// While the use count is above zero, no pool lends the memory out again or frees it, even where nobody holds the pixel buffer. Textures
/// of a texture cache need no such count: they hold their buffer. Thread-safe; the pixels themselves are guarded by nobody.
public final class IOSurface: @unchecked Sendable {
  // Unchecked: the count is guarded by the lock.
  let layout: PixelLayout
  /// The first visible pixel of each plane.
  let bases: [UnsafeMutableRawPointer]
  private let guardian = NSLock()
  private var count: Int32 = 0
  private var becomesIdle: (@Sendable () -> Void)?
  private let release: @Sendable () -> Void

  init(layout: PixelLayout, bases: [UnsafeMutableRawPointer], release: @escaping @Sendable () -> Void) {
    self.layout = layout
    self.bases = bases
    self.release = release
  }

  deinit { release() }

  /// Width of the picture in pixels.
  public var width: Int { layout.width }
  /// Height of the picture in pixels.
  public var height: Int { layout.height }
  /// The four-character code of the pixel format.
  public var pixelFormat: OSType { layout.format.code }
  /// The number of planes; 0 where the format has none but the picture itself.
  public var planeCount: Int { layout.format.isPlanar ? layout.planes.count : 0 }

  /// How often the surface is in use.
  public var localUseCount: Int32 { guardian.withLock { count } }

  /// Whether the use count is above zero.
  public var isInUse: Bool { localUseCount > 0 }

  /// Keeps the memory from being lent out again until `decrementUseCount()` has been called as often.
  public func incrementUseCount() { guardian.withLock { count += 1 } }

  /// Ends a use that `incrementUseCount()` began.
  public func decrementUseCount() {
    let tell = guardian.withLock {
      precondition(count > 0, "A use of a surface ends after it has begun.")
      count -= 1
      return count == 0 ? becomesIdle : nil
    }
    tell?()
  }

  /// Has `action` called, on any thread, whenever the use count comes back to zero.
  func whenIdle(_ action: @escaping @Sendable () -> Void) { guardian.withLock { becomesIdle = action } }
}

public typealias IOSurfaceRef = IOSurface

/// The surface behind a pixel buffer, which lives as long as the buffer; nil for nil and for a texture.
public func CVPixelBufferGetIOSurface(_ pixelBuffer: CVPixelBuffer?) -> Unmanaged<IOSurfaceRef>? {
  (pixelBuffer?.storage?.surface).map { Unmanaged.passUnretained($0) }
}

public func IOSurfaceGetWidth(_ buffer: IOSurfaceRef) -> Int { buffer.width }
public func IOSurfaceGetHeight(_ buffer: IOSurfaceRef) -> Int { buffer.height }
public func IOSurfaceGetPixelFormat(_ buffer: IOSurfaceRef) -> OSType { buffer.pixelFormat }
/// The number of planes; 0 where the format has none but the picture itself.
public func IOSurfaceGetPlaneCount(_ buffer: IOSurfaceRef) -> Int { buffer.planeCount }

/// See `IOSurface.incrementUseCount()`.
public func IOSurfaceIncrementUseCount(_ buffer: IOSurfaceRef) { buffer.incrementUseCount() }

/// See `IOSurface.decrementUseCount()`.
public func IOSurfaceDecrementUseCount(_ buffer: IOSurfaceRef) { buffer.decrementUseCount() }

/// How often the surface is in use.
public func IOSurfaceGetUseCount(_ buffer: IOSurfaceRef) -> Int32 { buffer.localUseCount }

/// Whether the use count is above zero.
public func IOSurfaceIsInUse(_ buffer: IOSurfaceRef) -> Bool { buffer.isInUse }

// MARK: - Textures

extension MTLDevice {
  /// A texture that shows plane `plane` of a surface: what is written to one is read from the other.
  ///
  /// It keeps the memory, but not the pixel buffer: a pool may lend the memory out again while the texture is used, unless the surface's
  /// use count says that it is. A texture of a `CVMetalTextureCache` needs no such care. Nil for a plane, size or pixel format that the
  /// surface does not have.
  public func makeTexture(descriptor: MTLTextureDescriptor, iosurface: IOSurfaceRef, plane: Int) -> (any MTLTexture)? {
    try? iosurface.texture(of: plane, device: self, descriptor: descriptor, owner: iosurface)
  }
}

extension IOSurface {
  /// A texture of a plane; `owner` is what it keeps. Throws for what the surface does not have.
  func texture(
    of plane: Int, device: any MTLDevice, descriptor: MTLTextureDescriptor, owner: AnyObject
  ) throws(CVError) -> any MTLTexture {
    guard layout.planes.indices.contains(plane) else { throw CVError(code: kCVReturnInvalidArgument) }
    let (extent, shape) = (layout.planes[plane], layout.format.planes[plane])
    guard 1...extent.width ~= descriptor.width, 1...extent.height ~= descriptor.height else {
      throw CVError(code: kCVReturnInvalidArgument)
    }
    guard descriptor.pixelFormat.bytesPerPixel * shape.blockWidth == shape.bytesPerBlock else {
      throw CVError(code: kCVReturnPixelBufferNotMetalCompatible)
    }
    return CPUTexture(
      device: device, sharing: bases[plane], bytesPerRow: extent.bytesPerRow, of: owner, descriptor: descriptor)
  }
}
