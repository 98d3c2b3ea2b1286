import AVFoundation
import Bokeh
import Cinematic
import CoreGeometry
import CoreMedia
import CoreVideo
import Foundation
import Metal
import QuickTime
import Testing

@Suite struct RenderingSessionTests {
  private static let queue = MTLCreateSystemDefaultDevice()!.makeCommandQueue()!
  private static let size = (width: 48, height: 32)

  private func attributes(_ blob: CinematicMovieBlob? = nil) throws -> CNRenderingSession.Attributes {
    var movie = RecordingMovie()
    movie.metadata = [[.item(.stored(1)), .empty, .empty, .empty]]
    return CNRenderingSession.Attributes(CinematicTracks(try movie.opened()), blob: blob)
  }

  private func session(
    _ quality: CNRenderingQuality = .export, transform: CGAffineTransform = .identity
  ) throws -> CNRenderingSession {
    CNRenderingSession(
      commandQueue: Self.queue, sessionAttributes: try attributes(), preferredTransform: transform, quality: quality)
  }

  private static func picture(_ format: OSType) throws -> CVPixelBuffer {
    let buffer = try CVPixelBuffer.make(width: size.width, height: size.height, format: format)
    for plane in 0..<(format == kCVPixelFormatType_32BGRA ? 1 : 2) {
      buffer.withPlane(plane, readOnly: false) { base, pitch, width, height in
        let bytes = width * (format == kCVPixelFormatType_32BGRA ? 4 : plane == 1 ? 2 : 1)
        for y in 0..<height {
          for x in 0..<bytes {
            (base + y * pitch + x).storeBytes(of: UInt8(40 + (x * 37 + y * 91) % 160), as: UInt8.self)
          }
        }
      }
    }
    return buffer
  }

  /// Near on the left, far on the right.
  private static func disparity() throws -> CVPixelBuffer {
    let buffer = try CVPixelBuffer.make(width: 12, height: 8, format: kCVPixelFormatType_DisparityFloat32)
    buffer.withPlane(0, readOnly: false) { base, pitch, width, height in
      for y in 0..<height {
        for x in 0..<width { (base + y * pitch + 4 * x).storeBytes(of: x < 6 ? 3 : 0.5, as: Float.self) }
      }
    }
    return buffer
  }

  private static func bytes(_ buffer: CVPixelBuffer, plane: Int, perPixel: Int) -> [UInt8] {
    buffer.withPlane(plane, readOnly: true) { base, pitch, width, height in
      (0..<height).flatMap { y in
        (0..<width * perPixel).map { (base + y * pitch + $0).load(as: UInt8.self) }
      }
    }
  }

  private static let frame = CNRenderingSession.FrameAttributes(focusDisparity: 3, fNumber: 0.5)

  @Test func propertiesAndFormats() throws {
    let session = try session(.exportHigh)
    #expect(session.quality == .exportHigh && session.preferredTransform == .identity)
    #expect(session.commandQueue === Self.queue && session.sessionAttributes.renderingVersion == 2)
    let usual = [
      kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange,
      kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange, kCVPixelFormatType_32BGRA, kCVPixelFormatType_64RGBAHalf,
    ]
    for format in usual {
      #expect(CNRenderingSession.sourcePixelFormatTypes.contains(format))
      #expect(CNRenderingSession.destinationPixelFormatTypes.contains(format))
    }
    #expect([0, 1, 2, 3].map(CNRenderingQuality.init(rawValue:)) == [.thumbnail, .preview, .export, .exportHigh])
  }

  @Test("a command buffer renders what the plain call renders")
  func encodes() throws {
    let session = try session()
    let (source, disparity) = (
      try Self.picture(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange), try Self.disparity()
    )
    let plain = try Self.picture(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
    try session.render(
      frameAttributes: Self.frame, sourceImage: source, sourceDisparity: disparity, destinationImage: plain)
    #expect(Self.bytes(plain, plane: 0, perPixel: 1) != Self.bytes(source, plane: 0, perPixel: 1))
    let encoded = try CVPixelBuffer.make(width: 48, height: 32, format: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
    let commands = try #require(Self.queue.makeCommandBuffer())
    #expect(
      session.encodeRender(
        to: commands, frameAttributes: Self.frame, sourceImage: source, sourceDisparity: disparity,
        destinationImage: encoded))
    commands.commit()
    commands.waitUntilCompleted()
    #expect(commands.status == .completed && commands.error == nil)
    for plane in 0..<2 {
      #expect(
        Self.bytes(encoded, plane: plane, perPixel: plane + 1) == Self.bytes(plain, plane: plane, perPixel: plane + 1))
    }
  }

