public import Metal

/// Seconds for which a cache may keep an unused texture; 1 by default, 0 for ever.
public let kCVMetalTextureCacheMaximumTextureAgeKey: CFString = "MaximumTextureAge"
/// In the texture attributes: the raw value of an `MTLTextureUsage`.
public let kCVMetalTextureUsage: CFString = "MetalTextureUsage"

/// Makes textures that show the planes of pixel buffers.
///
/// On the processor a texture is a view of the buffer's own memory, which costs nothing to make; so the cache keeps none: a texture that
/// nobody holds is gone at once, whatever the age that is allowed, and one that is held outlives any age, flush, and the cache.
public final class CVMetalTextureCache: Sendable {
  fileprivate let device: any MTLDevice
  fileprivate let usage: MTLTextureUsage

  fileprivate init(
    device: any MTLDevice, cacheAttributes: [String: Any], textureAttributes: [String: Any]
  ) throws(CVError) {
    let age = number(cacheAttributes[kCVMetalTextureCacheMaximumTextureAgeKey] ?? 1) ?? .nan
    guard age >= 0 else { throw CVError(code: kCVReturnInvalidArgument) }
    self.device = device
    usage = try Self.usage(textureAttributes) ?? .shaderRead
  }

  fileprivate static func usage(_ attributes: [String: Any]) throws(CVError) -> MTLTextureUsage? {
    guard let value = attributes[kCVMetalTextureUsage] else { return nil }
    if let usage = value as? MTLTextureUsage { return usage }
    guard let bits = integer(value), bits >= 0 else { throw CVError(code: kCVReturnInvalidArgument) }
    return MTLTextureUsage(rawValue: UInt(bits))
  }
}

/// Makes a texture cache; `kCVReturnInvalidArgument` for an attribute that cannot be used.
@discardableResult
public func CVMetalTextureCacheCreate(
  _ allocator: CFAllocator?, _ cacheAttributes: CFDictionary?, _ metalDevice: any MTLDevice,
  _ textureAttributes: CFDictionary?, _ cacheOut: UnsafeMutablePointer<CVMetalTextureCache?>
) -> CVReturn {
  do {
    cacheOut.pointee = try CVMetalTextureCache(
      device: metalDevice, cacheAttributes: cacheAttributes ?? [:], textureAttributes: textureAttributes ?? [:])
    return kCVReturnSuccess
  } catch {
    return error.code
  }
}

/// Makes a texture that shows plane `planeIndex` of `sourceImage`: what is written to one is read from the other.
///
/// The texture holds the image, so that a pool does not take the memory back meanwhile. It gets the image's propagating attachments.
///
/// - Returns: `kCVReturnInvalidArgument` for a plane or size (in pixels of the plane) that the image does not have, and
///   `kCVReturnPixelBufferNotMetalCompatible` if the texture's pixels are not as many bytes as the plane's.
@discardableResult
public func CVMetalTextureCacheCreateTextureFromImage(
  _ allocator: CFAllocator?, _ textureCache: CVMetalTextureCache, _ sourceImage: CVImageBuffer,
  _ textureAttributes: CFDictionary?, _ pixelFormat: MTLPixelFormat, _ width: Int, _ height: Int, _ planeIndex: Int,
  _ textureOut: UnsafeMutablePointer<CVMetalTexture?>
) -> CVReturn {
  do throws(CVError) {
    let descriptor = MTLTextureDescriptor.texture2DDescriptor(
      pixelFormat: pixelFormat, width: width, height: height, mipmapped: false)
    descriptor.usage = try CVMetalTextureCache.usage(textureAttributes ?? [:]) ?? textureCache.usage
    guard let surface = sourceImage.storage?.surface else { throw CVError(code: kCVReturnInvalidArgument) }
    let texture = try surface.texture(
      of: planeIndex, device: textureCache.device, descriptor: descriptor, owner: sourceImage)
    let buffer = CVBuffer(content: .texture(texture, source: sourceImage))
    CVBufferPropagateAttachments(sourceImage, buffer)
    textureOut.pointee = buffer
    return kCVReturnSuccess
  } catch {
    return error.code
  }
}

/// The texture of a buffer made by a texture cache; nil for any other buffer.
public func CVMetalTextureGetTexture(_ image: CVMetalTexture) -> (any MTLTexture)? {
  if case .texture(let texture, _) = image.content { texture } else { nil }
}

/// Whether the texture's first row is the top of the picture: always.
public func CVMetalTextureIsFlipped(_ image: CVMetalTexture) -> Bool { true }

/// The corners of the clean aperture in texture coordinates, x and y each, from (0, 0) at the top left to (1, 1) at the bottom right; those
/// of the whole picture where the buffer has no clean aperture.
public func CVMetalTextureGetCleanTexCoords(
  _ image: CVMetalTexture, _ lowerLeft: UnsafeMutablePointer<Float>, _ lowerRight: UnsafeMutablePointer<Float>,
  _ upperRight: UnsafeMutablePointer<Float>, _ upperLeft: UnsafeMutablePointer<Float>
) {
  let clean = image.cleanShare
  for (corner, x, y) in [
    (lowerLeft, clean.x.lowerBound, clean.y.upperBound), (lowerRight, clean.x.upperBound, clean.y.upperBound),
    (upperRight, clean.x.upperBound, clean.y.lowerBound), (upperLeft, clean.x.lowerBound, clean.y.lowerBound),
  ] { (corner[0], corner[1]) = (x, y) }
}

extension CVBuffer {
  /// The clean aperture as shares of width and height; its offsets are those of its middle from the picture's, to the right and down.
  fileprivate var cleanShare: (x: ClosedRange<Float>, y: ClosedRange<Float>) {
    guard case .texture(_, let source) = content,
      let aperture = CVBufferCopyAttachment(self, kCVImageBufferCleanApertureKey, nil) as? [String: Any]
    else { return (0...1, 0...1) }
    // The aperture is in pixels of the picture, whichever plane the texture shows.
    func share(_ length: String, _ offset: String, of whole: Int) -> ClosedRange<Float> {
      let half = (number(aperture[length]) ?? Double(whole)) / Double(whole) / 2
      let middle = 0.5 + (number(aperture[offset]) ?? 0) / Double(whole)
      guard half > 0, half.isFinite, middle.isFinite else { return 0...1 }
      return Float(min(max(middle - half, 0), 1))...Float(min(max(middle + half, 0), 1))
    }
    return (
      share(kCVImageBufferCleanApertureWidthKey, kCVImageBufferCleanApertureHorizontalOffsetKey, of: source.width),
      share(kCVImageBufferCleanApertureHeightKey, kCVImageBufferCleanApertureVerticalOffsetKey, of: source.height)
    )
  }
}

/// Frees textures that nobody uses; the cache keeps none.
public func CVMetalTextureCacheFlush(_ textureCache: CVMetalTextureCache, _ options: UInt64) {}
