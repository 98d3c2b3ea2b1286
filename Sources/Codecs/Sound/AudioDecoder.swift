internal import CFFmpeg
package import CoreMedia
internal import CoreVideo
internal import Foundation

/// Decodes AAC and whatever else libavcodec knows, or converts PCM, into interleaved PCM.
///
/// Priming is not guessed: a "trim at start" or "trim at end" attachment of a sample buffer is taken off its decoded frames,
/// everything else comes out. Safe to use from any thread; calls wait for each other.
package final class AudioDecoder: @unchecked Sendable {
  // Unchecked: everything that changes is guarded by the lock.
  private let guardian = NSLock()
  private let source: AudioStreamBasicDescription
  private let sourceLayout: ManagedAudioChannelLayout?
  private let wanted: PCMLayout?
  private let sourcePCM: PCMLayout?
  private let codec: SoundCodec?
  private var output: PCMLayout
  private var outputDescription: CMFormatDescription
  private var clock = SoundClock()
  private var interleaver: Resampler?
  private var resampler: Resampler?
  private var packets = 0

  /// - Parameter output: how the sound is wanted; nil is 32-bit float at the source's rate and channels.
  package init(formatDescription: CMFormatDescription, output: AudioStreamBasicDescription? = nil) throws {
    guard let source = formatDescription.audioStreamBasicDescription else {
      throw CodecError(.unsupported, "The format \(formatDescription) does not say how its sound is stored.")
    }
    self.source = source
    sourceLayout = formatDescription.audioChannelLayout
    sourcePCM = PCMLayout(source)
    wanted = try output.map { stream in
      guard let layout = PCMLayout(stream) else {
        throw CodecError(
          .invalidSettings,
          "Sound is delivered as interleaved PCM of 8, 16, 24 or 32 bits, or floats; choose one of these.")
      }
      return layout
    }
    codec = sourcePCM == nil ? try SoundCodec(formatDescription, source) : nil
    let rate = sourcePCM?.sampleRate ?? codec?.expectedRate ?? source.mSampleRate
    guard rate.isFinite, (1...768_000).contains(rate) else {
      throw CodecError(.damaged, "The sound's format says \(rate) samples a second; its sample entry is damaged.")
    }
    let channels = sourcePCM?.channels ?? codec?.expectedChannels ?? Int(source.mChannelsPerFrame)
    self.output = wanted ?? PCMLayout(sample: .float32, sampleRate: rate, channels: channels)
    outputDescription = try AudioDecoder.describe(self.output, sourceLayout)
  }

  /// What is delivered; before the first samples, what the container lets expect.
  package var outputFormatDescription: CMFormatDescription { guardian.withLock { outputDescription } }

  private static func describe(
    _ layout: PCMLayout, _ source: ManagedAudioChannelLayout?
  ) throws -> CMFormatDescription {
    let kept = source.flatMap { $0.channelCount == layout.channels ? $0 : nil }
    return try CMFormatDescription(
      audioStreamBasicDescription: layout.streamDescription,
      layout: kept ?? ManagedAudioChannelLayout.decoded(channels: layout.channels))
  }
}

// MARK: - Decoding

extension AudioDecoder {
  /// Decodes the packets of a sample buffer; returns none or one buffer of PCM.
  ///
  /// - Throws: for a damaged packet, by its number. In its place comes silence, with the next call.
  package func decode(_ sample: CMSampleBuffer) throws -> [CMSampleBuffer] {
    try guardian.withLock {
      guard sample.numSamples > 0, let block = sample.dataBuffer else { return [] }
      if sample.isMarked(kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding) { startAnew() }
      let data = try block.dataBytes()
      let decoded = try sourcePCM.map { pcm in (try unpacked(data, pcm)) } ?? decodePackets(data, sample)
      return try emit(decoded, of: sample)
    }
  }

  /// Returns what was held back by the codec or a change of rate.
  package func finish() throws -> [CMSampleBuffer] {
    try guardian.withLock {
      var rest = Data()
      if let codec { try codec.drain { rest += try interleaved($0) } }
      var converted = try resample(rest)
      if let resampler { converted += try resampler.flush() }
      let out = try buffer(converted)
      startAnew()
      return out
    }
  }

  /// Forgets what was handed in, as before a seek.
  package func reset() { guardian.withLock { startAnew() } }

  private func startAnew() {
    codec?.reset()
    clock = SoundClock()
    resampler = nil
  }

  private func emit(_ decoded: Data, of sample: CMSampleBuffer) throws -> [CMSampleBuffer] {
    guard !decoded.isEmpty else { return [] }
    let rate = interleaver.map { Double($0.target.sampleRate) } ?? output.sampleRate
    let frameSize = interleaver.map(frameBytes) ?? 1
    let count = decoded.count / frameSize
    let start = min(count, sample.trim(kCMSampleBufferAttachmentKey_TrimDurationAtStart, rate: rate))
    let end = min(count - start, sample.trim(kCMSampleBufferAttachmentKey_TrimDurationAtEnd, rate: rate))
    let kept = decoded.dropFirst(start * frameSize).dropLast(end * frameSize)
    let trimmed = CMTime(value: Int64(start), timescale: CMTimeScale(rate))
    clock.expect(sample.presentationTimeStamp + trimmed, inputRate: rate)
    clock.consume(kept.count / frameSize)
    return try buffer(resample(Data(kept)))
  }

