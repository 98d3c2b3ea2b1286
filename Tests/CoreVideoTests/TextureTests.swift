import CoreGeometry
import CoreVideo
import Metal
import Testing

struct TextureTests {
  private let device = MTLCreateSystemDefaultDevice()!

  private func descriptor(_ format: MTLPixelFormat, _ width: Int, _ height: Int) -> MTLTextureDescriptor {
    .texture2DDescriptor(pixelFormat: format, width: width, height: height, mipmapped: false)
  }

  @Test(arguments: MTLPixelFormat.allCases.filter { $0 != .invalid })
  func regionsRoundTrip(format: MTLPixelFormat) throws {
    let texture = try #require(device.makeTexture(descriptor: descriptor(format, 5, 4)))
    let row = 3 * format.bytesPerPixel
    let written = (0..<row * 2).map { UInt8($0 + 1) }
    texture.replace(region: MTLRegionMake2D(1, 2, 3, 2), mipmapLevel: 0, withBytes: written, bytesPerRow: row)
    var read = [UInt8](repeating: 0, count: 2 * (row + 4))
    texture.getBytes(&read, bytesPerRow: row + 4, from: MTLRegionMake2D(1, 2, 3, 2), mipmapLevel: 0)
    #expect(read == written[..<row] + [0, 0, 0, 0] + written[row...] + [0, 0, 0, 0])
    var all = [UInt8](repeating: 9, count: 20 * format.bytesPerPixel)
    texture.getBytes(&all, bytesPerRow: 5 * format.bytesPerPixel, from: MTLRegionMake2D(0, 0, 5, 4), mipmapLevel: 0)
    #expect(all.count { $0 == 0 } == all.count - written.count)
  }

  @Test func impossibleTextures() {
    for (width, height) in [(0, 4), (4, -1), (Int.max, 1), (1 << 20, 1 << 20)] {
      #expect(device.makeTexture(descriptor: descriptor(.rgba32Float, width, height)) == nil)
    }
    #expect(device.makeTexture(descriptor: descriptor(.invalid, 4, 4)) == nil)
    let mipmapped = MTLTextureDescriptor.texture2DDescriptor(
      pixelFormat: .r8Unorm, width: 4, height: 4, mipmapped: true)
    #expect(mipmapped.mipmapLevelCount == 3 && device.makeTexture(descriptor: mipmapped) == nil)
  }

  @Test func planeAndTextureAreTheSameMemory() throws {
    let buffer = try CVBuffer.make(width: 7, height: 5, format: fourCharacterCode("420v"))
    CVBufferSetAttachment(buffer, "a", 1, .shouldPropagate)
    let image = try makeTexture(of: buffer, .rg8Unorm, 4, 3, plane: 1)
    let texture = try #require(CVMetalTextureGetTexture(image))
    #expect(CVPixelBufferGetWidth(image) == 4 && texture.height == 3 && CVBufferHasAttachment(image, "a"))
    #expect(CVMetalTextureGetTexture(buffer) == nil)
    #expect(CVPixelBufferLockBaseAddress(image, []) == kCVReturnInvalidArgument)
    texture.replace(
      region: MTLRegionMake2D(3, 2, 1, 1), mipmapLevel: 0, withBytes: [7, 8] as [UInt8], bytesPerRow: 2)
    buffer.withPlane(1, readOnly: true) { base, pitch, _, _ in
      #expect(base.load(fromByteOffset: 2 * pitch + 6, as: UInt8.self) == 7)
      #expect(base.load(fromByteOffset: 2 * pitch + 7, as: UInt8.self) == 8)
    }
  }

  @Test func cleanCoordinatesAreThoseOfTheCleanAperture() throws {
    let buffer = try CVBuffer.make(width: 8, height: 4, format: fourCharacterCode("420v"))
    func corners() throws -> [[Float]] {
      let image = try makeTexture(of: buffer, .rg8Unorm, 4, 2, plane: 1)
      let none: [Float] = [9, 9]
      var (a, b, c, d) = (none, none, none, none)
      CVMetalTextureGetCleanTexCoords(image, &a, &b, &c, &d)
      return [a, b, c, d]
    }
    #expect(try corners() == [[0, 1], [1, 1], [1, 0], [0, 0]])
    // Six of eight columns, one to the right of the middle; two of four rows in the middle.
    CVBufferSetAttachment(
      buffer, kCVImageBufferCleanApertureKey,
      [
        kCVImageBufferCleanApertureWidthKey: 6, kCVImageBufferCleanApertureHeightKey: 2,
        kCVImageBufferCleanApertureHorizontalOffsetKey: 1, kCVImageBufferCleanApertureVerticalOffsetKey: 0,
      ], .shouldPropagate)
    #expect(try corners() == [[0.25, 0.75], [1, 0.75], [1, 0.25], [0.25, 0.25]])
    #expect(CVImageBufferGetCleanRect(buffer) == CGRect(x: 2, y: 1, width: 6, height: 2))
  }

  @Test func sizesAreThoseOfTheAttachments() throws {
    let buffer = try CVBuffer.make(width: 8, height: 4, format: fourCharacterCode("420v"))
    #expect(CVImageBufferGetCleanRect(buffer) == CGRect(x: 0, y: 0, width: 8, height: 4))
    #expect(CVImageBufferGetEncodedSize(buffer) == CGSize(width: 8, height: 4))
    CVBufferSetAttachment(
      buffer, kCVImageBufferPixelAspectRatioKey,
      [
        kCVImageBufferPixelAspectRatioHorizontalSpacingKey: 3, kCVImageBufferPixelAspectRatioVerticalSpacingKey: 2,
      ], .shouldPropagate)
    #expect(CVImageBufferGetDisplaySize(buffer) == CGSize(width: 12, height: 4))
    CVBufferSetAttachment(
      buffer, kCVImageBufferDisplayDimensionsKey,
      [kCVImageBufferDisplayWidthKey: 16, kCVImageBufferDisplayHeightKey: 9], .shouldPropagate)
    #expect(CVImageBufferGetDisplaySize(buffer) == CGSize(width: 16, height: 9))
  }

  @Test func texturesThatDoNotFit() throws {
    let buffer = try CVBuffer.make(width: 8, height: 4, format: fourCharacterCode("420v"))
    let v210 = try CVBuffer.make(width: 12, height: 4, format: fourCharacterCode("v210"))
    let invalid = CVError(code: kCVReturnInvalidArgument)
    let incompatible = CVError(code: kCVReturnPixelBufferNotMetalCompatible)
    #expect(throws: invalid) { try makeTexture(of: buffer, .r8Unorm, 8, 4, plane: 2) }
    #expect(throws: invalid) { try makeTexture(of: buffer, .r8Unorm, 8, 4, plane: -1) }
    #expect(throws: invalid) { try makeTexture(of: buffer, .r8Unorm, 9, 4) }
    #expect(throws: invalid) { try makeTexture(of: buffer, .rg8Unorm, 8, 4, plane: 1) }
    #expect(throws: invalid) { try makeTexture(of: buffer, .r8Unorm, 0, 4) }
    #expect(throws: incompatible) { try makeTexture(of: buffer, .bgra8Unorm, 8, 4) }
    #expect(throws: incompatible) { try makeTexture(of: v210, .rg8Unorm, 12, 4) }
    let packed = try CVBuffer.make(width: 8, height: 4, format: fourCharacterCode("2vuy"))
    #expect(CVMetalTextureGetTexture(try makeTexture(of: packed, .gbgr422, 8, 4))?.pixelFormat == .gbgr422)
  }
}