  @Test("a look holds from the frame after it was set, and a wrong one is refused")
  func looks() throws {
    let session = try session()
    let (source, disparity) = (try Self.picture(kCVPixelFormatType_32BGRA), try Self.disparity())
    func render() throws -> [UInt8] {
      let target = try Self.picture(kCVPixelFormatType_32BGRA)
      var attributes = Self.frame
      attributes.fNumber = 0.3
      try session.render(
        frameAttributes: attributes, sourceImage: source, sourceDisparity: disparity, destinationImage: target)
      return Self.bytes(target, plane: 0, perPixel: 4)
    }
    #expect(session.look == BokehLook())
    _ = try render()
    let plain = try render()
    session.look.aperture = .polygon(blades: 5)
    let polygons = try render()
    session.look.opticalVignetting = 1
    let cut = try render()
    #expect(Set([plain, polygons, cut]).count == 3)
    session.look = BokehLook()
    #expect(try render() == plain)
    session.look.highlights = 3
    #expect(throws: CNCinematicError.self) { _ = try render() }
    let commands = try #require(Self.queue.makeCommandBuffer())
    #expect(
      !session.encodeRender(
        to: commands, frameAttributes: Self.frame, sourceImage: source, sourceDisparity: disparity,
        destinationImage: try Self.picture(kCVPixelFormatType_32BGRA)))
  }

  private static func texture(_ format: MTLPixelFormat, _ width: Int, _ height: Int) throws -> any MTLTexture {
    let descriptor = MTLTextureDescriptor.texture2DDescriptor(
      pixelFormat: format, width: width, height: height, mipmapped: false)
    return try #require(queue.device.makeTexture(descriptor: descriptor))
  }

  private static func bytes(_ texture: any MTLTexture, perPixel: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: texture.width * texture.height * perPixel)
    texture.getBytes(
      &bytes, bytesPerRow: texture.width * perPixel, from: MTLRegionMake2D(0, 0, texture.width, texture.height),
      mipmapLevel: 0)
    return bytes
  }

  @Test("textures get what pixel buffers get")
  func textures() throws {
    let session = try session()
    let (source, disparity) = (
      try Self.picture(kCVPixelFormatType_420YpCbCr8BiPlanarFullRange), try Self.disparity()
    )
    let bgra = try CVPixelBuffer.make(width: 48, height: 32, format: kCVPixelFormatType_32BGRA)
    let planar = try CVPixelBuffer.make(width: 48, height: 32, format: kCVPixelFormatType_420YpCbCr8BiPlanarFullRange)
    for destination in [bgra, planar] {
      try session.render(
        frameAttributes: Self.frame, sourceImage: source, sourceDisparity: disparity, destinationImage: destination)
    }
    let rgba = try Self.texture(.bgra8Unorm, 48, 32)
    let (luma, chroma) = (try Self.texture(.r8Unorm, 48, 32), try Self.texture(.rg8Unorm, 24, 16))
    let commands = try #require(Self.queue.makeCommandBuffer())
    #expect(
      session.encodeRender(
        to: commands, frameAttributes: Self.frame, sourceImage: source, sourceDisparity: disparity,
        destinationRGBA: rgba))
    #expect(
      session.encodeRender(
        to: commands, frameAttributes: Self.frame, sourceImage: source, sourceDisparity: disparity,
        destinationLuma: luma, destinationChroma: chroma))
    commands.commit()
    commands.waitUntilCompleted()
    #expect(Self.bytes(rgba, perPixel: 4) == Self.bytes(bgra, plane: 0, perPixel: 4))
    #expect(Self.bytes(luma, perPixel: 1) == Self.bytes(planar, plane: 0, perPixel: 1))
    #expect(Self.bytes(chroma, perPixel: 2) == Self.bytes(planar, plane: 1, perPixel: 2))
  }

  @Test("the destination has display orientation")
  func orientation() throws {
    let session = try session(transform: CGAffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 32, ty: 0))
    let source = try Self.picture(kCVPixelFormatType_32BGRA)
    let disparity = try Self.disparity()
    let upright = try CVPixelBuffer.make(width: 32, height: 48, format: kCVPixelFormatType_32BGRA)
    let sharp = CNRenderingSession.FrameAttributes(focusDisparity: 3, fNumber: 1000)
    try session.render(
      frameAttributes: sharp, sourceImage: source, sourceDisparity: disparity, destinationImage: upright)
    let (stored, shown) = (Self.bytes(source, plane: 0, perPixel: 4), Self.bytes(upright, plane: 0, perPixel: 4))
    // A quarter turn clockwise: the stored left edge is at the top.
    for (x, y) in [(0, 0), (47, 0), (0, 31), (20, 9)] {
      #expect(shown[(x * 32 + 31 - y) * 4 + 1] == stored[(y * 48 + x) * 4 + 1])
    }
  }

  @Test("what does not fit is refused with a reason")
  func refusals() throws {
    let session = try session()
    let (source, disparity) = (try Self.picture(kCVPixelFormatType_32BGRA), try Self.disparity())
    let small = try CVPixelBuffer.make(width: 20, height: 20, format: kCVPixelFormatType_32BGRA)
    let commands = try #require(Self.queue.makeCommandBuffer())
    #expect(
      !session.encodeRender(
        to: commands, frameAttributes: Self.frame, sourceImage: source, sourceDisparity: disparity,
        destinationImage: small))
    #expect(
      !session.encodeRender(
        to: commands, frameAttributes: Self.frame, sourceImage: source, sourceDisparity: disparity,
        destinationRGBA: try Self.texture(.r8Unorm, 48, 32)))
    #expect(
      !session.encodeRender(
        to: commands, frameAttributes: Self.frame, sourceImage: source, sourceDisparity: disparity,
        destinationLuma: try Self.texture(.r8Unorm, 48, 32), destinationChroma: try Self.texture(.rg8Unorm, 12, 8)))
    let error = #expect(throws: CNCinematicError.self) {
      try session.render(
        frameAttributes: Self.frame, sourceImage: source, sourceDisparity: disparity, destinationImage: small)
    }
    #expect(error?.code == .unsupported && error?.localizedDescription.contains("20x20") == true)
  }

  @Test("the movie's settings count, and what is impossible is passed over")
  func movieSettings() throws {
    let (source, disparity) = (try Self.picture(kCVPixelFormatType_32BGRA), try Self.disparity())
    func request(_ blob: CinematicMovieBlob?) throws -> RenderRequest {
      let session = CNRenderingSession(
        commandQueue: Self.queue, sessionAttributes: try attributes(blob), preferredTransform: .identity,
        quality: .preview)
      return session.request(Self.frame, source, disparity, source)
    }
    #expect(try request(nil).lens.focalLength35mm == 0.026)
    #expect(try request(.written(fNumber: 2, focalLength35mm: 48)).lens.focalLength35mm == 0.048)
    for focal in [0, -5, .nan, 1e9] as [Float] {
      #expect(try request(.written(fNumber: 2, focalLength35mm: focal)).lens.focalLength35mm == 0.026)
    }
    #expect(try attributes(.written(fNumber: 2)).renderingVersion == 2)
    #expect(try request(nil).disparityCodes == .logarithmic(minimum: 0, maximum: 16))
  }
}

