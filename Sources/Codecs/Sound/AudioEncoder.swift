internal import CFFmpeg
package import CoreMedia
internal import CoreVideo
internal import Foundation

/// What an audio encoder is to make.
package struct AudioEncoderSettings: Sendable {
  package enum Codec: Sendable, Hashable {
    case aac
    /// Interleaved PCM: 8, 16, 24 or 32 bits as integers, 32 or 64 as floats.
    case pcm(bits: Int, isFloat: Bool, isBigEndian: Bool)
  }

  package var codec: Codec
  /// Sample frames a second.
  package var sampleRate: Double
  package var channels: Int
  /// AAC only; bits a second, nil is 64 000 a channel.
  package var bitRate: Int?

  package init(codec: Codec, sampleRate: Double, channels: Int, bitRate: Int? = nil) {
    self.codec = codec
    self.sampleRate = sampleRate
    self.channels = channels
    self.bitRate = bitRate
  }
}

/// Encodes PCM sample buffers to AAC with libavcodec, or converts them to another PCM.
///
/// Every input frame comes back: AAC begins `primingFrames` early, which the first buffer's "trim at start" attachment says, as
/// the last one's "trim at end" says how much of it is padding. Safe to use from any thread; calls wait for each other.
package final class AudioEncoder: @unchecked Sendable {
  // Unchecked: everything that changes is guarded by the lock.
  package let settings: AudioEncoderSettings
  /// What the samples are; AAC has its configuration as magic cookie and in the atom "esds".
  package let formatDescription: CMFormatDescription
  /// Sample frames at the start that are not sound: the encoder's delay.
  package let primingFrames: Int

  private let guardian = NSLock()
  private let target: PCMLayout
  private let codec: AACEncoder?
  private var reader: AudioDecoder?
  private var start = CMTime.invalid
  private var received: Int64 = 0

  /// - Throws: `CodecError.invalidSettings` with a sentence on what cannot be had.
  package init(_ settings: AudioEncoderSettings) throws {
    self.settings = settings
    guard (1...64).contains(settings.channels), (8000...192_000).contains(settings.sampleRate) else {
      throw CodecError(
        .invalidSettings,
        "Sound of \(settings.channels) channels at \(settings.sampleRate) Hz cannot be encoded; choose 1 to 64 channels at "
          + "8000 to 192000 Hz.")
    }
    switch settings.codec {
    case .aac:
      target = PCMLayout(sample: .float32, sampleRate: settings.sampleRate, channels: settings.channels)
      let codec = try AACEncoder(settings)
      self.codec = codec
      primingFrames = codec.priming
      formatDescription = try codec.makeFormatDescription()
    case .pcm(let bits, let isFloat, let isBigEndian):
      target = try AudioEncoder.layout(settings, bits, isFloat, isBigEndian)
      codec = nil
      primingFrames = 0
      formatDescription = try CMFormatDescription(
        audioStreamBasicDescription: target.streamDescription,
        layout: ManagedAudioChannelLayout.decoded(channels: settings.channels))
    }
  }

  private static func layout(
    _ settings: AudioEncoderSettings, _ bits: Int, _ isFloat: Bool, _ isBigEndian: Bool
  ) throws -> PCMLayout {
    let sample: PCMLayout.Sample? =
      switch (bits, isFloat) {
      case (8, false): .signed8
      case (16, false): .signed16
      case (24, false): .signed24
      case (32, false): .signed32
      case (32, true): .float32
      case (64, true): .float64
      default: nil
      }
    guard let sample else {
      throw CodecError(
        .invalidSettings, "PCM of \(bits) bits\(isFloat ? " as floats" : "") does not exist; choose 16, 24 or 32 bits.")
    }
    return PCMLayout(
      sample: sample, isBigEndian: isBigEndian, sampleRate: settings.sampleRate, channels: settings.channels)
  }
}

// MARK: - Encoding

extension AudioEncoder {
  /// Hands in PCM of any rate, sample type and number of channels; returns the buffers that are ready.
  package func encode(_ sample: CMSampleBuffer) throws -> [CMSampleBuffer] {
    try guardian.withLock {
      guard let format = sample.formatDescription, sample.numSamples > 0 else { return [] }
      let reader = try reader ?? AudioDecoder(formatDescription: format, output: target.streamDescription)
      self.reader = reader
      return try reader.decode(sample).flatMap(encodeConverted)
    }
  }

  /// Returns the rest. Nothing can be encoded afterwards.
  package func finish() throws -> [CMSampleBuffer] {
    try guardian.withLock {
      var out = try reader?.finish().flatMap(encodeConverted) ?? []
      reader = nil
      if let codec { out += try codec.finish().map { try stamped($0) } }
      return out
    }
  }

  private func encodeConverted(_ sample: CMSampleBuffer) throws -> [CMSampleBuffer] {
    if !start.isNumeric { start = sample.presentationTimeStamp.isNumeric ? sample.presentationTimeStamp : .zero }
    received += Int64(sample.numSamples)
    guard let codec, let block = sample.dataBuffer else { return [try relabelled(sample)] }
    return try codec.encode(block.dataBytes()).map { try stamped($0) }
  }

  private func relabelled(_ sample: CMSampleBuffer) throws -> CMSampleBuffer {
    let data = try sample.dataBuffer?.dataBytes() ?? Data()
    return try CMSampleBuffer.sound(data, layout: target, format: formatDescription, at: sample.presentationTimeStamp)
  }

  /// A packet as a sample buffer: its time from the count of frames before it, trimming where it is not all sound.
  private func stamped(_ packet: AACEncoder.Encoded) throws -> CMSampleBuffer {
    let scale = CMTimeScale(settings.sampleRate)
    let time = start + CMTime(value: packet.firstFrame - Int64(primingFrames), timescale: scale)
    let length = Int64(AACEncoder.framesPerPacket)
    let sample = try CMSampleBuffer(
      dataBuffer: CMBlockBuffer(copying: packet.data), formatDescription: formatDescription, numSamples: 1,
      sampleTimings: [
        CMSampleTimingInfo(
          duration: CMTime(value: length, timescale: scale), presentationTimeStamp: time, decodeTimeStamp: .invalid)
      ], sampleSizes: [packet.data.count])
    let early = min(length, max(0, Int64(primingFrames) - packet.firstFrame))
    let late = min(length - early, max(0, packet.firstFrame + length - Int64(primingFrames) - received))
    attach(early, kCMSampleBufferAttachmentKey_TrimDurationAtStart, to: sample, scale)
    if codec?.isDone == true { attach(late, kCMSampleBufferAttachmentKey_TrimDurationAtEnd, to: sample, scale) }
    return sample
  }

  private func attach(_ frames: Int64, _ key: String, to sample: CMSampleBuffer, _ scale: CMTimeScale) {
    guard frames > 0 else { return }
    let value = CMTimeCopyAsDictionary(CMTime(value: frames, timescale: scale), allocator: nil) as Any
    CMSetAttachment(sample, key: key, value: value, attachmentMode: kCMAttachmentMode_ShouldPropagate)
  }
}
