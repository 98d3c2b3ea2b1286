import Codecs
import CoreMedia
import CoreVideo
import Foundation
import Testing

@Suite struct SoundTests {
  private func stream(_ rate: Double, _ channels: Int, _ bits: Int, isFloat: Bool = false, isBigEndian: Bool = false)
    -> AudioStreamBasicDescription
  {
    var flags = kAudioFormatFlagIsPacked | (isFloat ? kAudioFormatFlagIsFloat : kAudioFormatFlagIsSignedInteger)
    if isBigEndian { flags |= kAudioFormatFlagIsBigEndian }
    let frame = UInt32(bits / 8 * channels)
    return AudioStreamBasicDescription(
      mSampleRate: rate, mFormatID: kAudioFormatLinearPCM, mFormatFlags: flags, mBytesPerPacket: frame,
      mFramesPerPacket: 1, mBytesPerFrame: frame, mChannelsPerFrame: UInt32(channels), mBitsPerChannel: UInt32(bits),
      mReserved: 0)
  }

  private func sample(_ data: Data, _ stream: AudioStreamBasicDescription, at time: CMTime = .zero) throws
    -> CMSampleBuffer
  {
    let format = try CMFormatDescription(audioStreamBasicDescription: stream)
    return try CMSampleBuffer(
      dataBuffer: CMBlockBuffer(copying: data), formatDescription: format,
      numSamples: data.count / Int(stream.mBytesPerFrame),
      sampleTimings: [
        CMSampleTimingInfo(
          duration: CMTime(value: 1, timescale: CMTimeScale(stream.mSampleRate)), presentationTimeStamp: time,
          decodeTimeStamp: .invalid)
      ], sampleSizes: [Int(stream.mBytesPerFrame)])
  }

  private func tone(_ frames: Int, _ channels: Int, rate: Double) -> [Float] {
    (0..<frames * channels).map { index in
      let time = Double(index / channels) / rate
      return Float(0.4 * sin(2 * .pi * (440 + 220 * Double(index % channels)) * time))
    }
  }