@Suite struct FrameAttributesTests {
  private let attributes: CNRenderingSession.Attributes

  init() throws {
    var movie = RecordingMovie()
    movie.metadata = [[.item(.stored(1)), .empty, .empty, .empty]]
    attributes = CNRenderingSession.Attributes(CinematicTracks(try movie.opened()))
  }

  private func group(_ metadata: FrameMetadata) -> AVTimedMetadataGroup {
    let items = metadata.sample.items.map { stored in
      let item = AVMutableMetadataItem()
      let key = CinematicKey.allCases.first { $0.writtenLocalID == stored.localID }!
      item.identifier = AVMetadataIdentifier(rawValue: "mdta/\(key.rawValue)")
      item.dataType = kCMMetadataBaseDataType_RawData as String
      item.value = stored.payload
      return item
    }
    return AVTimedMetadataGroup(items: items, timeRange: CMTimeRange(start: .zero, duration: .zero))
  }

  private func sampleBuffer(_ sample: MetadataSample) throws -> CMSampleBuffer {
    let specifications = CinematicKey.allCases.map {
      [
        kCMMetadataFormatDescriptionMetadataSpecificationKey_Identifier: "mdta/\($0.rawValue)",
        kCMMetadataFormatDescriptionMetadataSpecificationKey_DataType: kCMMetadataBaseDataType_RawData,
      ]
    }
    let format = try CMFormatDescription(boxedMetadataSpecifications: specifications)
    let bytes = MetadataSampleCodec.data(of: sample)
    let data = try CMBlockBuffer(length: bytes.count)
    try bytes.withUnsafeBytes { try data.replaceDataBytes(with: $0) }
    let timing = CMSampleTimingInfo(
      duration: CMTime(value: 1, timescale: 30), presentationTimeStamp: .zero, decodeTimeStamp: .invalid)
    return try CMSampleBuffer(
      dataBuffer: data, formatDescription: format, numSamples: 1, sampleTimings: [timing], sampleSizes: [bytes.count])
  }

