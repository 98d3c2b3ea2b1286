import CoreVideo
import Testing

struct PixelFormatTests {
  static let creatable = PixelFormat.all.filter { !$0.isOpaque }
  static let sizes = [(1, 1), (2, 2), (7, 5), (13, 1), (1, 9), (64, 36)]

  @Test(arguments: creatable, sizes)
  func bufferIsZeroedAndFitsItsPlanes(format: PixelFormat, size: (Int, Int)) throws {
    let buffer = try CVBuffer.make(width: size.0, height: size.1, format: format.code)
    #expect(CVPixelBufferGetPixelFormatType(buffer) == format.code)
    #expect(CVPixelBufferGetWidth(buffer) == size.0 && CVPixelBufferGetHeight(buffer) == size.1)
    #expect(CVPixelBufferIsPlanar(buffer) == (format.planes.count > 1))
    #expect(CVPixelBufferGetPlaneCount(buffer) == (format.planes.count > 1 ? format.planes.count : 0))
    var total = 0
    for (index, plane) in format.planes.enumerated() {
      let pitch = buffer.withPlane(index, readOnly: true) { base, pitch, width, height in
        let bytes = UnsafeRawBufferPointer(start: base, count: pitch * height)
        #expect(bytes.allSatisfy { $0 == 0 })
        #expect(Int(bitPattern: base) % 64 == 0)
        #expect(pitch % 64 == 0 && pitch * plane.blockWidth >= width * plane.bytesPerBlock)
        return pitch
      }
      total += pitch * CVPixelBufferGetHeightOfPlane(buffer, index)
      #expect(CVPixelBufferGetBytesPerRowOfPlane(buffer, index) == pitch)
    }
    #expect(CVPixelBufferGetDataSize(buffer) >= total)
  }

  @Test(arguments: [
    ("420v", 4, 3), ("420f", 4, 3), ("x420", 4, 3), ("xf20", 4, 3), ("v0a8", 4, 3), ("422v", 4, 5), ("422f", 4, 5),
    ("x422", 4, 5), ("xf22", 4, 5), ("sv22", 4, 5), ("444v", 7, 5), ("444f", 7, 5), ("x444", 7, 5), ("xf44", 7, 5),
    ("sv44", 7, 5), ("s4as", 7, 5),
  ])
  func chromaOfOddSizesIsRoundedUp(code: String, width: Int, height: Int) throws {
    let buffer = try CVBuffer.make(width: 7, height: 5, format: fourCharacterCode(code))
    #expect(CVPixelBufferGetWidthOfPlane(buffer, 0) == 7 && CVPixelBufferGetHeightOfPlane(buffer, 0) == 5)
    #expect(CVPixelBufferGetWidthOfPlane(buffer, 1) == width && CVPixelBufferGetHeightOfPlane(buffer, 1) == height)
    if CVPixelBufferGetPlaneCount(buffer) == 3 {
      #expect(CVPixelBufferGetWidthOfPlane(buffer, 2) == 7 && CVPixelBufferGetHeightOfPlane(buffer, 2) == 5)
    }
    #expect(CVPixelBufferGetWidthOfPlane(buffer, 3) == 0 && CVPixelBufferGetBytesPerRowOfPlane(buffer, -1) == 0)
  }

  @Test(arguments: [
    ("BGRA", 100), ("RGhA", 200), ("RGfA", 400), ("b48r", 150), ("2vuy", 52), ("v216", 104), ("v210", 80),
    ("L008", 25), ("hdis", 50), ("fdis", 100),
  ])
  func rowsOfPackedFormats(code: String, bytes: Int) throws {
    let attributes = [kCVPixelBufferBytesPerRowAlignmentKey: 1]
    let buffer = try CVBuffer.make(width: 25, height: 2, format: fourCharacterCode(code), attributes: attributes)
    let alignment = code == "v210" ? 128 : 1
    #expect(CVPixelBufferGetBytesPerRow(buffer) == (bytes + alignment - 1) / alignment * alignment)
  }

  @Test(arguments: [
    (kCVPixelFormatType_32BGRA, 0, 4, kCVReturnInvalidSize), (kCVPixelFormatType_32BGRA, 4, 0, kCVReturnInvalidSize),
    (kCVPixelFormatType_32BGRA, -1, 4, kCVReturnInvalidSize),
    (kCVPixelFormatType_32BGRA, .max, .max, kCVReturnInvalidSize),
    (kCVPixelFormatType_32BGRA, .min, 1, kCVReturnInvalidSize),
    (kCVPixelFormatType_128RGBAFloat, 1 << 20, 1 << 20, kCVReturnAllocationFailed),
    (fourCharacterCode("nope"), 4, 4, kCVReturnInvalidPixelFormat), (0, 4, 4, kCVReturnInvalidPixelFormat),
  ])
  func impossibleBuffers(format: OSType, width: Int, height: Int, code: CVReturn) {
    var buffer: CVPixelBuffer?
    #expect(CVPixelBufferCreate(nil, width, height, format, nil, &buffer) == code)
    #expect(buffer == nil)
  }

  @Test(arguments: PixelFormat.all.filter(\.isOpaque))
  func opaqueFormatsAreUnsupported(format: PixelFormat) {
    var buffer: CVPixelBuffer?
    #expect(CVPixelBufferCreate(nil, 64, 64, format.code, nil, &buffer) == kCVReturnUnsupported)
  }

  @Test(arguments: [
    (kCVPixelBufferBytesPerRowAlignmentKey, 3), (kCVPixelBufferBytesPerRowAlignmentKey, -64),
    (kCVPixelBufferPlaneAlignmentKey, 1 << 40), (kCVPixelBufferExtendedPixelsLeftKey, -1),
    (kCVPixelBufferExtendedPixelsBottomKey, .max),
  ])
  func impossibleAttributes(key: String, value: Int) {
    var buffer: CVPixelBuffer?
    let result = CVPixelBufferCreate(nil, 4, 4, kCVPixelFormatType_32BGRA, [key: value] as CFDictionary, &buffer)
    #expect(result == kCVReturnInvalidPixelBufferAttributes)
  }
}
