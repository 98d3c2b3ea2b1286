import CoreVideo
import Foundation
import Metal
import Testing

/// A clock that stands until it is set.
private final class Clock: @unchecked Sendable {
  private let lock = NSLock()
  private var seconds = 100.0
  var now: Double { lock.withLock { seconds } }
  func advance(_ step: Double) { lock.withLock { seconds += step } }
}

struct PixelBufferPoolTests {
  private static let bufferAttributes: [String: any Sendable] = [
    kCVPixelBufferWidthKey: 8, kCVPixelBufferHeightKey: 4, kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_32BGRA,
  ]

  private func makePool(
    _ attributes: [String: Any] = [:], clock: Clock = Clock()
  ) throws -> CVPixelBufferPool {
    try CVPixelBufferPool(poolAttributes: attributes, pixelBufferAttributes: Self.bufferAttributes) { clock.now }
  }

  /// Lends `count` buffers at once and gives them all back.
  private func fill(_ pool: CVPixelBufferPool, count: Int) throws {
    let held = try (0..<count).map { _ in try pool.makeBuffer() }
    withExtendedLifetime(held) {}
  }

  private func address(_ buffer: CVPixelBuffer) -> UInt {
    buffer.withPlane(0, readOnly: true) { base, _, _, _ in UInt(bitPattern: base) }
  }

