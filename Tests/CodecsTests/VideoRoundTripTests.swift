import Codecs
import CoreMedia
import CoreVideo
import Foundation
import Testing

@Suite struct VideoRoundTripTests {
  /// Times that no frame rate explains, in several time scales.
  private func oddTimes(_ count: Int) -> [CMTime] {
    (0..<count).map { index in
      let value = Int64(index * index + 40 * index + 7)
      return index % 3 == 0 ? CMTime(value: value * 2, timescale: 2400) : CMTime(value: value, timescale: 1200)
    }
  }

  private func frames(_ format: OSType, _ count: Int, width: Int = 96, height: Int = 64) throws -> [(
    CVPixelBuffer, CMTime
  )] {
    let times = oddTimes(count)
    return try (0..<count).map { (try TestPicture.make(width, height, format, frame: $0), times[$0]) }
  }

  @Test(arguments: [
    "420v", "420f", "422v", "422f", "444v", "444f", "x420", "xf20", "x422", "xf22", "x444", "xf44", "L008", "L010",
  ])
  func losslessHEVCReturnsEveryCode(name: String) throws {
    let format = fourCharacterCode(name)
    let frames = try frames(format, 24)
    var settings = VideoEncoderSettings(codec: .hevc, width: 96, height: 64, pixelFormat: format)
    settings.rate = .lossless
    settings.maximumBFrames = 4
    settings.keyFrameInterval = 10
    let samples = try encodeAll(settings, frames)
    let decoded = try decodeAll(samples)
    #expect(decoded.map(\.presentationTime) == frames.map(\.1))
    for (frame, (original, _)) in zip(decoded, frames) {
      #expect(frame.pixelBuffer.formatName == name)
      #expect(haveSameCodes(frame.pixelBuffer, original))
    }
  }

  @Test(arguments: ["420v", "420f", "422v", "444v", "444f", "L008"])
  func losslessH264ReturnsEveryCode(name: String) throws {
    let format = fourCharacterCode(name)
    let frames = try frames(format, 24)
    var settings = VideoEncoderSettings(codec: .h264, width: 96, height: 64, pixelFormat: format)
    settings.rate = .lossless
    settings.maximumBFrames = 3
    var options = VideoDecoder.Options()
    // libavcodec adds an even chroma to monochrome H.264.
    if name == "L008" { options.pixelFormat = format }
    let decoded = try decodeAll(encodeAll(settings, frames), options: options)
    #expect(decoded.map(\.presentationTime) == frames.map(\.1))
    for (frame, (original, _)) in zip(decoded, frames) {
      #expect(frame.pixelBuffer.formatName == name)
      #expect(haveSameCodes(frame.pixelBuffer, original))
    }
  }

  @Test func disparityTrackKeepsAllCodes() throws {
    let ramp = try CVBuffer.make(width: 64, height: 32, format: kCVPixelFormatType_OneComponent10)
    ramp.withPlane(0, readOnly: false) { base, pitch, width, height in
      for y in 0..<height {
        for x in 0..<width {
          base.storeBytes(of: UInt16((y * width + x) & 1023) << 6, toByteOffset: y * pitch + x * 2, as: UInt16.self)
        }
      }
    }
    var settings = VideoEncoderSettings(
      codec: .hevc, width: 64, height: 32, pixelFormat: kCVPixelFormatType_OneComponent10)
    settings.sampleEntry = fourCharacterCode("dish")
    settings.rate = .lossless
    let samples = try encodeAll(settings, [(ramp, .zero)])
    let format = try #require(samples.first?.formatDescription)
    #expect(CMFormatDescriptionGetMediaSubType(format) == fourCharacterCode("dish"))
    let decoded = try #require(try decodeAll(samples).first)
    #expect(decoded.pixelBuffer.formatName == "L010")
    #expect(haveSameCodes(decoded.pixelBuffer, ramp))
    #expect(decoded.color.isFullRange == true)
  }

  /// What the quantisers of each profile cost slow waves, in 10-bit codes: measured, with a quarter to spare.
  @Test(arguments: zip(VideoEncoderSettings.ProResProfile.allCases, [32, 8, 6, 4, 4, 4]))
  func proResIsClose(profile: VideoEncoderSettings.ProResProfile, tolerance: Int) throws {
    let format =
      profile.is4444
      ? kCVPixelFormatType_444YpCbCr10BiPlanarVideoRange
      : kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange
    let frames = try frames(format, 3)
    let settings = VideoEncoderSettings(codec: .proRes(profile), width: 96, height: 64, pixelFormat: format)
    var options = VideoDecoder.Options()
    options.pixelFormat = format
    let decoded = try decodeAll(encodeAll(settings, frames), options: options)
    #expect(decoded.map(\.presentationTime) == frames.map(\.1))
    for (frame, (original, _)) in zip(decoded, frames) {
      for plane in 0..<2 {
        let difference = largestDifference(frame.pixelBuffer.words(ofPlane: plane), original.words(ofPlane: plane))
        #expect(difference >> 6 <= tolerance)
      }
    }
  }