  @Test("rendering item, else the floats, else the header, else the usual")
  func fallThrough() throws {
    var metadata = FrameMetadata.stored(1.5)
    metadata.rendering = CinematicRenderingItem(focusDisparity: 2.5, fNumber: 2.8, frameID: 0)
    (metadata.focusDisparity, metadata.fNumber) = (2, 4)
    var header = CinematicFrameHeader()
    (header.focusDisparity, header.aperture) = (1.25, 5.6)
    metadata.frame = CinematicFrameItem(header: header, detections: [])
    var expected: [(Float, Float)] = [(2.5, 2.8)]
    var cases = [metadata]
    metadata.rendering = CinematicRenderingItem(focusDisparity: .nan, fNumber: 2.8, frameID: 0)
    cases.append(metadata)
    expected.append((2, 2.8))
    (metadata.rendering, metadata.focusDisparity) = (nil, .infinity)
    cases.append(metadata)
    expected.append((1.25, 4))
    metadata.frame = nil
    cases.append(metadata)
    expected.append((1, 4))
    for (metadata, expected) in zip(cases, expected) {
      let fromGroup = try #require(
        CNRenderingSession.FrameAttributes(timedMetadataGroup: group(metadata), sessionAttributes: attributes))
      #expect(fromGroup.focusDisparity == expected.0 && fromGroup.fNumber == expected.1)
      let buffer = try sampleBuffer(metadata.sample)
      #expect(CNRenderingSession.FrameAttributes(sampleBuffer: buffer, sessionAttributes: attributes) == fromGroup)
    }
  }

  @Test("nothing comes of nothing, nor of other metadata")
  func nothing() throws {
    let empty = try sampleBuffer(.empty)
    #expect(CNRenderingSession.FrameAttributes(sampleBuffer: empty, sessionAttributes: attributes) == nil)
    let none = AVTimedMetadataGroup(items: [], timeRange: CMTimeRange(start: .zero, duration: .zero))
    #expect(CNRenderingSession.FrameAttributes(timedMetadataGroup: none, sessionAttributes: attributes) == nil)
    let other = AVMutableMetadataItem()
    other.identifier = AVMetadataIdentifier(rawValue: "mdta/com.apple.quicktime.title")
    other.value = "Cup"
    let title = AVTimedMetadataGroup(items: [other], timeRange: CMTimeRange(start: .zero, duration: .zero))
    #expect(CNRenderingSession.FrameAttributes(timedMetadataGroup: title, sessionAttributes: attributes) == nil)
  }
}

