import Foundation
import Metal

/// A frame with its attachments: planes of pixels in memory, or a texture that shares them.
///
/// Shared by reference, as on Apple's systems: whoever keeps a reference keeps the pixels, and a pool takes the memory back when the last
/// one goes. Attachments and locks may be used from any thread; the pixels themselves are guarded by nobody, so that
/// writers must see to it that no one reads meanwhile.
public final class CVBuffer: @unchecked Sendable {
  enum Content {
    case pixels(PixelStorage)
    /// A texture, and the buffer whose plane it shows.
    case texture(any MTLTexture, source: CVBuffer)
  }

  let content: Content
  /// The pool's claim on the storage; giving it back is this property's last act.
  private let lease: PoolLease?
  private let guardian = NSLock()
  private var attachments: [String: CVAttachment] = [:]
  private var lockCount = 0

  init(content: Content, lease: PoolLease? = nil) {
    self.content = content
    self.lease = lease
  }

  deinit {
    guard let lease, case .pixels(let storage) = content else { return }
    lease.end(storage)
  }
}

public typealias CVImageBuffer = CVBuffer
public typealias CVPixelBuffer = CVBuffer
public typealias CVMetalTexture = CVImageBuffer

/// A value attached to a buffer, and whether copies of the picture take it along.
struct CVAttachment {
  var value: Any
  var mode: CVAttachmentMode
}

extension CVBuffer {
  /// The memory, or nil for a texture.
  var storage: PixelStorage? {
    if case .pixels(let storage) = content { storage } else { nil }
  }

  /// Width in pixels; of the plane it shows for a texture.
  package var width: Int {
    switch content {
    case .pixels(let storage): storage.layout.width
    case .texture(let texture, _): texture.width
    }
  }

  /// Height in pixels; of the plane it shows for a texture.
  package var height: Int {
    switch content {
    case .pixels(let storage): storage.layout.height
    case .texture(let texture, _): texture.height
    }
  }

  /// The row of the pixel format table, or nil for a texture.
  package var format: PixelFormat? { storage?.layout.format }

  func withAttachments<R>(_ body: (inout [String: CVAttachment]) throws -> R) rethrows -> R {
    guardian.lock()
    defer { guardian.unlock() }
    return try body(&attachments)
  }

  func lock() { guardian.withLock { lockCount += 1 } }

  /// False if the buffer is not locked.
  func unlock() -> Bool {
    guardian.withLock {
      guard lockCount > 0 else { return false }
      lockCount -= 1
      return true
    }
  }

  var isLocked: Bool { guardian.withLock { lockCount > 0 } }
}

extension CVBuffer {
  /// A new buffer of zeroed pixels whose rows start at multiples of 64 bytes (or of what `attributes` ask for).
  ///
  /// - Throws: `CVError` with what `CVPixelBufferCreate` would return.
  package static func make(
    width: Int, height: Int, format: OSType, attributes: [String: Any] = [:]
  ) throws(CVError) -> CVPixelBuffer {
    let layout = try PixelLayout(width: width, height: height, format: format, attributes: attributes)
    let buffer = CVBuffer(content: .pixels(try PixelStorage(layout: layout)))
    buffer.attachDefaults(of: attributes)
    return buffer
  }

  /// Calls `body` with the address, row pitch in bytes, and size in pixels of a plane; the buffer is locked meanwhile.
  ///
  /// Plane 0 of a packed format is the picture. The address is not valid after `body` returns.
  package func withPlane<R>(
    _ plane: Int, readOnly: Bool,
    _ body: (_ base: UnsafeMutableRawPointer, _ bytesPerRow: Int, _ width: Int, _ height: Int) throws -> R
  ) rethrows -> R {
    guard let storage else { preconditionFailure("A texture's pixels are read through the texture.") }
    lock()
    defer { _ = unlock() }
    let extent = storage.layout.planes[plane]
    return try body(storage.bases[plane], extent.bytesPerRow, extent.width, extent.height)
  }
}

extension CVBuffer {
  /// What a device keeps beside the buffer's memory to reach it: made at first use, and gone before the memory is.
  ///
  /// - Parameters:
  ///   - owner: the device, which must be kept alive by what is made.
  ///   - make: gets all of the memory; nil, that nothing can be made, is remembered too.
  /// - Returns: nil also where the memory is someone else's, or holds more around the picture than rows need to be
  ///   aligned, which a device that copies whole rows would overwrite.
  package func companion<Companion: AnyObject>(
    of owner: AnyObject, _ make: (_ memory: UnsafeMutableRawBufferPointer) -> Companion?
  ) -> Companion? {
    guard let storage, let block = storage.block, storage.layout.extended == ExtendedPixels() else { return nil }
    return storage.companion(of: owner) { make(block) } as? Companion
  }

  /// Bytes from the start of the memory that `companion` is made of to a plane's first pixel.
  package func offset(ofPlane plane: Int) -> Int { storage?.layout.planes[plane].offset ?? 0 }
}