  /// A frame's header names its colours: bytes 14 to 16 after the frame's size and 'icpf' (SMPTE RDD 36, 5.1.1).
  @Test(arguments: [(ColorTags.bt709, [1, 1, 1]), (.bt2020HLG, [9, 18, 9]), (.bt2020PQ, [9, 16, 9])])
  func proResNamesItsColors(color: ColorTags, expected: [UInt8]) throws {
    let format = kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange
    var settings = VideoEncoderSettings(codec: .proRes(.hq), width: 96, height: 64, pixelFormat: format)
    settings.color = color
    for sample in try encodeAll(settings, try frames(format, 2)) {
      #expect(Array(try #require(sample.dataBuffer).dataBytes()[22..<25]) == expected)
    }
  }

  /// FFmpeg's decoder gives alpha at 12 bits; the rest is one step of that.
  @Test func proRes4444KeepsAlpha() throws {
    let frames = try frames(kCVPixelFormatType_4444AYpCbCr16, 2)
    let settings = VideoEncoderSettings(
      codec: .proRes(.p4444), width: 96, height: 64, pixelFormat: kCVPixelFormatType_4444AYpCbCr16)
    #expect(settings.hasAlpha)
    let decoded = try decodeAll(encodeAll(settings, frames))
    let alphaTolerance = 64 + 16
    for (frame, (original, _)) in zip(decoded, frames) {
      #expect(frame.pixelBuffer.formatName == "y416")
      let pairs = zip(frame.pixelBuffer.words(ofPlane: 0), original.words(ofPlane: 0)).enumerated()
      let alpha = pairs.filter { $0.offset % 4 == 0 }.map { abs(Int($0.element.0) - Int($0.element.1)) }
      let picture = pairs.filter { $0.offset % 4 != 0 }.map { abs(Int($0.element.0) - Int($0.element.1)) }
      #expect(alpha.max()! <= alphaTolerance)
      #expect(picture.max()! <= 5 << 6)
      #expect(
        CVBufferCopyAttachment(frame.pixelBuffer, kCVImageBufferAlphaChannelModeKey, nil) as? String
          == kCVImageBufferAlphaChannelMode_StraightAlpha)
    }
  }

  @Test(arguments: [VideoEncoderSettings.Codec.hevc, .h264])
  func samplesAreWhatAWriterNeeds(codec: VideoEncoderSettings.Codec) throws {
    let format = kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
    let frames = try frames(format, 30)
    var settings = VideoEncoderSettings(codec: codec, width: 96, height: 64, pixelFormat: format)
    settings.keyFrameInterval = 10
    settings.maximumBFrames = 3
    settings.preset = "fast"
    let samples = try encodeAll(settings, frames, duration: CMTime(value: 1, timescale: 50))
    #expect(samples.count == 30)
    let decode = samples.map(\.decodeTimeStamp)
    #expect(zip(decode, decode.dropFirst()).allSatisfy { $0 < $1 })
    #expect(samples.allSatisfy { $0.decodeTimeStamp <= $0.presentationTimeStamp })
    #expect(Set(samples.map(\.presentationTimeStamp)) == Set(frames.map(\.1)))
    #expect(samples.allSatisfy { $0.duration == CMTime(value: 1, timescale: 50) })
    let isSync = samples.map { $0.sampleAttachments[0][.notSync] == nil }
    #expect(isSync.first == true)
    #expect(isSync.count { $0 } >= 3)
    let reorders = zip(samples, samples.dropFirst()).contains { $0.presentationTimeStamp > $1.presentationTimeStamp }
    #expect(reorders)
    for sample in samples { #expect(try unitLengths(sample) == sample.dataBuffer?.dataLength) }
  }

  /// Walks the length-prefixed units; where the walk ends.
  private func unitLengths(_ sample: CMSampleBuffer) throws -> Int? {
    let bytes = try Array(#require(sample.dataBuffer).dataBytes())
    var offset = 0
    while offset + 4 <= bytes.count {
      offset += 4 + bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }
    return offset
  }

  @Test func aForcedKeyFrameIsOne() throws {
    let settings = VideoEncoderSettings(codec: .hevc, width: 96, height: 64)
    let encoder = try VideoEncoder(settings)
    let picture = try TestPicture.make(96, 64, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
    var samples: [CMSampleBuffer] = []
    for index in 0..<20 {
      samples += try encoder.encode(
        picture, presentationTime: CMTime(value: Int64(index), timescale: 30), forcesKeyFrame: index == 13)
    }
    samples += try encoder.finish()
    let forced = try #require(samples.first { $0.presentationTimeStamp == CMTime(value: 13, timescale: 30) })
    #expect(forced.sampleAttachments[0][.notSync] == nil)
  }

  @Test func colourAndLightTravel() throws {
    var settings = VideoEncoderSettings(
      codec: .hevc, width: 96, height: 64, pixelFormat: kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange)
    settings.color = .bt2020PQ
    let display = Data([
      0x21, 0x34, 0x9B, 0xAA, 0x19, 0x96, 0x08, 0xFC, 0x8A, 0x48, 0x39, 0x08, 0x3D, 0x13, 0x40, 0x42, 0x00, 0x98, 0x96,
      0x80,
      0x00, 0x00, 0x00, 0x32,
    ])
    settings.light = LightMetadata(masteringDisplay: display, contentLight: Data([0x03, 0xE8, 0x01, 0x90]))
    let samples = try encodeAll(
      settings, [(try TestPicture.make(96, 64, kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange), .zero)])
    let full = try #require(samples.first?.formatDescription)
    let extensions = try #require(CMFormatDescriptionGetExtensions(full))
    #expect(ColorTags(extensions: extensions).transfer == 16)
    #expect(LightMetadata(extensions: extensions) == settings.light)
    // Only the bitstream speaks now.
    var bare: CMFormatDescription?
    let atoms = extensions[kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms] as Any
    _ = CMVideoFormatDescriptionCreate(
      allocator: nil, codecType: fourCharacterCode("hvc1"), width: 96, height: 64,
      extensions: [kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms: atoms], formatDescriptionOut: &bare)
    let decoder = try VideoDecoder(formatDescription: try #require(bare))
    let frames = try samples.flatMap { try decoder.decode($0) } + decoder.finish()
    let frame = try #require(frames.first)
    #expect(frame.color.primaries == 9 && frame.color.transfer == 16 && frame.color.matrix == 9)
    #expect(frame.color.isFullRange == false)
    let attached = CVBufferCopyAttachments(frame.pixelBuffer, .shouldPropagate) ?? [:]
    #expect(attached[kCVImageBufferTransferFunctionKey] as? String == kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ)
    #expect(attached[kCVImageBufferMasteringDisplayColorVolumeKey] as? Data == display)
    #expect(attached[kCVImageBufferContentLightLevelInfoKey] as? Data == settings.light.contentLight)
  }

  @Test(
    arguments: [
      \VideoEncoderSettings.width, \VideoEncoderSettings.height, \VideoEncoderSettings.bitDepth,
      \VideoEncoderSettings.keyFrameInterval,
    ] as [WritableKeyPath<VideoEncoderSettings, Int> & Sendable], [-1, 0, 7, 1_000_001])
  func impossibleNumbersAreRefused(key: WritableKeyPath<VideoEncoderSettings, Int> & Sendable, value: Int) throws {
    for codec in [VideoEncoderSettings.Codec.hevc, .h264, .proRes(.hq)] {
      var settings = VideoEncoderSettings(codec: codec, width: 96, height: 64)
      settings[keyPath: key] = value
      if key == \.keyFrameInterval && value > 0 { continue }
      #expect(throws: CodecError.self) { try VideoEncoder(settings) }
    }
  }

  @Test func unsupportedSettingsAreNamed() throws {
    func refusal(_ codec: VideoEncoderSettings.Codec, _ change: (inout VideoEncoderSettings) -> Void) -> String {
      var settings = VideoEncoderSettings(codec: codec, width: 96, height: 64)
      change(&settings)
      do {
        _ = try VideoEncoder(settings)
        return ""
      } catch { return "\(error)" }
    }
    #expect(refusal(.proRes(.hq)) { $0.rate = .quality(10) }.contains("one quality"))
    #expect(refusal(.hevc) { $0.preset = "warp" }.contains("warp"))
    #expect(refusal(.hevc) { $0.rate = .quality(.nan) }.contains("CRF"))
    #expect(refusal(.h264) { $0.hasAlpha = true }.contains("alpha"))
    #expect(refusal(.h264) { $0.bitDepth = 12 }.contains("12"))
    #expect(refusal(.hevc) { $0.frameDuration = .invalid }.contains("duration"))
    #expect(refusal(.hevc) { $0.width = 95 }.contains("even"))
  }

  @Test func framesOutOfOrderAreRefused() throws {
    let encoder = try VideoEncoder(VideoEncoderSettings(codec: .hevc, width: 96, height: 64))
    let picture = try TestPicture.make(96, 64, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
    _ = try encoder.encode(picture, presentationTime: CMTime(value: 5, timescale: 30))
    #expect(throws: CodecError.self) { try encoder.encode(picture, presentationTime: CMTime(value: 5, timescale: 30)) }
    #expect(throws: CodecError.self) { try encoder.encode(picture, presentationTime: .invalid) }
    let other = try TestPicture.make(64, 64, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
    #expect(throws: CodecError.self) { try encoder.encode(other, presentationTime: CMTime(value: 6, timescale: 30)) }
  }
}
