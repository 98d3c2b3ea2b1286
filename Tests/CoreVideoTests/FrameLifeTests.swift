import CoreVideo
import Foundation
import Metal
import Testing

/// A frame's memory from its pool to a command and back: lent out again only when no command uses it any more.
struct FrameLifeTests {
  private let pool: CVPixelBufferPool
  private let device: any MTLDevice
  private let queue: any MTLCommandQueue
  private let cache: CVMetalTextureCache

  init() throws {
    pool = try CVPixelBufferPool(
      // No ageing: a slow machine must not lose what the test counts.
      poolAttributes: [kCVPixelBufferPoolMaximumBufferAgeKey: 0],
      pixelBufferAttributes: [
        kCVPixelBufferWidthKey: 8, kCVPixelBufferHeightKey: 4,
        kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange,
      ])
    device = try #require(MTLCreateSystemDefaultDevice())
    queue = try #require(device.makeCommandQueue())
    var made: CVMetalTextureCache?
    try CVError.check(CVMetalTextureCacheCreate(nil, nil, device, nil, &made))
    cache = try #require(made)
  }

  /// A frame that was "decoded": all of its bytes are `value`.
  private func frame(_ value: UInt8) throws -> CVPixelBuffer {
    let frame = try pool.makeBuffer()
    for plane in 0..<2 {
      frame.withPlane(plane, readOnly: false) { base, pitch, _, height in
        _ = memset(base, Int32(value), pitch * height)
      }
    }
    return frame
  }

  private func address(_ frame: CVPixelBuffer) -> UInt {
    frame.withPlane(0, readOnly: true) { base, _, _, _ in UInt(bitPattern: base) }
  }

  /// What a command saw of a texture.
  private final class Sight: @unchecked Sendable {
    private let lock = NSLock()
    private var bytes: [UInt8] = []
    var seen: [UInt8] { lock.withLock { bytes } }

    func look(at texture: any MTLTexture) {
      var row = [UInt8](repeating: 0, count: texture.width * texture.pixelFormat.bytesPerPixel)
      texture.getBytes(
        &row, bytesPerRow: row.count, from: MTLRegionMake2D(0, 0, texture.width, 1), mipmapLevel: 0)
      lock.withLock { bytes += row }
    }
  }

  /// A command buffer that nothing behind it can overtake: until it is committed, nothing runs.
  private func makeGate() throws -> any MTLCommandBuffer {
    let gate = try #require(queue.makeCommandBuffer())
    gate.enqueue()
    return gate
  }

  /// The caller lets go of buffer and texture at once; only the command is left.
  private func encode(_ value: UInt8, _ sight: Sight) throws -> (commands: any MTLCommandBuffer, address: UInt) {
    let frame = try frame(value)
    let textures = try FrameTextures(frame, cache: cache)
    let commands = try #require(queue.makeCommandBuffer())
    commands.encode("look") { for texture in textures.planes { sight.look(at: texture) } }
    textures.hold(until: commands)
    commands.commit()
    return (commands, address(frame))
  }

  @Test func aCommandKeepsTheFramesOfTheCache() throws {
    let (gate, sight) = (try makeGate(), Sight())
    var places: Set<UInt> = []
    try run {
      let waiting = try (1...5).map { try encode(UInt8($0), sight) }
      places = Set(waiting.map(\.address))
      #expect(places.count == 5 && pool.counts == (5, 5))
      // Others are lent other memory, and write into it.
      let others = try (0..<3).map { _ in try frame(99) }
      #expect(places.isDisjoint(with: others.map(address)) && pool.counts == (8, 8))
      gate.commit()
      for (commands, _) in waiting { commands.waitUntilCompleted() }
      withExtendedLifetime(others) {}
    }
    #expect(sight.seen == (1...5).flatMap { [UInt8](repeating: UInt8($0), count: 8 + 8) })
    try waitUntilUnused()
    let again = try (0..<8).map { _ in try pool.makeBuffer() }
    withExtendedLifetime(again) {
      #expect(places.isSubset(of: again.map(address)))
      #expect(pool.counts == (8, 8))
    }
  }

  /// By hand: a texture of a surface, and the surface's use count around the command.
  @Test(arguments: [true, false]) func aSurfaceIsKeptByItsUseCount(_ isCounted: Bool) throws {
    let (gate, sight) = (try makeGate(), Sight())
    var place: UInt = 0
    try run {
      let commands = try #require(queue.makeCommandBuffer())
      try run {
        let frame = try frame(7)
        place = address(frame)
        let surface = try #require(CVPixelBufferGetIOSurface(frame)).takeUnretainedValue()
        #expect(surface.planeCount == 2 && surface.width == 8 && IOSurfaceGetHeight(surface) == 4)
        #expect(IOSurfaceGetPixelFormat(surface) == kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
        let descriptor = MTLTextureDescriptor.texture2DDescriptor(
          pixelFormat: .r8Unorm, width: 8, height: 4, mipmapped: false)
        let texture = try #require(device.makeTexture(descriptor: descriptor, iosurface: surface, plane: 0))
        commands.encode("look") { sight.look(at: texture) }
        if isCounted {
          IOSurfaceIncrementUseCount(surface)
          commands.addCompletedHandler { _ in IOSurfaceDecrementUseCount(surface) }
        }
      }
      commands.commit()
      #expect(pool.counts == (1, 0))
      // Whoever asks for a buffer meanwhile gets the memory unless it is counted as used.
      let other = try frame(99)
      #expect((address(other) == place) == !isCounted && pool.counts == (isCounted ? 2 : 1, 1))
      gate.commit()
      commands.waitUntilCompleted()
      withExtendedLifetime(other) {}
    }
    #expect(sight.seen == [UInt8](repeating: isCounted ? 7 : 99, count: 8))
    let again = try (0..<pool.counts.total).map { _ in try pool.makeBuffer() }
    #expect(again.map(address).contains(place))
  }

