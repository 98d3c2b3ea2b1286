import CoreVideo
import Metal

/// Textures as pixel buffers that share, and keep, their memory.
enum TextureDestination {
  /// Nil for a format that is not one of R'G'B' and alpha.
  static func rgba(_ texture: any MTLTexture) -> CVPixelBuffer? {
    let format: OSType
    switch texture.pixelFormat {
    case .bgra8Unorm: format = kCVPixelFormatType_32BGRA
    case .rgba8Unorm: format = kCVPixelFormatType_32RGBA
    case .rgba16Unorm: format = kCVPixelFormatType_64RGBALE
    case .rgba16Float: format = kCVPixelFormatType_64RGBAHalf
    case .rgba32Float: format = kCVPixelFormatType_128RGBAFloat
    default: return nil
    }
    return texture.withBytes { base, bytesPerRow in
      var buffer: CVPixelBuffer?
      _ = CVPixelBufferCreateWithBytes(
        nil, texture.width, texture.height, format, base, bytesPerRow, { _, _ in withExtendedLifetime(texture) {} },
        nil,
        nil, &buffer)
      return buffer
    }
  }

  /// Nil unless the two have formats and sizes that go together.
  static func yCbCr(_ luma: any MTLTexture, _ chroma: any MTLTexture, isFullRange: Bool) -> CVPixelBuffer? {
    guard let depth = depth(luma, chroma), let sampling = sampling(luma, chroma) else { return nil }
    let code = PixelFormat.all.first {
      $0.isYCbCr && $0.planes.count == 2 && $0.sample == depth && $0.isFullRange == isFullRange
        && $0.chromaSubsampling == sampling
    }?.code
    guard let code else { return nil }
    return luma.withBytes { lumaBase, lumaPitch in
      chroma.withBytes { chromaBase, chromaPitch in
        var bases: [UnsafeMutableRawPointer?] = [lumaBase, chromaBase]
        var (widths, heights) = ([luma.width, chroma.width], [luma.height, chroma.height])
        var pitches = [lumaPitch, chromaPitch]
        var buffer: CVPixelBuffer?
        _ = CVPixelBufferCreateWithPlanarBytes(
          nil, luma.width, luma.height, code, nil, 0, 2, &bases, &widths, &heights, &pitches,
          { _, _, _, _, _ in withExtendedLifetime((luma, chroma)) {} }, nil, nil, &buffer)
        return buffer
      }
    }
  }

  private static func depth(_ luma: any MTLTexture, _ chroma: any MTLTexture) -> PixelFormat.Sample? {
    switch (luma.pixelFormat, chroma.pixelFormat) {
    case (.r8Unorm, .rg8Unorm): .uint8
    case (.r16Unorm, .rg16Unorm): .uint10InUpperBits
    default: nil
    }
  }

  private static func sampling(_ luma: any MTLTexture, _ chroma: any MTLTexture) -> (Int, Int)? {
    let half = (width: (luma.width + 1) / 2, height: (luma.height + 1) / 2)
    switch (chroma.width, chroma.height) {
    case (luma.width, luma.height): return (1, 1)
    case (half.width, luma.height): return (2, 1)
    case (half.width, half.height): return (2, 2)
    default: return nil
    }
  }
}
