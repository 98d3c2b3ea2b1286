import Foundation

public enum MTLTextureType: UInt, Sendable {
  case type2D = 2
}

public struct MTLTextureUsage: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }

  public static let unknown: MTLTextureUsage = []
  public static let shaderRead = MTLTextureUsage(rawValue: 1)
  public static let shaderWrite = MTLTextureUsage(rawValue: 2)
  public static let renderTarget = MTLTextureUsage(rawValue: 4)
}

public struct MTLOrigin: Hashable, Sendable {
  public var x: Int
  public var y: Int
  public var z: Int
  public init(x: Int = 0, y: Int = 0, z: Int = 0) { (self.x, self.y, self.z) = (x, y, z) }
}

public struct MTLSize: Hashable, Sendable {
  public var width: Int
  public var height: Int
  public var depth: Int
  public init(width: Int = 0, height: Int = 0, depth: Int = 0) {
    (self.width, self.height, self.depth) = (width, height, depth)
  }
}

public struct MTLRegion: Hashable, Sendable {
  public var origin: MTLOrigin
  public var size: MTLSize
  public init(origin: MTLOrigin = MTLOrigin(), size: MTLSize = MTLSize()) { (self.origin, self.size) = (origin, size) }
}

public func MTLOriginMake(_ x: Int, _ y: Int, _ z: Int) -> MTLOrigin { MTLOrigin(x: x, y: y, z: z) }

public func MTLSizeMake(_ width: Int, _ height: Int, _ depth: Int) -> MTLSize {
  MTLSize(width: width, height: height, depth: depth)
}

public func MTLRegionMake2D(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> MTLRegion {
  MTLRegion(origin: MTLOrigin(x: x, y: y, z: 0), size: MTLSize(width: width, height: height, depth: 1))
}

/// What a texture shall be: two-dimensional, one level, no array.
public final class MTLTextureDescriptor: @unchecked Sendable {
  public var textureType = MTLTextureType.type2D
  public var pixelFormat = MTLPixelFormat.rgba8Unorm
  public var width = 1
  public var height = 1
  public var depth = 1
  public var mipmapLevelCount = 1
  public var arrayLength = 1
  public var usage = MTLTextureUsage.shaderRead
  public var storageMode = MTLStorageMode.shared

  public init() {}

  /// A descriptor of one two-dimensional picture. Mipmaps are not supported: with `mipmapped` no texture will be made.
  public static func texture2DDescriptor(
    pixelFormat: MTLPixelFormat, width: Int, height: Int, mipmapped: Bool
  ) -> MTLTextureDescriptor {
    let descriptor = MTLTextureDescriptor()
    descriptor.pixelFormat = pixelFormat
    (descriptor.width, descriptor.height) = (width, height)
    if mipmapped { descriptor.mipmapLevelCount = max(1, Int.bitWidth - max(width, height, 1).leadingZeroBitCount) }
    return descriptor
  }
}

/// A picture that commands read and write.
public protocol MTLTexture: MTLResource {
  var textureType: MTLTextureType { get }
  var pixelFormat: MTLPixelFormat { get }
  var width: Int { get }
  var height: Int { get }
  var depth: Int { get }
  var mipmapLevelCount: Int { get }
  var arrayLength: Int { get }
  var usage: MTLTextureUsage { get }
  /// Copies the pixels of `region` to rows of `bytesPerRow` bytes. A region outside the texture, a level other than 0 or a
  /// pitch below the row's length is a precondition failure.
  func getBytes(_ bytes: UnsafeMutableRawPointer, bytesPerRow: Int, from region: MTLRegion, mipmapLevel: Int)
  /// Sets the pixels of `region`; preconditions as for `getBytes`.
  func replace(region: MTLRegion, mipmapLevel: Int, withBytes bytes: UnsafeRawPointer, bytesPerRow: Int)
}