  @Test func surfacesMakeOnlyWhatTheyHave() throws {
    let surface = try #require(CVPixelBufferGetIOSurface(try frame(1))).takeUnretainedValue()
    func make(_ format: MTLPixelFormat, _ width: Int, _ height: Int, _ plane: Int) -> (any MTLTexture)? {
      device.makeTexture(
        descriptor: .texture2DDescriptor(pixelFormat: format, width: width, height: height, mipmapped: false),
        iosurface: surface, plane: plane)
    }
    #expect(make(.r8Unorm, 8, 4, 0) != nil && make(.rg8Unorm, 4, 2, 1) != nil)
    #expect(make(.r8Unorm, 8, 4, 2) == nil && make(.r8Unorm, 8, 4, -1) == nil)
    #expect(make(.r8Unorm, 9, 4, 0) == nil && make(.rg8Unorm, 8, 4, 0) == nil)
  }

  /// No age, 0 (for ever) or short, frees a texture that is held, and none keeps one that is not.
  @Test(arguments: [0, 1e-9, 1, 1e9]) func texturesLiveAsLongAsTheyAreHeld(_ age: Double) throws {
    var made: CVMetalTextureCache?
    let attributes = [kCVMetalTextureCacheMaximumTextureAgeKey: age]
    try CVError.check(CVMetalTextureCacheCreate(nil, attributes, device, nil, &made))
    try run {
      let textures = try FrameTextures(try frame(5), cache: try #require(made))
      CVMetalTextureCacheFlush(try #require(made), 0)
      made = nil
      #expect(pool.counts == (1, 1))
      let sight = Sight()
      sight.look(at: textures.planes[1])
      #expect(sight.seen == [UInt8](repeating: 5, count: 8))
    }
    #expect(pool.counts == (1, 0))
  }

  @Test(arguments: [-1, Double.nan]) func impossibleAgesAreRefused(_ age: Double) {
    var made: CVMetalTextureCache?
    let attributes = [kCVMetalTextureCacheMaximumTextureAgeKey: age]
    #expect(CVMetalTextureCacheCreate(nil, attributes, device, nil, &made) == kCVReturnInvalidArgument)
    #expect(made == nil)
  }

  static let formats: [(String, [MTLPixelFormat]?)] = [
    ("420v", [.r8Unorm, .rg8Unorm]), ("x422", [.r16Unorm, .rg16Unorm]), ("s4as", [.r16Unorm, .rg16Unorm, .r16Unorm]),
    ("y416", [.rgba16Unorm]), ("v216", [.rg16Unorm]), ("2vuy", [.gbgr422]), ("yuvs", [.bgrg422]),
    ("BGRA", [.bgra8Unorm]), ("RGhA", [.rgba16Float]), ("hdis", [.r16Float]), ("fdis", [.r32Float]), ("v210", nil),
    ("b64a", nil), ("v410", nil), ("24BG", nil),
  ]

  @Test(arguments: formats) func planesHaveTexturesOfTheirSamples(
    _ name: String, _ expected: [MTLPixelFormat]?
  ) throws {
    let frame = try CVBuffer.make(width: 12, height: 4, format: fourCharacterCode(name))
    guard let expected else {
      #expect(throws: CVError(code: kCVReturnPixelBufferNotMetalCompatible)) { try FrameTextures(frame, cache: cache) }
      return
    }
    let textures = try FrameTextures(frame, cache: cache)
    #expect(textures.planes.map(\.pixelFormat) == expected)
    for (index, texture) in textures.planes.enumerated() {
      frame.withPlane(index, readOnly: true) { _, _, width, height in
        #expect(texture.width == width && texture.height == height)
      }
    }
  }

  /// Whatever `body` holds is let go of when it returns.
  private func run(_ body: () throws -> Void) rethrows { try body() }

  /// The queue's thread lets go of a command buffer a moment after it has told that it is complete.
  private func waitUntilUnused() throws {
    for _ in 0..<1000 where pool.counts.inUse > 0 {
      let next = try #require(queue.makeCommandBuffer())
      next.commit()
      next.waitUntilCompleted()
    }
    #expect(pool.counts.inUse == 0)
  }
}