/// The shared movie, through a reader and a session.
@Suite(.enabled(if: Shared.hasCup, "../shared/media/cinematic/cup.mov is not there")) struct CupRenderingTests {
  /// The first samples of a track.
  private func first(_ count: Int, of track: AVAssetTrack, settings: [String: Any]?) throws -> [CMSampleBuffer] {
    let reader = try AVAssetReader(asset: try #require(track.asset))
    let output = AVAssetReaderTrackOutput(track: track, outputSettings: settings)
    reader.add(output)
    #expect(reader.startReading())
    var buffers: [CMSampleBuffer] = []
    while buffers.count < count, let buffer = output.copyNextSampleBuffer() {
      if buffer.numSamples > 0 { buffers.append(buffer) }
    }
    reader.cancelReading()
    return buffers
  }

  @Test("a frame comes out upright, sharp as recorded, blurred when the focus goes to the front")
  func frame() async throws {
    let asset = AVURLAsset(url: Shared.cup)
    let info = try await CNAssetInfo(asset: asset)
    let attributes = try await CNRenderingSession.Attributes(asset: asset)
    #expect(attributes.renderingVersion == 2 && attributes.warnings.isEmpty)
    let session = CNRenderingSession(
      commandQueue: MTLCreateSystemDefaultDevice()!.makeCommandQueue()!, sessionAttributes: attributes,
      preferredTransform: info.preferredTransform, quality: .preview)
    let formats = [kCVPixelBufferPixelFormatTypeKey: CNRenderingSession.sourcePixelFormatTypes]
    let picture = try #require(try first(1, of: info.cinematicVideoTrack, settings: formats).first?.imageBuffer)
    let hdis = [kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_DisparityFloat16]
    let disparity = try #require(try first(1, of: info.cinematicDisparityTrack, settings: hdis).first?.imageBuffer)
    let metadata = try #require(try first(1, of: info.cinematicMetadataTrack, settings: nil).first)
    var frame = try #require(CNRenderingSession.FrameAttributes(sampleBuffer: metadata, sessionAttributes: attributes))
    let result = try CVPixelBuffer.make(width: 720, height: 1280, format: CVPixelBufferGetPixelFormatType(picture))
    try session.render(
      frameAttributes: frame, sourceImage: picture, sourceDisparity: disparity, destinationImage: result)
    #expect(
      CVBufferCopyAttachment(result, kCVImageBufferTransferFunctionKey, nil) as? String
        == kCVImageBufferTransferFunction_ITU_R_2100_HLG)
    // The first frame shows a wall, in focus.
    let recorded = roughness(result, isTransposed: true)
    #expect(recorded > 0.9 * roughness(picture, isTransposed: false))
    (frame.focusDisparity, frame.fNumber) = (3.5, 2)
    try session.render(
      frameAttributes: frame, sourceImage: picture, sourceDisparity: disparity, destinationImage: result)
    #expect(roughness(result, isTransposed: true) < 0.5 * recorded)
  }

  /// How much luma changes from one pixel to the next along the stored rows.
  private func roughness(_ buffer: CVPixelBuffer, isTransposed: Bool) -> Double {
    buffer.withPlane(0, readOnly: true) { base, pitch, width, height in
      var sum = 0.0
      for y in 1..<height {
        for x in 1..<width {
          let own = (base + y * pitch + 2 * x).load(as: UInt16.self) >> 6
          let before = isTransposed ? base + (y - 1) * pitch + 2 * x : base + y * pitch + 2 * (x - 1)
          sum += abs(Double(own) - Double(before.load(as: UInt16.self) >> 6))
        }
      }
      return sum / Double(width * height)
    }
  }

  @Test("attributes of what is not a movie")
  func notAMovie() async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("not-\(UUID().uuidString).mov")
    try Data("hello".utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    let error = await #expect(throws: CNCinematicError.self) {
      _ = try await CNRenderingSession.Attributes(asset: AVURLAsset(url: url))
    }
    #expect(error?.code == .unreadable)
  }
}
