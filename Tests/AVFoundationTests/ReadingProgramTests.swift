import AVFoundation
import CoreMedia
import CoreVideo
import Foundation
import Metal
import QuickTime
import Testing

/// Whole programs as applications write them: from a file to frames, to textures, to stored samples.
struct ReadingProgramTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Twelve pictures of ProRes 4444, of which nothing is shown for half a second at first.
  private func makeMovie() async throws -> AVURLAsset {
    var movie = SmallMovie()
    movie.codec = .proRes4444
    movie.compression = [:]
    movie.format = kCVPixelFormatType_444YpCbCr10BiPlanarVideoRange
    var remuxed = try await RemuxedMovie.compressed(movie, in: folder)
    remuxed.specification.edits = [
      Edit(segmentDuration: 300, mediaTime: -1), Edit(segmentDuration: 240, mediaTime: 0),
    ]
    return try remuxed.write(to: folder.file("a.mov"))
  }

  /// Luma and alpha of the middle of a `y416` picture.
  private func middle(_ image: CVPixelBuffer) -> (luma: Int, alpha: Int) {
    image.withPlane(0, readOnly: true) { base, pitch, width, height in
      let pixel = base + height / 2 * pitch + width / 2 * 8
      return (Int(pixel.load(fromByteOffset: 2, as: UInt16.self)), Int(pixel.load(as: UInt16.self)))
    }
  }

  @Test func picturesInTheDecodersOwnLayout() async throws {
    let asset = try await makeMovie()
    let reader = try AVAssetReader(asset: asset)
    let track = try #require(asset.tracks(withMediaType: .video).first)
    let output = AVAssetReaderTrackOutput(
      track: track, outputSettings: [kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_4444AYpCbCr16])
    output.alwaysCopiesSampleData = false
    #expect(reader.canAdd(output))
    reader.add(output)
    #expect(reader.startReading())
    var frame = 0
    while let buffer = output.copyNextSampleBuffer() {
      // What has no image is a marker.
      guard let image = buffer.imageBuffer else { continue }
      #expect(CVPixelBufferGetPixelFormatType(image) == kCVPixelFormatType_4444AYpCbCr16)
      #expect(buffer.presentationTimeStamp == CMTime(value: Int64(300 + 20 * frame), timescale: 600))
      let (luma, alpha) = middle(image)
      // A code of 8 bits, to within a quarter of one after compression; opaque.
      #expect(abs(luma - SmallMovie.luma(frame) << 8) <= 64 && alpha == 0xFFFF)
      frame += 1
    }
    #expect(frame == 12 && reader.status == .completed)
  }

  @Test func storedSamplesWithMarkers() async throws {
    let asset = try await makeMovie()
    let reader = try AVAssetReader(asset: asset)
    let output = AVAssetReaderTrackOutput(track: try #require(asset.tracks.first), outputSettings: nil)
    output.alwaysCopiesSampleData = false
    reader.add(output)
    #expect(reader.startReading())
    var (samples, markers) = (0, 0)
    while let buffer = output.copyNextSampleBuffer() {
      if buffer.numSamples == 0 {
        #expect(buffer.dataBuffer == nil && buffer.presentationTimeStamp == .zero)
        markers += 1
      } else {
        #expect(buffer.formatDescription?.mediaSubType.rawValue == fourCharacterCode("ap4h"))
        // A frame of ProRes says its own length and name.
        let bytes = try #require(buffer.dataBuffer).dataBytes()
        #expect(bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) } <= bytes.count && bytes[4..<8] == Data("icpf".utf8))
        samples += 1
      }
    }
    #expect(samples == 12 && markers == 1 && reader.status == .completed)
  }

  /// The cursor moves on by itself until it cannot; edits do not matter to it.
  @Test func storedSamplesByCursor() async throws {
    let asset = try await makeMovie()
    let track = try #require(asset.tracks.first)
    let cursor = try #require(track.makeSampleCursorAtFirstSampleInDecodeOrder())
    let request = AVSampleBufferRequest(start: cursor)
    request.direction = .forward
    request.preferredMinSampleCount = 1
    request.maxSampleCount = 1
    let generator = AVSampleBufferGenerator(asset: asset, timebase: nil)
    var times: [CMTime] = []
    repeat {
      let buffer = try generator.makeSampleBuffer(for: request)
      #expect(buffer.numSamples == 1 && buffer.dataReadiness == .ready)
      times.append(buffer.presentationTimeStamp)
    } while cursor.stepInDecodeOrder(byCount: 1) == 1
    #expect(times == (0..<12).map { CMTime(value: 20 * $0, timescale: 600) })
  }

  /// What a command saw.
  private final class Sight: @unchecked Sendable {
    private let lock = NSLock()
    private var frames: [Int] = []
    var seen: [Int] { lock.withLock { frames } }

    func look(at luma: any MTLTexture) {
      var pixel: UInt8 = 0
      luma.getBytes(
        &pixel, bytesPerRow: 1, from: MTLRegionMake2D(luma.width / 2, luma.height / 2, 1, 1), mipmapLevel: 0)
      lock.withLock { frames.append((Int(pixel) - 32 + 4) / 8) }
    }
  }

  /// Frames go to commands that run only when all have been read: by then the decoder's pool has lent every other buffer again.
  @Test func framesGoToTexturesWhileReadingGoesOn() async throws {
    try await SmallMovie().write(to: folder.file("h264.mov"))
    let asset = AVURLAsset(url: folder.file("h264.mov"))
    let device = try #require(MTLCreateSystemDefaultDevice())
    let queue = try #require(device.makeCommandQueue())
    var made: CVMetalTextureCache?
    #expect(CVMetalTextureCacheCreate(nil, nil, device, nil, &made) == kCVReturnSuccess)
    let cache = try #require(made)
    let gate = try #require(queue.makeCommandBuffer())
    gate.enqueue()
    let sight = Sight()
    var last: (any MTLCommandBuffer)?
    var places: Set<UInt> = []
    for _ in 0..<3 {
      _ = try decodedFrames(
        of: try #require(asset.tracks.first), in: asset, format: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
      ) { image in
        let textures = try FrameTextures(image, cache: cache)
        let commands = try #require(queue.makeCommandBuffer())
        commands.encode("look") { sight.look(at: textures.planes[0]) }
        textures.hold(until: commands)
        commands.commit()
        last = commands
        image.withPlane(0, readOnly: true) { base, _, _, _ in _ = places.insert(UInt(bitPattern: base)) }
      }
    }
    #expect(sight.seen.isEmpty && places.count == 36)
    gate.commit()
    last?.waitUntilCompleted()
    #expect(sight.seen == Array(0..<12) + Array(0..<12) + Array(0..<12))
  }
}
