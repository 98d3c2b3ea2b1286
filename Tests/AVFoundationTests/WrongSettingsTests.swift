import AVFoundation
import CoreMedia
import CoreVideo
import Foundation
import QuickTime
import Testing

/// Wrong settings never crash: `canAdd` is false, and starting fails with an error that names the key.
struct WrongSettingsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let key: String
    nonisolated(unsafe) let settings: [String: Any]
    var testDescription: String { key }

    init(_ key: String, _ settings: [String: Any]) {
      self.key = key
      self.settings = settings
    }
  }

  private static let picture: [Case] = [
    Case(kCVPixelBufferPixelFormatTypeKey, [kCVPixelBufferPixelFormatTypeKey: fourCharacterCode("nope")]),
    Case(kCVPixelBufferPixelFormatTypeKey, [kCVPixelBufferPixelFormatTypeKey: "420v"]),
    Case(kCVPixelBufferPixelFormatTypeKey, [:]),
    Case(kCVPixelBufferWidthKey, [kCVPixelBufferWidthKey: 64]),
    Case(kCVPixelBufferWidthKey, [kCVPixelBufferWidthKey: -1, kCVPixelBufferHeightKey: 48]),
    Case(kCVPixelBufferHeightKey, [kCVPixelBufferWidthKey: 64, kCVPixelBufferHeightKey: 1_000_000]),
    Case(AVVideoPixelAspectRatioKey, [AVVideoPixelAspectRatioKey: ["HorizontalSpacing": 1, "VerticalSpacing": 1]]),
    Case(AVVideoCompressionPropertiesKey, [AVVideoCompressionPropertiesKey: [String: Int]()]),
    Case(AVSampleRateConverterAudioQualityKey, [AVSampleRateConverterAudioQualityKey: 1]),
    Case("Nonsense", ["Nonsense": 1]),
    Case(
      AVNumberOfChannelsKey,
      [kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_422YpCbCr16, AVNumberOfChannelsKey: 2]),
    Case(AVVideoCleanApertureKey, [AVVideoCleanApertureKey: [String: Int]()]),
    Case(AVVideoScalingModeKey, [AVVideoScalingModeKey: AVVideoScalingModeFit]),
    Case(AVVideoCodecKey, [AVVideoCodecKey: AVVideoCodecType.h264]),
    Case(AVFormatIDKey, [AVFormatIDKey: kAudioFormatLinearPCM]),
  ]

  @Test(arguments: picture)
  func anOutputOfPicturesRefuses(_ wrong: Case) async throws {
    let folder = try TemporaryFolder()
    try await SmallMovie().write(to: folder.file("a.mov"))
    let asset = AVURLAsset(url: folder.file("a.mov"))
    try refuses(wrong, asset, try #require(asset.tracks.first))
  }

  /// Pictures of these formats are never scaled: no width, no height, not even their own.
  @Test(arguments: ["y416", "v216", "v210", "b64a"]) func deepFormatsAreNotScaled(_ format: String) async throws {
    let folder = try TemporaryFolder()
    try await SmallMovie().write(to: folder.file("a.mov"))
    let asset = AVURLAsset(url: folder.file("a.mov"))
    let track = try #require(asset.tracks.first)
    let plain: [String: Any] = [kCVPixelBufferPixelFormatTypeKey: fourCharacterCode(format)]
    for size in [(32, 24), (64, 48)] {
      let scaled = [kCVPixelBufferWidthKey: size.0, kCVPixelBufferHeightKey: size.1] as [String: Any]
      try refuses(Case(kCVPixelBufferWidthKey, plain.merging(scaled) { a, _ in a }), asset, track)
    }
    #expect(try AVAssetReader(asset: asset).canAdd(AVAssetReaderTrackOutput(track: track, outputSettings: plain)))
  }

  @Test func tracksOfOtherAssetsAndKindsAreRefused() async throws {
    let folder = try TemporaryFolder()
    try await SmallMovie().write(to: folder.file("a.mov"))
    let asset = AVURLAsset(url: folder.file("a.mov"))
    let stranger = try #require(AVURLAsset(url: folder.file("a.mov")).tracks.first)
    try refuses(Case("another asset", [AVVideoAllowWideColorKey: true]), asset, stranger)
    let codes = try TableMovie(
      samples: [TimedSample(duration: 10)], handler: "meta",
      descriptions: [SampleDescription(type: "mebx", layout: .plain)]
    ).write(to: folder.file("b.mov"))
    let metadata = try #require(codes.tracks.first)
    try refuses(Case("nil settings", [AVVideoAllowWideColorKey: true]), codes, metadata)
  }

  private static let sound: [Case] = [
    Case(
      kCVPixelBufferPixelFormatTypeKey,
      [kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_422YpCbCr16]),
    Case(
      AVVideoWidthKey, [AVFormatIDKey: kAudioFormatLinearPCM, AVVideoWidthKey: 64]),
    Case(AVFormatIDKey, [:]), Case("Nonsense", [AVFormatIDKey: kAudioFormatLinearPCM, "Nonsense": 1]),
    Case(AVEncoderBitRateKey, [AVFormatIDKey: kAudioFormatLinearPCM, AVEncoderBitRateKey: 64_000]),
    Case(AVFormatIDKey, [AVFormatIDKey: kAudioFormatMPEG4AAC]),
    Case(AVFormatIDKey, [AVSampleRateKey: 44_100]),
    Case(AVSampleRateKey, [AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 0]),
    Case(AVSampleRateKey, [AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: Double.nan]),
    Case(AVNumberOfChannelsKey, [AVFormatIDKey: kAudioFormatLinearPCM, AVNumberOfChannelsKey: 0]),
    Case(AVLinearPCMBitDepthKey, [AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMBitDepthKey: 13]),
    Case(AVLinearPCMIsNonInterleaved, [AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMIsNonInterleaved: true]),
    Case(
      AVSampleRateConverterAudioQualityKey,
      [AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateConverterAudioQualityKey: 1]),
  ]

  @Test(arguments: sound)
  func anOutputOfSoundRefuses(_ wrong: Case) async throws {
    let folder = try TemporaryFolder()
    try await SmallSound.write(5000, settings: SoundTests.aac, to: folder.file("a.mov"))
    let asset = AVURLAsset(url: folder.file("a.mov"))
    try refuses(wrong, asset, try #require(asset.tracks.first))
  }

  private func refuses(_ wrong: Case, _ asset: AVAsset, _ track: AVAssetTrack) throws {
    let reader = try AVAssetReader(asset: asset)
    let output = AVAssetReaderTrackOutput(track: track, outputSettings: wrong.settings)
    #expect(!reader.canAdd(output))
    reader.add(output)
    #expect(!reader.startReading())
    #expect(reader.status == .failed)
    let error = try #require(reader.error as? AVError)
    #expect(error.localizedDescription.contains(wrong.key), "\(error.localizedDescription)")
    #expect(output.copyNextSampleBuffer() == nil)
  }

  private static func input(_ key: String, _ changes: [String: Any?]) -> Case {
    var settings: [String: Any] = [AVVideoCodecKey: AVVideoCodecType.hevc, AVVideoWidthKey: 64, AVVideoHeightKey: 48]
    for (key, value) in changes { settings[key] = value }
    return Case(key, settings)
  }

  private static func compression(_ key: String, _ value: Any, codec: AVVideoCodecType = .hevc) -> Case {
    input(key, [AVVideoCodecKey: codec, AVVideoCompressionPropertiesKey: [key: value]])
  }

  private static let inputs: [Case] = [
    input(AVVideoCodecKey, [AVVideoCodecKey: nil]), input(AVVideoCodecKey, [AVVideoCodecKey: "xxxx"]),
    input(AVVideoWidthKey, [AVVideoWidthKey: nil]), input(AVVideoHeightKey, [AVVideoHeightKey: 0]),
    input(AVVideoScalingModeKey, [AVVideoScalingModeKey: AVVideoScalingModeFit]),
    input(AVVideoCleanApertureKey, [AVVideoCleanApertureKey: [String: Int]()]),
    input("Nonsense", ["Nonsense": 1]),
    input(AVVideoColorPrimariesKey, [AVVideoColorPropertiesKey: [AVVideoTransferFunctionKey: "ITU_R_709_2"]]),
    input(AVVideoPixelAspectRatioVerticalSpacingKey, [AVVideoPixelAspectRatioKey: ["HorizontalSpacing": 1]]),
    compression(AVVideoQualityKey, 2), compression(AVVideoAverageBitRateKey, -5),
    compression(AVVideoConstantRateFactorKey, Double.infinity), compression(AVVideoEncoderPresetKey, "warp"),
    compression(AVVideoProfileLevelKey, AVVideoProfileLevelH264HighAutoLevel),
    compression(AVVideoQualityKey, 0.5, codec: .proRes422), compression("Nonsense", 1),
  ]

  @Test(arguments: inputs)
  func anInputRefuses(_ wrong: Case) async throws {
    let folder = try TemporaryFolder()
    let writer = try AVAssetWriter(outputURL: folder.file("a.mov"), fileType: .mov)
    let input = AVAssetWriterInput(mediaType: .video, outputSettings: wrong.settings)
    #expect(!writer.canAdd(input))
    #expect(!writer.canApply(outputSettings: wrong.settings, forMediaType: .video))
    writer.add(input)
    #expect(!writer.startWriting())
    #expect(writer.status == .failed)
    let error = try #require(writer.error as? AVError)
    #expect(error.localizedDescription.contains(wrong.key), "\(error.localizedDescription)")
    #expect(!input.append(try SmallSound.buffer(0..<10)))
    #expect(folder.names.isEmpty)
  }

  @Test func fileTypesHoldWhatTheyCan() throws {
    let folder = try TemporaryFolder()
    let writer = try AVAssetWriter(outputURL: folder.file("a.mp4"), fileType: .mp4)
    let proRes: [String: Any] = [
      AVVideoCodecKey: AVVideoCodecType.proRes422, AVVideoWidthKey: 64, AVVideoHeightKey: 48,
    ]
    #expect(!writer.canApply(outputSettings: proRes, forMediaType: .video))
    #expect(!writer.canApply(outputSettings: SoundTests.pcm, forMediaType: .audio))
    #expect(writer.canApply(outputSettings: SoundTests.aac, forMediaType: .audio))
    let sound = try AVAssetWriter(outputURL: folder.file("a.m4a"), fileType: .m4a)
    #expect(!sound.canApply(outputSettings: nil, forMediaType: .video))
    #expect(throws: AVError.self) {
      try AVAssetWriter(outputURL: folder.file("a.avi"), fileType: AVFileType(rawValue: "avi"))
    }
  }
}
