/// The pixel formats of textures, with the numbers of the original.
public enum MTLPixelFormat: UInt, Sendable, CaseIterable {
  case invalid = 0
  case a8Unorm = 1
  case r8Unorm = 10
  case r8Unorm_srgb = 11
  case r16Unorm = 20
  case r16Float = 25
  case rg8Unorm = 30
  case rg8Unorm_srgb = 31
  case r32Float = 55
  case rg16Unorm = 60
  case rg16Float = 65
  case rgba8Unorm = 70
  case rgba8Unorm_srgb = 71
  case bgra8Unorm = 80
  case bgra8Unorm_srgb = 81
  case rg32Float = 105
  case rgba16Unorm = 110
  case rgba16Float = 115
  case rgba32Float = 125
  /// Two pixels of packed 4:2:2, Cb first.
  case gbgr422 = 240
  /// Two pixels of packed 4:2:2, luma first.
  case bgrg422 = 241
}

extension MTLPixelFormat {
  /// Bytes of one pixel (2 for the packed 4:2:2 formats); 0 for `invalid`.
  package var bytesPerPixel: Int {
    switch self {
    case .invalid: 0
    case .a8Unorm, .r8Unorm, .r8Unorm_srgb: 1
    case .r16Unorm, .r16Float, .rg8Unorm, .rg8Unorm_srgb, .gbgr422, .bgrg422: 2
    case .r32Float, .rg16Unorm, .rg16Float, .rgba8Unorm, .rgba8Unorm_srgb, .bgra8Unorm, .bgra8Unorm_srgb: 4
    case .rg32Float, .rgba16Unorm, .rgba16Float: 8
    case .rgba32Float: 16
    }
  }
}
