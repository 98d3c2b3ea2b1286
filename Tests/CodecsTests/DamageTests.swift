import Codecs
import CoreMedia
import CoreVideo
import Foundation
import Testing

@Suite struct DamageTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let codec: VideoEncoderSettings.Codec
    let threading: VideoDecoder.Threading
    let kind: Kind

    enum Kind: Sendable, CaseIterable { case cutOff, overwritten }

    var testDescription: String { "\(codec) \(threading) \(kind)" }
  }

  static let cases: [Case] = [VideoEncoderSettings.Codec.hevc, .h264, .proRes(.hq)].flatMap { codec in
    [codec == .h264 ? VideoDecoder.Threading.automatic : .frames, .slices].flatMap { threading in
      Case.Kind.allCases.map { Case(codec: codec, threading: threading, kind: $0) }
    }
  }

  /// Twelve pictures, each a key frame.
  private func intraSamples(_ codec: VideoEncoderSettings.Codec) throws -> [CMSampleBuffer] {
    let isProRes = if case .proRes = codec { true } else { false }
    let format = fourCharacterCode(isProRes ? "x422" : "420v")
    var settings = VideoEncoderSettings(codec: codec, width: 160, height: 128, pixelFormat: format)
    settings.keyFrameInterval = 1
    settings.maximumBFrames = 0
    let frames = try (0..<12).map {
      (try TestPicture.make(160, 128, format, frame: $0), CMTime(value: Int64($0), timescale: 30))
    }
    return try encodeAll(settings, frames)
  }

  private func damaged(_ sample: CMSampleBuffer, _ kind: Case.Kind) throws -> CMSampleBuffer {
    var bytes = try Array(#require(sample.dataBuffer).dataBytes())
    switch kind {
    case .cutOff: bytes.removeLast(bytes.count / 2)
    case .overwritten:
      var state: UInt32 = 7
      for index in bytes.count / 4..<bytes.count {
        state = state &* 1_664_525 &+ 1_013_904_223
        bytes[index] = UInt8(truncatingIfNeeded: state >> 24)
      }
    }
    return try CMSampleBuffer(
      dataBuffer: CMBlockBuffer(copying: Data(bytes)), formatDescription: sample.formatDescription, numSamples: 1,
      sampleTimings: try sample.sampleTimingInfos(), sampleSizes: [bytes.count])
  }

  @Test(arguments: cases)
  func aDamagedSampleIsNamedAndTheNextOnesDecode(_ example: Case) throws {
    let samples = try intraSamples(example.codec)
    let intact = try decodeAll(samples)
    var options = VideoDecoder.Options(threads: 3)
    options.threading = example.threading
    let decoder = try VideoDecoder(formatDescription: #require(samples[0].formatDescription), options: options)
    var frames: [DecodedFrame] = []
    var errors: [CodecError] = []
    for (index, sample) in samples.enumerated() {
      do {
        frames += try decoder.decode(index == 5 ? damaged(sample, example.kind) : sample)
      } catch let error as CodecError { errors.append(error) }
    }
    do { frames += try decoder.finish() } catch let error as CodecError { errors.append(error) }
    frames += try decoder.finish()
    #expect(errors.map(\.sample) == [5])
    #expect(errors.allSatisfy { $0.kind == .damaged && $0.message.contains("sample 5") })
    #expect(frames.map(\.sample) == [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11])
    for frame in frames { #expect(haveSameCodes(frame.pixelBuffer, intact[frame.sample].pixelBuffer)) }
  }

  @Test(arguments: [VideoEncoderSettings.Codec.hevc, .h264, .proRes(.hq)])
  func noiseNeverCrashes(codec: VideoEncoderSettings.Codec) throws {
    let samples = try intraSamples(codec)
    let decoder = try VideoDecoder(formatDescription: #require(samples[0].formatDescription), threads: 2)
    var state: UInt64 = 1
    for round in 0..<200 {
      var bytes = try Array(#require(samples[round % 12].dataBuffer).dataBytes())
      for _ in 0...round % 7 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        bytes[Int(state >> 33) % bytes.count] = UInt8(truncatingIfNeeded: state >> 24)
      }
      if round % 5 == 0 { bytes.removeLast(Int(state >> 40) % bytes.count) }
      let sample = try CMSampleBuffer(
        dataBuffer: CMBlockBuffer(copying: Data(bytes)), formatDescription: samples[0].formatDescription, numSamples: 1,
        sampleTimings: [
          CMSampleTimingInfo(
            duration: .invalid, presentationTimeStamp: CMTime(value: Int64(round), timescale: 30),
            decodeTimeStamp: .invalid)
        ], sampleSizes: [bytes.count])
      do { _ = try decoder.decode(sample) } catch { #expect(error is CodecError) }
    }
    while (try? decoder.finish()) == nil {}
    let after = try decoder.decode(samples[0]) + decoder.finish()
    #expect(after.count == 1)
  }

  /// Every length of a configuration gives a decoder or a typed error.
  @Test func cutOffConfigurationsAreErrors() throws {
    let samples = try intraSamples(.hevc)
    let atoms =
      CMFormatDescriptionGetExtension(
        try #require(samples[0].formatDescription),
        extensionKey: kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms) as? [String: Any]
    let box = try #require(atoms?["hvcC"] as? Data)
    for length in 0..<box.count {
      do {
        let decoder = try VideoDecoder(formatDescription: try format("hvc1", ["hvcC": box.prefix(length)]))
        _ = try decoder.decode(samples[0]) + decoder.finish()
      } catch { #expect(error is CodecError) }
    }
  }

  private func format(
    _ code: String, _ atoms: [String: Data] = [:], width: Int32 = 160, height: Int32 = 128
  ) throws -> CMFormatDescription {
    var format: CMFormatDescription?
    _ = CMVideoFormatDescriptionCreate(
      allocator: nil, codecType: fourCharacterCode(code), width: width, height: height,
      extensions: [kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms: atoms], formatDescriptionOut: &format)
    return try #require(format)
  }

  @Test func whatCannotBeDecodedIsNamed() throws {
    for code in ["aprn", "aprh", "????"] {
      let error = #expect(throws: CodecError.self) { try VideoDecoder(formatDescription: try format(code)) }
      #expect(error?.kind == .unsupported && error?.message.contains(code) == true)
    }
    let large = #expect(throws: CodecError.self) {
      try VideoDecoder(formatDescription: try format("apch", width: 65535, height: 65535))
    }
    #expect(large?.kind == .overLimit)
    let pixels = #expect(throws: CodecError.self) {
      try VideoDecoder(formatDescription: try format("apch"), pixelFormat: fourCharacterCode("bp16"))
    }
    #expect(pixels?.kind == .unsupported)
  }

  /// The bitstream says 160x128 where the container says 16x16 and the budget allows no more.
  @Test func theBudgetHoldsForTheBitstream() throws {
    let samples = try intraSamples(.proRes(.hq))
    var options = VideoDecoder.Options()
    options.pixelBudget = 16 * 16
    let decoder = try VideoDecoder(formatDescription: try format("apch", width: 16, height: 16), options: options)
    #expect(throws: CodecError.self) { try decoder.decode(samples[0]) + decoder.finish() }
  }

  @Test func aDecoderStartsAnew() throws {
    let samples = try intraSamples(.hevc)
    let decoder = try VideoDecoder(formatDescription: #require(samples[0].formatDescription), threads: 2)
    _ = try samples.prefix(5).flatMap { try decoder.decode($0) }
    decoder.reset()
    let frames = try samples.suffix(3).flatMap { try decoder.decode($0) } + decoder.finish()
    #expect(frames.map(\.presentationTime) == samples.suffix(3).map(\.presentationTimeStamp))
    let again = try samples.prefix(2).flatMap { try decoder.decode($0) } + decoder.finish()
    #expect(again.map(\.presentationTime) == samples.prefix(2).map(\.presentationTimeStamp))
  }

  @Test func hiddenSamplesAreDecodedAndNotShown() throws {
    let samples = try intraSamples(.hevc)
    for index in [0, 1, 7] { samples[index].sampleAttachments[0][.doNotDisplay] = true }
    let frames = try decodeAll(samples)
    #expect(frames.map(\.sample) == [2, 3, 4, 5, 6, 8, 9, 10, 11])
  }

  /// Buffers go back to the pool: two hundred frames need no more memory than are held at a time.
  @Test func buffersAreUsedAgain() throws {
    let samples = try intraSamples(.proRes(.proxy))
    let decoder = try VideoDecoder(formatDescription: #require(samples[0].formatDescription))
    var addresses: Set<UInt> = []
    for round in 0..<20 {
      for frame in try decoder.decode(samples[round % 12]) {
        addresses.insert(frame.pixelBuffer.withPlane(0, readOnly: true) { base, _, _, _ in UInt(bitPattern: base) })
      }
    }
    #expect(addresses.count <= 2)
  }
}
