import AVFoundation
import CoreMedia
import CoreVideo
import Foundation
import QuickTime
import Testing

/// Sound made on the fly: a sine of 441 Hz, 100 sample frames a period at 44.1 kHz.
enum SmallSound {
  static let rate: Int32 = 44_100

  static func sample(_ index: Int) -> Float { 0.5 * Float(sin(2 * Double.pi * Double(index) / 100)) }

  static func format(channels: UInt32 = 1) throws -> CMFormatDescription {
    var stream = AudioStreamBasicDescription()
    stream.mFormatID = kAudioFormatLinearPCM
    stream.mFormatFlags = kAudioFormatFlagsNativeFloatPacked
    stream.mSampleRate = Double(rate)
    stream.mChannelsPerFrame = channels
    stream.mBitsPerChannel = 32
    stream.mFramesPerPacket = 1
    stream.mBytesPerFrame = 4 * channels
    stream.mBytesPerPacket = 4 * channels
    return try CMFormatDescription(audioStreamBasicDescription: stream)
  }

  static func buffer(_ range: Range<Int>) throws -> CMSampleBuffer {
    let data = range.map(sample).withUnsafeBytes { Data($0) }
    let timing = CMSampleTimingInfo(
      duration: CMTime(value: 1, timescale: rate),
      presentationTimeStamp: CMTime(value: Int64(range.lowerBound), timescale: rate), decodeTimeStamp: .invalid)
    return try CMSampleBuffer(
      dataBuffer: try CMBlockBuffer(copying: data), formatDescription: try format(), numSamples: range.count,
      sampleTimings: [timing], sampleSizes: [4])
  }

  static func write(_ count: Int, settings: [String: Any]?, to url: URL) async throws {
    let writer = try AVAssetWriter(outputURL: url, fileType: .mov)
    let input = AVAssetWriterInput(mediaType: .audio, outputSettings: settings)
    #expect(writer.canAdd(input))
    writer.add(input)
    #expect(writer.startWriting(), "\(writer.error.debugDescription)")
    writer.startSession(atSourceTime: .zero)
    for start in stride(from: 0, to: count, by: 1000) {
      #expect(input.append(try buffer(start..<min(count, start + 1000))))
    }
    await writer.finishWriting()
    #expect(writer.status == .completed, "\(writer.error.debugDescription)")
  }

  /// The samples of a sound track as floats, and the times of the buffers' first ones.
  static func read(_ track: AVAssetTrack, in asset: AVAsset, range: CMTimeRange? = nil) throws -> (
    samples: [Float], start: CMTime
  ) {
    let reader = try AVAssetReader(asset: asset)
    if let range { reader.timeRange = range }
    let output = AVAssetReaderTrackOutput(
      track: track, outputSettings: [AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMIsFloatKey: true])
    reader.add(output)
    #expect(reader.startReading(), "\(reader.error.debugDescription)")
    var samples: [Float] = []
    var start = CMTime.invalid
    while let buffer = output.copyNextSampleBuffer() {
      if !start.isValid { start = buffer.presentationTimeStamp }
      #expect(buffer.presentationTimeStamp == start + CMTime(value: Int64(samples.count), timescale: rate))
      let data = try buffer.dataBuffer?.dataBytes() ?? Data()
      samples += data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    }
    #expect(reader.status == .completed, "\(reader.error.debugDescription)")
    return (samples, start)
  }
}

struct SoundTests {
  /// What the encoder leaves at 64 kbit/s, but for its start, where it does not know the tone yet.
  static let codingError: Float = 0.06

  static var aac: [String: Any] {
    [AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 1]
  }
  static var pcm: [String: Any] {
    [
      AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 1,
      AVLinearPCMBitDepthKey: 16,
    ]
  }

  @Test func aacComesBackWithoutPriming() async throws {
    let folder = try TemporaryFolder()
    // Ten seconds and 123 samples: the last packet is not full.
    let count = 441_123
    try await SmallSound.write(count, settings: Self.aac, to: folder.file("a.mov"))
    let asset = AVURLAsset(url: folder.file("a.mov"))
    let track = try #require(asset.tracks.first)
    #expect(track.movieTrack.edits.first?.mediaTime == 1024)
    let (samples, start) = try SmallSound.read(track, in: asset)
    #expect(start == .zero)
    // The edit's end is a whole unit of the movie's time scale of 600: 73.5 samples.
    #expect(abs(samples.count - count) <= 74)
    let worst = samples.prefix(count).enumerated().dropFirst(2048).map { abs($1 - SmallSound.sample($0)) }.dropLast(200)
      .max()
    #expect(try #require(worst) < Self.codingError)
  }

