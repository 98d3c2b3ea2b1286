import CoreVideo
import Foundation
import Testing

/// Counts calls from any thread.
final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var calls = 0
  var count: Int { lock.withLock { calls } }
  func add() { lock.withLock { calls += 1 } }
}

struct PixelBufferTests {
  @Test func givenBytesAreReleasedOnce() {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)
    defer { bytes.deallocate() }
    let (address, counter) = (UInt(bitPattern: bytes), Counter())
    var buffer: CVPixelBuffer?
    let result = CVPixelBufferCreateWithBytes(
      nil, 4, 4, kCVPixelFormatType_32BGRA, bytes, 16,
      { context, base in
        #expect(UInt(bitPattern: context) == address + 1 && UInt(bitPattern: base) == address)
        counter.add()
      }, bytes + 1, nil, &buffer)
    #expect(result == kCVReturnSuccess)
    #expect(buffer?.withPlane(0, readOnly: true) { base, pitch, _, _ in base == bytes && pitch == 16 } == true)
    #expect(counter.count == 0)
    withExtendedLifetime(buffer) {}
    buffer = nil
    #expect(counter.count == 1)
  }

  @Test func refusedBytesStayWithTheCaller() {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)
    defer { bytes.deallocate() }
    let counter = Counter()
    func create(_ format: OSType, width: Int, pitch: Int) -> CVReturn {
      var buffer: CVPixelBuffer?
      return CVPixelBufferCreateWithBytes(
        nil, width, 4, format, bytes, pitch, { _, _ in counter.add() }, nil, nil, &buffer)
    }
    #expect(create(kCVPixelFormatType_32BGRA, width: 4, pitch: 15) == kCVReturnInvalidArgument)
    #expect(create(kCVPixelFormatType_32BGRA, width: 4, pitch: .max) == kCVReturnInvalidArgument)
    #expect(create(kCVPixelFormatType_32BGRA, width: 0, pitch: 16) == kCVReturnInvalidSize)
    #expect(create(fourCharacterCode("420v"), width: 4, pitch: 16) == kCVReturnInvalidArgument)
    #expect(create(fourCharacterCode("&BGA"), width: 4, pitch: 16) == kCVReturnUnsupported)
    #expect(counter.count == 0)
  }

  @Test func givenPlanesAreReleasedOnce() {
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: 48, alignment: 64)
    defer { bytes.deallocate() }
    let (address, counter) = (UInt(bitPattern: bytes), Counter())
    var buffer: CVPixelBuffer?
    let result = CVPixelBufferCreateWithPlanarBytes(
      nil, 5, 3, fourCharacterCode("420v"), bytes, 48, 2, [bytes, bytes + 24], [5, 3], [3, 2], [8, 8],
      { _, data, size, count, planes in
        #expect(UInt(bitPattern: data) == address && size == 48 && count == 2)
        #expect(UInt(bitPattern: planes?[1]) == address + 24)
        counter.add()
      }, nil, nil, &buffer)
    #expect(result == kCVReturnSuccess)
    #expect(
      buffer?.withPlane(1, readOnly: true) { base, _, width, height in
        base == bytes + 24 && width == 3 && height == 2
      } == true)
    #expect(counter.count == 0)
    withExtendedLifetime(buffer) {}
    buffer = nil
    #expect(counter.count == 1)
  }

  @Test func addressIsKnownOnlyWhileLocked() throws {
    let buffer = try CVBuffer.make(width: 4, height: 4, format: fourCharacterCode("420v"))
    #expect(CVPixelBufferGetBaseAddress(buffer) == nil && CVPixelBufferGetBaseAddressOfPlane(buffer, 1) == nil)
    #expect(CVPixelBufferUnlockBaseAddress(buffer, []) == kCVReturnInvalidArgument)
    #expect(CVPixelBufferLockBaseAddress(buffer, []) == kCVReturnSuccess)
    #expect(CVPixelBufferLockBaseAddress(buffer, .readOnly) == kCVReturnSuccess)
    #expect(
      CVPixelBufferGetBaseAddressOfPlane(buffer, 1) != nil && CVPixelBufferGetBaseAddressOfPlane(buffer, 2) == nil)
    #expect(CVPixelBufferUnlockBaseAddress(buffer, .readOnly) == kCVReturnSuccess)
    #expect(CVPixelBufferGetBaseAddress(buffer) != nil)
    #expect(CVPixelBufferUnlockBaseAddress(buffer, []) == kCVReturnSuccess)
    #expect(CVPixelBufferGetBaseAddress(buffer) == nil)
  }

  private static let padded: [String: Int] = [
    kCVPixelBufferExtendedPixelsLeftKey: 2, kCVPixelBufferExtendedPixelsRightKey: 4,
    kCVPixelBufferExtendedPixelsTopKey: 2, kCVPixelBufferExtendedPixelsBottomKey: 2,
  ]

  /// Every byte of the padding must be that of the nearest block of the picture.
  @Test(arguments: ["L008", "BGRA", "420v", "x422", "2vuy", "RGhA"], [1, 5, 8])
  func paddingRepeatsTheEdge(code: String, width: Int) throws {
    let format = try #require(PixelFormat.description(of: fourCharacterCode(code)))
    let buffer = try CVBuffer.make(width: width, height: 3, format: format.code, attributes: Self.padded)
    for (index, shape) in format.planes.enumerated() {
      buffer.withPlane(index, readOnly: false) { base, pitch, width, height in
        let row = (width + shape.blockWidth - 1) / shape.blockWidth * shape.bytesPerBlock
        for y in 0..<height {
          for x in 0..<row { base.storeBytes(of: UInt8(y * row + x + 1), toByteOffset: y * pitch + x, as: UInt8.self) }
        }
      }
    }
    #expect(CVPixelBufferFillExtendedPixels(buffer) == kCVReturnSuccess)
    for (index, shape) in format.planes.enumerated() {
      expectRepeatedEdge(buffer, plane: index, shape: shape)
    }
  }

  private func expectRepeatedEdge(_ buffer: CVPixelBuffer, plane: Int, shape: PixelFormat.Plane) {
    buffer.withPlane(plane, readOnly: true) { base, pitch, width, height in
      let (blocks, size) = ((width + shape.blockWidth - 1) / shape.blockWidth, shape.bytesPerBlock)
      let across = shape.blockWidth * shape.horizontalSubsampling
      let down = 2 / shape.verticalSubsampling
      for y in -down..<height + down {
        for x in -2 / across..<blocks + 4 / across {
          let nearest = min(max(y, 0), height - 1) * pitch + min(max(x, 0), blocks - 1) * size
          #expect(memcmp(base + y * pitch + x * size, base + nearest, size) == 0, "block \(x), row \(y)")
        }
      }
    }
  }

  @Test func paddingIsReported() throws {
    let buffer = try CVBuffer.make(width: 5, height: 3, format: fourCharacterCode("420v"), attributes: Self.padded)
    var (left, right, top, bottom) = (0, 0, 0, 0)
    CVPixelBufferGetExtendedPixels(buffer, &left, &right, &top, &bottom)
    #expect((left, right, top, bottom) == (2, 4, 2, 2))
  }
}
