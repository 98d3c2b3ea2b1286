public import Metal

/// The planes of a frame as textures: a frame's life on a device in one value. This package's own shorthand for a texture cache.
///
/// Who draws takes `planes` and encodes its work; `hold(until:)` then keeps the frame's memory from going back to its pool before the
/// work is done. There is nothing to count and nothing to release by hand.
///
/// ```swift
/// let textures = try FrameTextures(pixelBuffer, cache: cache)
/// draw(textures.planes, with: commandBuffer)
/// textures.hold(until: commandBuffer)
/// commandBuffer.commit()
/// ```
public struct FrameTextures: Sendable {
  /// One texture for each plane, in the order of the pixel format. A texel's components are the plane's samples in memory order:
  /// `y416` gives alpha, luma, Cb, Cr; one of `v216` a chroma sample and its luma.
  public let planes: [any MTLTexture]
  private let handles: [CVMetalTexture]

  /// Textures of a frame's planes.
  ///
  /// Throws `CVError` with `kCVReturnPixelBufferNotMetalCompatible` for a pixel format that no texture can show, such as `v210`, whose
  /// samples share words, or `b64a`, whose bytes lie the other way round.
  public init(_ frame: CVPixelBuffer, cache: CVMetalTextureCache) throws {
    guard let layout = frame.storage?.layout else { throw CVError(code: kCVReturnInvalidArgument) }
    var handles: [CVMetalTexture] = []
    for (index, plane) in layout.planes.enumerated() {
      guard let format = layout.format.textureFormat(ofPlane: index) else {
        throw CVError(code: kCVReturnPixelBufferNotMetalCompatible)
      }
      var handle: CVMetalTexture?
      try CVError.check(
        CVMetalTextureCacheCreateTextureFromImage(
          nil, cache, frame, nil, format, plane.width, plane.height, index, &handle))
      if let handle { handles.append(handle) }
    }
    self.handles = handles
    planes = handles.compactMap(CVMetalTextureGetTexture)
  }

  /// Keeps the frame's memory until the command buffer, which is not committed yet, has completed.
  public func hold(until commandBuffer: any MTLCommandBuffer) {
    commandBuffer.addCompletedHandler { [handles] _ in withExtendedLifetime(handles) {} }
  }
}

extension PixelFormat {
  /// The texture format whose components are a plane's samples; nil if there is none.
  func textureFormat(ofPlane index: Int) -> MTLPixelFormat? {
    let plane = planes[index]
    guard plane.components.count.isMultiple(of: plane.blockWidth) else { return nil }
    switch (sample, plane.components.count / plane.blockWidth) {
    case (.uint8, 2) where plane.blockWidth == 2: return plane.components[0] == .luma ? .bgrg422 : .gbgr422
    case (.uint8, 1): return .r8Unorm
    case (.uint8, 2): return .rg8Unorm
    case (.uint8, 4): return plane.components[0] == .blue ? .bgra8Unorm : .rgba8Unorm
    case (.uint16, 1), (.uint10InUpperBits, 1), (.uint12InUpperBits, 1): return .r16Unorm
    case (.uint16, 2), (.uint10InUpperBits, 2), (.uint12InUpperBits, 2): return .rg16Unorm
    case (.uint16, 4): return .rgba16Unorm
    case (.half, 1): return .r16Float
    case (.half, 2): return .rg16Float
    case (.half, 4): return .rgba16Float
    case (.float, 1): return .r32Float
    case (.float, 2): return .rg32Float
    case (.float, 4): return .rgba32Float
    default: return nil
    }
  }
}