  private func buffer(_ native: Data) throws -> [CMSampleBuffer] {
    let stored = output.stored(native)
    guard !stored.isEmpty else { return [] }
    let time = clock.place(stored.count / output.bytesPerFrame, rate: output.sampleRate)
    return [try CMSampleBuffer.sound(stored, layout: output, format: outputDescription, at: time)]
  }

  private func frameBytes(_ resampler: Resampler) -> Int {
    Int(av_get_bytes_per_sample(resampler.target.format)) * resampler.target.channels
  }
}

// MARK: - From the codec's samples to the wanted ones

extension AudioDecoder {
  private func unpacked(_ data: Data, _ pcm: PCMLayout) throws -> Data {
    let side = Resampler.Side(format: pcm.native, sampleRate: Int(pcm.sampleRate), channels: pcm.channels)
    let stage = try interleaver(for: side)
    return try stage.convert(pcm.loaded(data), frameCount: data.count / pcm.bytesPerFrame)
  }

  private func decodePackets(_ data: Data, _ sample: CMSampleBuffer) throws -> Data {
    guard let codec else { return Data() }
    var decoded = Data()
    var offset = data.startIndex
    var failure: CodecError?
    for size in try sample.packetSizes(total: data.count) {
      let packet = data[offset..<offset + size]
      offset += size
      do {
        try codec.decode(packet) { decoded += try interleaved($0) }
      } catch let error as CodecError {
        failure = failure ?? damaged(error)
        decoded += silence
      }
      packets += 1
    }
    if let failure { throw failure }
    return decoded
  }

  private func damaged(_ error: CodecError) -> CodecError {
    CodecError(
      .damaged, "Audio packet \(packets) cannot be decoded; its place stays empty. Get an undamaged copy.",
      code: error.code, sample: packets)
  }

  private var silence: Data {
    guard let interleaver else { return Data() }
    return Data(count: Int(min(source.mFramesPerPacket, 8192)) * frameBytes(interleaver))
  }

  /// A decoded frame as interleaved samples of the wanted type, still at the source's rate and channels.
  private func interleaved(_ frame: Frame) throws -> Data {
    try frame.with { raw in
      let layout = raw.pointee.ch_layout
      let side = Resampler.Side(
        format: AVSampleFormat(raw.pointee.format), sampleRate: Int(raw.pointee.sample_rate),
        channels: Int(layout.nb_channels), mask: layout.order == AV_CHANNEL_ORDER_NATIVE ? layout.u.mask : nil)
      let stage = try interleaver(for: side)
      let isPlanar = av_sample_fmt_is_planar(side.format) != 0
      let planes = (0..<(isPlanar ? side.channels : 1)).map { UnsafePointer<UInt8>(raw.pointee.extended_data[$0]) }
      return try stage.convert(planes, count: Int(raw.pointee.nb_samples))
    }
  }

  private func interleaver(for side: Resampler.Side) throws -> Resampler {
    if let interleaver, interleaver.source == side { return interleaver }
    if wanted == nil {
      output = PCMLayout(
        sample: output.sample, sampleRate: Double(side.sampleRate), channels: side.channels)
      outputDescription = try AudioDecoder.describe(output, sourceLayout)
    }
    var target = side
    target.format = output.native
    let made = try Resampler(from: side, to: target)
    interleaver = made
    resampler = nil
    return made
  }

  /// To the wanted rate and number of channels, where they differ.
  private func resample(_ data: Data) throws -> Data {
    guard let from = interleaver?.target else { return data }
    let to = Resampler.Side(
      format: output.native, sampleRate: Int(output.sampleRate.rounded()), channels: output.channels)
    guard from.sampleRate != to.sampleRate || from.channels != to.channels else { return data }
    let stage = try resampler ?? Resampler(from: from, to: to)
    resampler = stage
    return try stage.convert(data, frameCount: data.count / (Int(av_get_bytes_per_sample(from.format)) * from.channels))
  }
}

extension CMSampleBuffer {
  /// The bytes of each packet, in order; they must fill the data.
  fileprivate func packetSizes(total: Int) throws -> [Int] {
    let sizes = try sampleSizes()
    let all = sizes.count == 1 ? Array(repeating: sizes[0], count: numSamples) : sizes
    guard all.reduce(0, { $0 &+ $1 }) == total else {
      throw CodecError(
        .damaged,
        "A buffer of \(numSamples) audio packets holds \(total) bytes, but its sizes add up to another number.")
    }
    return all
  }
}