  @Test(arguments: [0, 1000, 44_100, 50_001])
  func aRangeOfSoundIsExactToTheSample(start: Int) async throws {
    let folder = try TemporaryFolder()
    try await SmallSound.write(88_200, settings: Self.aac, to: folder.file("a.mov"))
    let asset = AVURLAsset(url: folder.file("a.mov"))
    let range = CMTimeRange(
      start: CMTime(value: Int64(start), timescale: SmallSound.rate),
      duration: CMTime(value: 5000, timescale: SmallSound.rate))
    let found = try SmallSound.read(try #require(asset.tracks.first), in: asset, range: range)
    #expect(found.start == range.start)
    #expect(found.samples.count == 5000)
    let worst = found.samples.enumerated().dropFirst(start < 2048 ? 2048 : 200).map {
      abs($1 - SmallSound.sample(start + $0))
    }.max()
    #expect(try #require(worst) < Self.codingError)
  }

  @Test func pcmComesBackExactly() async throws {
    let folder = try TemporaryFolder()
    try await SmallSound.write(100_000, settings: nil, to: folder.file("a.mov"))
    let asset = AVURLAsset(url: folder.file("a.mov"))
    let track = try #require(asset.tracks.first)
    #expect(track.movieTrack.samples.count == 100_000)
    let found = try SmallSound.read(track, in: asset)
    #expect(found.samples.prefix(99_900) == (0..<99_900).map(SmallSound.sample)[...])
  }

  @Test func pcmOf16BitsIsRounded() async throws {
    let folder = try TemporaryFolder()
    try await SmallSound.write(44_100, settings: Self.pcm, to: folder.file("a.mov"))
    let asset = AVURLAsset(url: folder.file("a.mov"))
    let found = try SmallSound.read(try #require(asset.tracks.first), in: asset)
    #expect(found.samples.count == 44_100)
    // One step of 16 bits.
    #expect(found.samples.enumerated().allSatisfy { abs($1 - SmallSound.sample($0)) <= 1 / 32768 })
  }

  /// A cut through a packet is kept to the sample: the copy shows the packet in part, as the range did.
  @Test func aCopyOfARangeIsCutToTheSample() async throws {
    let folder = try TemporaryFolder()
    try await SmallSound.write(22_050, settings: Self.aac, to: folder.file("a.mov"))
    let asset = AVURLAsset(url: folder.file("a.mov"))
    // A sixth of a second is 182 sample frames behind the start of a packet; both are whole 600ths.
    let range = CMTimeRange(start: CMTime(value: 1, timescale: 6), duration: CMTime(value: 2, timescale: 15))
    try await copy(asset, to: folder.file("b.mov"), range: range)
    let result = AVURLAsset(url: folder.file("b.mov"))
    let (source, cut) = (try #require(asset.tracks.first), try #require(result.tracks.first))
    #expect(cut.segments.map(\.isEmpty) == [false])
    let expected = try SmallSound.read(source, in: asset, range: range).samples
    let found = try SmallSound.read(cut, in: result)
    #expect(found.start == .zero && found.samples.count == 5880 && expected.count == 5880)
    // A decoder that starts two packets earlier has the same state but for rounding.
    #expect(zip(found.samples, expected).allSatisfy { abs($0 - $1) < 1e-3 })
  }

  @Test func copiesKeepTheSamplesAndTheTrims() async throws {
    let folder = try TemporaryFolder()
    try await SmallSound.write(50_000, settings: Self.aac, to: folder.file("a.mov"))
    let source = AVURLAsset(url: folder.file("a.mov"))
    try await copy(source, to: folder.file("b.mov"))
    let result = AVURLAsset(url: folder.file("b.mov"))
    let (a, b) = (try #require(source.tracks.first), try #require(result.tracks.first))
    #expect(
      try storedSamples(of: a, in: source).map(StoredSampleFacts.init)
        == storedSamples(of: b, in: result).map(StoredSampleFacts.init))
  }
}