  @Test func memoryComesBackOnlyWhenNobodyHoldsIt() throws {
    let pool = try makePool()
    var first: CVPixelBuffer? = try pool.makeBuffer()
    var second = first
    let place = address(try #require(first))
    CVBufferSetAttachment(try #require(first), "a", 1, .shouldPropagate)
    first = nil
    let other = try pool.makeBuffer()
    withExtendedLifetime((second, other)) {
      #expect(pool.counts == (2, 2))
      #expect(address(other) != place)
    }
    second = nil
    #expect(pool.counts == (2, 1))
    let recycled = try pool.makeBuffer()
    #expect(address(recycled) == place && !CVBufferHasAttachment(recycled, "a"))
    #expect(pool.counts == (2, 2))
    withExtendedLifetime((first, second, other, recycled)) {}
  }

  /// The use count keeps memory from being lent out, aged out or flushed, whoever holds the buffer.
  @Test func memoryInUseIsNotLentOutAgain() throws {
    let clock = Clock()
    let pool = try makePool([kCVPixelBufferPoolMaximumBufferAgeKey: 5], clock: clock)
    var buffer: CVPixelBuffer? = try pool.makeBuffer()
    let place = address(try #require(buffer))
    let surface = try #require(CVPixelBufferGetIOSurface(buffer)).takeUnretainedValue()
    IOSurfaceIncrementUseCount(surface)
    buffer = nil
    #expect(IOSurfaceIsInUse(surface) && IOSurfaceGetUseCount(surface) == 1)
    clock.advance(10)
    CVPixelBufferPoolFlush(pool, .excessBuffers)
    let other = try pool.makeBuffer()
    #expect(address(other) != place && pool.counts == (2, 1))
    #expect(throws: CVError(code: kCVReturnWouldExceedAllocationThreshold)) { try pool.makeBuffer(threshold: 2) }
    IOSurfaceDecrementUseCount(surface)
    // By now it has aged: the next buffer frees it and needs no more room than the threshold gives.
    let again = try pool.makeBuffer(threshold: 2)
    #expect(pool.counts == (2, 2))
    withExtendedLifetime((other, again)) {}
  }

  @Test func everyPixelBufferHasASurfaceAndNothingElse() throws {
    let buffer = try CVBuffer.make(width: 4, height: 4, format: kCVPixelFormatType_32BGRA)
    #expect(CVPixelBufferGetIOSurface(buffer)?.takeUnretainedValue().localUseCount == 0)
    #expect(CVPixelBufferGetIOSurface(nil) == nil)
  }

  @Test func thresholdRefusesAndTellsWhenOneIsFree() throws {
    let (pool, counter) = (try makePool(), Counter())
    let observer = NotificationCenter.default.addObserver(
      forName: kCVPixelBufferPoolFreeBufferNotification, object: pool, queue: nil
    ) { _ in counter.add() }
    defer { NotificationCenter.default.removeObserver(observer) }
    let limit = [kCVPixelBufferPoolAllocationThresholdKey: 1] as CFDictionary
    var (held, refused): (CVPixelBuffer?, CVPixelBuffer?)
    #expect(CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(nil, pool, limit, &held) == kCVReturnSuccess)
    #expect(CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(nil, pool, limit, &refused) == -6689)
    #expect(refused == nil && counter.count == 0)
    withExtendedLifetime(held) {}
    held = nil
    #expect(counter.count == 1)
    #expect(CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(nil, pool, limit, &held) == kCVReturnSuccess)
    withExtendedLifetime(held) {}
    held = nil
    #expect(counter.count == 1, "Nobody was refused since.")
  }

  @Test func unusedBuffersAgeOutAfterASecond() throws {
    let clock = Clock()
    let pool = try makePool(clock: clock)
    try fill(pool, count: 2)
    clock.advance(0.9)
    CVPixelBufferPoolFlush(pool, [])
    #expect(pool.counts == (2, 0))
    clock.advance(0.2)
    CVPixelBufferPoolFlush(pool, [])
    #expect(pool.counts == (0, 0))
  }

  @Test func ageZeroKeepsForEver() throws {
    let clock = Clock()
    let pool = try makePool([kCVPixelBufferPoolMaximumBufferAgeKey: 0], clock: clock)
    try fill(pool, count: 3)
    clock.advance(1e9)
    CVPixelBufferPoolFlush(pool, [])
    #expect(pool.counts == (3, 0))
    CVPixelBufferPoolFlush(pool, .excessBuffers)
    #expect(pool.counts == (0, 0))
  }

  @Test func minimumCountOutlivesItsAge() throws {
    let clock = Clock()
    let pool = try makePool([kCVPixelBufferPoolMinimumBufferCountKey: 2], clock: clock)
    try fill(pool, count: 3)
    clock.advance(5)
    CVPixelBufferPoolFlush(pool, [])
    #expect(pool.counts == (2, 0))
  }

  @Test func flushLeavesWhatIsLent() throws {
    let pool = try makePool()
    let held = try pool.makeBuffer()
    CVPixelBufferPoolFlush(pool, .excessBuffers)
    #expect(pool.counts == (1, 1))
    withExtendedLifetime(held) {}
  }

  @Test func impossiblePools() {
    func create(_ poolAttributes: CFDictionary, _ changes: CFDictionary) -> CVReturn {
      var pool: CVPixelBufferPool?
      let attributes = (Self.bufferAttributes as CFDictionary).merging(changes) { _, new in new }
      return CVPixelBufferPoolCreate(nil, poolAttributes, attributes, &pool)
    }
    #expect(create([:], [:]) == kCVReturnSuccess)
    #expect(create([kCVPixelBufferPoolMinimumBufferCountKey: -1], [:]) == kCVReturnInvalidPoolAttributes)
    #expect(create([kCVPixelBufferPoolMaximumBufferAgeKey: -1], [:]) == kCVReturnInvalidPoolAttributes)
    #expect(create([kCVPixelBufferPoolMaximumBufferAgeKey: "long"], [:]) == kCVReturnInvalidPoolAttributes)
    #expect(create([:], [kCVPixelBufferWidthKey: "wide"]) == kCVReturnInvalidPixelBufferAttributes)
    #expect(create([:], [kCVPixelBufferWidthKey: 0]) == kCVReturnInvalidSize)
    #expect(create([:], [kCVPixelBufferPixelFormatTypeKey: 1]) == kCVReturnInvalidPixelFormat)
  }

  @Test func textureHoldsTheBuffer() throws {
    let pool = try makePool()
    var buffer: CVPixelBuffer? = try pool.makeBuffer()
    var texture: CVMetalTexture? = try makeTexture(of: try #require(buffer), .bgra8Unorm, 8, 4)
    buffer = nil
    withExtendedLifetime(texture) { #expect(pool.counts == (1, 1)) }
    texture = nil
    #expect(pool.counts == (1, 0))
    withExtendedLifetime((buffer, texture)) {}
  }
}

/// A texture of one plane, made by a cache that does not outlive the call.
func makeTexture(
  of image: CVImageBuffer, _ format: MTLPixelFormat, _ width: Int, _ height: Int, plane: Int = 0
) throws -> CVMetalTexture {
  var (cache, texture): (CVMetalTextureCache?, CVMetalTexture?)
  let device = try #require(MTLCreateSystemDefaultDevice())
  try CVError.check(CVMetalTextureCacheCreate(nil, nil, device, nil, &cache))
  try CVError.check(
    CVMetalTextureCacheCreateTextureFromImage(
      nil, try #require(cache), image, nil, format, width, height, plane, &texture))
  return try #require(texture)
}