  private func bytes(_ samples: [CMSampleBuffer]) throws -> Data {
    try samples.reduce(into: Data()) { $0 += try #require($1.dataBuffer).dataBytes() }
  }

  @Test(arguments: [(16, false), (24, false), (32, false), (32, true), (8, false)], [false, true])
  func PCMComesBack(type: (bits: Int, isFloat: Bool), isBigEndian: Bool) throws {
    let source = stream(48000, 2, type.bits, isFloat: type.isFloat)
    let data =
      type.isFloat
      ? tone(480, 2, rate: 48000).withUnsafeBytes { Data($0) }
      : Data(
        (0..<480 * 2 * type.bits / 8).map { (index: Int) -> UInt8 in UInt8(truncatingIfNeeded: index * 37 + index / 9) }
      )
    let settings = AudioEncoderSettings(
      codec: .pcm(bits: type.bits, isFloat: type.isFloat, isBigEndian: isBigEndian), sampleRate: 48000, channels: 2)
    let encoder = try AudioEncoder(settings)
    let stored = try encoder.encode(sample(data, source)) + encoder.finish()
    #expect(try type.bits == 8 || (bytes(stored) == data) != isBigEndian)
    let decoder = try AudioDecoder(formatDescription: encoder.formatDescription, output: source)
    let back = try stored.flatMap { try decoder.decode($0) } + decoder.finish()
    #expect(try bytes(back) == data)
    #expect(back.first?.presentationTimeStamp == .zero)
  }

  /// libavcodec's AAC at 128 kbit/s puts noise 15 dB below pure tones at most, once priming and padding are taken off; a
  /// shift by one frame alone would make more.
  @Test(arguments: [1, 1023, 1024, 5000, 48000])
  func AACReturnsEveryFrame(count: Int) throws {
    let tone = tone(count, 2, rate: 48000)
    let start = CMTime(value: 7, timescale: 600)
    let settings = AudioEncoderSettings(codec: .aac, sampleRate: 48000, channels: 2, bitRate: 128_000)
    let encoder = try AudioEncoder(settings)
    let source = stream(48000, 2, 32, isFloat: true)
    let packets = try encoder.encode(sample(tone.withUnsafeBytes { Data($0) }, source, at: start)) + encoder.finish()
    #expect(encoder.primingFrames == 1024)
    #expect(packets.first?.presentationTimeStamp == start - CMTime(value: 1024, timescale: 48000))
    #expect(packets.first?.outputPresentationTimeStamp == start)
    let decoder = try AudioDecoder(formatDescription: encoder.formatDescription)
    let decoded = try packets.flatMap { try decoder.decode($0) } + decoder.finish()
    #expect(decoded.reduce(0) { $0 + $1.numSamples } == count)
    #expect(decoded.first?.presentationTimeStamp == start)
    let sound = try bytes(decoded).withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    guard count >= 5000 else { return }
    let noise = zip(sound, tone).reduce(0.0) { $0 + pow(Double($1.0 - $1.1), 2) }
    #expect(noise < 0.03 * tone.reduce(0.0) { $0 + pow(Double($1), 2) })
  }

  @Test func ratesAndChannelsConvert() throws {
    let data = tone(44100, 1, rate: 44100).withUnsafeBytes { Data($0) }
    let decoder = try AudioDecoder(
      formatDescription: CMFormatDescription(audioStreamBasicDescription: stream(44100, 1, 32, isFloat: true)),
      output: stream(48000, 2, 16))
    let half = data.count / 2 / 4 * 4
    var decoded = try decoder.decode(sample(data.prefix(half), stream(44100, 1, 32, isFloat: true)))
    decoded += try decoder.decode(
      sample(
        Data(data.dropFirst(half)), stream(44100, 1, 32, isFloat: true), at: CMTime(value: 22050, timescale: 44100)))
    decoded += try decoder.finish()
    #expect(abs(decoded.reduce(0) { $0 + $1.numSamples } - 48000) <= 1)
    let starts = decoded.map(\.presentationTimeStamp)
    let ends = zip(starts, decoded).map { $0 + CMTime(value: Int64($1.numSamples), timescale: 48000) }
    #expect(Array(starts.dropFirst()) == Array(ends.dropLast()))
    let samples = try bytes(decoded).withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    let isMono = stride(from: 0, to: samples.count, by: 2).allSatisfy { samples[$0] == samples[$0 + 1] }
    #expect(isMono)
  }

  @Test func aGapInTimeIsKept() throws {
    let source = stream(48000, 1, 16)
    let decoder = try AudioDecoder(formatDescription: CMFormatDescription(audioStreamBasicDescription: source))
    let data = Data(count: 960)
    let times = [CMTime.zero, CMTime(value: 480, timescale: 48000), CMTime(value: 2, timescale: 1)]
    let decoded = try times.flatMap { try decoder.decode(sample(data, source, at: $0)) }
    #expect(decoded.map(\.presentationTimeStamp) == times)
  }

  @Test func damagedPacketsAreNamed() throws {
    let encoder = try AudioEncoder(AudioEncoderSettings(codec: .aac, sampleRate: 48000, channels: 2))
    let tone = tone(10240, 2, rate: 48000).withUnsafeBytes { Data($0) }
    let packets = try encoder.encode(sample(tone, stream(48000, 2, 32, isFloat: true))) + encoder.finish()
    let decoder = try AudioDecoder(formatDescription: encoder.formatDescription)
    var named: [Int?] = []
    var frames = 0
    for (index, packet) in packets.enumerated() {
      var broken = packet
      if index == 4 {
        broken = try CMSampleBuffer(
          dataBuffer: CMBlockBuffer(copying: Data(repeating: 0xFF, count: 40)),
          formatDescription: encoder.formatDescription,
          numSamples: 1, sampleTimings: try packet.sampleTimingInfos(), sampleSizes: [40])
      }
      do {
        frames += try decoder.decode(broken).reduce(0) { $0 + $1.numSamples }
      } catch let error as CodecError { named.append(error.sample) }
    }
    #expect(named == [4])
    #expect(frames >= 10240 - 2048)
  }

  @Test func impossibleSoundIsRefused() throws {
    #expect(throws: CodecError.self) {
      try AudioEncoder(AudioEncoderSettings(codec: .aac, sampleRate: 12345, channels: 2))
    }
    #expect(throws: CodecError.self) {
      try AudioEncoder(AudioEncoderSettings(codec: .aac, sampleRate: 48000, channels: 7))
    }
    #expect(throws: CodecError.self) {
      try AudioEncoder(AudioEncoderSettings(codec: .aac, sampleRate: .nan, channels: 2))
    }
    #expect(throws: CodecError.self) {
      try AudioEncoder(
        AudioEncoderSettings(codec: .pcm(bits: 7, isFloat: false, isBigEndian: false), sampleRate: 48000, channels: 2))
    }
    var unknown = stream(48000, 2, 16)
    unknown.mFormatID = kAudioFormatAPAC
    #expect(throws: CodecError.self) {
      try AudioDecoder(formatDescription: CMFormatDescription(audioStreamBasicDescription: unknown))
    }
    for rate in [Double.nan, .infinity, 0, -1, 1e300] {
      var odd = stream(48000, 2, 16)
      odd.mSampleRate = rate
      #expect(throws: CodecError.self) {
        try AudioDecoder(formatDescription: CMFormatDescription(audioStreamBasicDescription: odd))
      }
    }
  }
}
