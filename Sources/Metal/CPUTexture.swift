import Foundation

/// A texture in the processor's memory, its own or (for a pixel buffer's plane) someone else's.
package final class CPUTexture: MTLTexture, @unchecked Sendable {
  /// No texture is wider or higher.
  package static let maximumDimension = 1 << 20
  /// No texture takes more memory: 8 GiB.
  package static let maximumByteCount = 1 << 33

  package let device: any MTLDevice
  package let textureType = MTLTextureType.type2D
  package let pixelFormat: MTLPixelFormat
  package let width: Int
  package let height: Int
  package let depth = 1
  package let mipmapLevelCount = 1
  package let arrayLength = 1
  package let usage: MTLTextureUsage
  package let storageMode = MTLStorageMode.shared
  /// From one row to the next, in bytes.
  package let bytesPerRow: Int
  fileprivate let bytes: UnsafeMutableRawPointer
  /// Keeps borrowed memory alive; nil if the memory is the texture's own.
  private let owner: AnyObject?
  private let name = Guarded<String?>(nil)

  init?(device: any MTLDevice, descriptor: MTLTextureDescriptor) {
    let format = descriptor.pixelFormat
    guard descriptor.mipmapLevelCount == 1, descriptor.arrayLength == 1, descriptor.depth == 1,
      descriptor.storageMode != .memoryless, format != .invalid,
      1...Self.maximumDimension ~= descriptor.width, 1...Self.maximumDimension ~= descriptor.height
    else { return nil }
    let bytesPerRow = descriptor.width * format.bytesPerPixel
    guard bytesPerRow * descriptor.height <= Self.maximumByteCount, let bytes = calloc(descriptor.height, bytesPerRow)
    else { return nil }
    self.device = device
    (pixelFormat, width, height, usage) = (format, descriptor.width, descriptor.height, descriptor.usage)
    (self.bytesPerRow, self.bytes, owner) = (bytesPerRow, bytes, nil)
  }

  /// A texture that shows `memory`, which `owner` keeps alive.
  package init(
    device: any MTLDevice, sharing memory: UnsafeMutableRawPointer, bytesPerRow: Int, of owner: AnyObject,
    descriptor: MTLTextureDescriptor
  ) {
    self.device = device
    (pixelFormat, usage) = (descriptor.pixelFormat, descriptor.usage)
    (width, height) = (descriptor.width, descriptor.height)
    (self.bytesPerRow, bytes, self.owner) = (bytesPerRow, memory, owner)
  }

  deinit { if owner == nil { free(bytes) } }

  package var label: String? {
    get { name.withLock { $0 } }
    set { name.withLock { $0 = newValue } }
  }

  package func getBytes(
    _ bytes: UnsafeMutableRawPointer, bytesPerRow: Int, from region: MTLRegion, mipmapLevel: Int
  ) {
    forEachRow(of: region, mipmapLevel: mipmapLevel, bytesPerRow: bytesPerRow) { row, own, count in
      (bytes + row * bytesPerRow).copyMemory(from: own, byteCount: count)
    }
  }

  package func replace(region: MTLRegion, mipmapLevel: Int, withBytes bytes: UnsafeRawPointer, bytesPerRow: Int) {
    forEachRow(of: region, mipmapLevel: mipmapLevel, bytesPerRow: bytesPerRow) { row, own, count in
      own.copyMemory(from: bytes + row * bytesPerRow, byteCount: count)
    }
  }

  private func forEachRow(
    of region: MTLRegion, mipmapLevel: Int, bytesPerRow pitch: Int,
    _ body: (_ row: Int, _ own: UnsafeMutableRawPointer, _ byteCount: Int) -> Void
  ) {
    let (origin, size) = (region.origin, region.size)
    let bytesPerPixel = pixelFormat.bytesPerPixel
    precondition(mipmapLevel == 0, "The texture has one level.")
    precondition(
      origin.x >= 0 && origin.y >= 0 && origin.z == 0 && 0...width ~= size.width && 0...height ~= size.height
        && origin.x <= width - size.width && origin.y <= height - size.height && size.depth == 1,
      "The region lies outside the texture.")
    let count = size.width * bytesPerPixel
    precondition(pitch >= count, "The row pitch is below the row's length.")
    for row in 0..<size.height {
      body(row, bytes + (origin.y + row) * bytesPerRow + origin.x * bytesPerPixel, count)
    }
  }
}

extension MTLTexture {
  /// Calls `body` with the texture's memory: address of the first pixel and bytes from row to row.
  ///
  /// Every texture of this process lives in the processor's memory; another device will copy there and back.
  package func withBytes<R>(_ body: (_ base: UnsafeMutableRawPointer, _ bytesPerRow: Int) throws -> R) rethrows -> R {
    guard let texture = self as? CPUTexture else { preconditionFailure("The texture was not made by this package.") }
    return try withExtendedLifetime(texture) { try body(texture.bytes, texture.bytesPerRow) }
  }
}
