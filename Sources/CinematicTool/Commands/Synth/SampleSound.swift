import AVFoundation
import Foundation

/// The sound of the sample movie, encoded as AAC.
final class SampleSound {
  let input: AVAssetWriterInput
  private let music = Music()
  private let format: CMFormatDescription
  private let frameCount: Int
  private var written = 0

  /// Frames of sound in one buffer.
  private static let chunk = 4800
  /// Sound is written this far ahead of the picture, in frames.
  private static let lead = Music.sampleRate / 2

  init(duration: CMTime) throws {
    frameCount = Int(duration.seconds * Double(Music.sampleRate))
    let rate = Double(Music.sampleRate)
    input = AVAssetWriterInput(
      mediaType: .audio,
      outputSettings: [
        AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: rate, AVNumberOfChannelsKey: Music.channels,
        AVEncoderBitRateKey: 128_000,
      ])
    let bytes = UInt32(Music.channels * MemoryLayout<Float>.size)
    format = try CMFormatDescription(
      audioStreamBasicDescription: AudioStreamBasicDescription(
        mSampleRate: rate, mFormatID: kAudioFormatLinearPCM,
        mFormatFlags: kAudioFormatFlagIsFloat | kAudioFormatFlagIsPacked, mBytesPerPacket: bytes, mFramesPerPacket: 1,
        mBytesPerFrame: bytes, mChannelsPerFrame: UInt32(Music.channels), mBitsPerChannel: 32, mReserved: 0))
  }

  /// Writes the sound up to a little after `time`.
  func write(upTo time: CMTime) throws {
    let end = min(frameCount, Int(time.seconds * Double(Music.sampleRate)) + Self.lead)
    while written < end { try writeChunk() }
  }

  func finish() throws {
    while written < frameCount { try writeChunk() }
    input.markAsFinished()
  }

  private func writeChunk() throws {
    let count = min(Self.chunk, frameCount - written)
    let samples = music.samples(from: written, count: count)
    let rate = CMTimeScale(Music.sampleRate)
    let buffer = try CMSampleBuffer(
      dataBuffer: CMBlockBuffer(copying: samples.withUnsafeBytes { Data($0) }), formatDescription: format,
      numSamples: count,
      sampleTimings: [
        CMSampleTimingInfo(
          duration: CMTime(value: 1, timescale: rate),
          presentationTimeStamp: CMTime(value: Int64(written), timescale: rate), decodeTimeStamp: .invalid)
      ],
      sampleSizes: [Music.channels * MemoryLayout<Float>.size])
    guard input.append(buffer) else { throw Failure("the sound of the sample movie cannot be encoded") }
    written += count
  }
}
