internal import CFFmpeg
internal import CoreMedia
internal import CoreVideo
internal import Foundation

/// libavcodec's AAC-LC encoder, fed with interleaved floats. One thread at a time.
final class AACEncoder {
  struct Encoded {
    let data: Data
    /// The number of its first frame, counted from the first one that the encoder puts out.
    let firstFrame: Int64
  }

  static let framesPerPacket = 1024
  private static let sampleRates: Set<Double> = [
    8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000,
  ]

  /// Frames that come out before the first one that went in.
  let priming: Int
  private(set) var isDone = false
  private let settings: AudioEncoderSettings
  private let context: CodecContext
  private let queue: SoundQueue
  private let packet: Packet
  private var sent: Int64 = 0
  private var encoded: Int64 = 0

  init(_ settings: AudioEncoderSettings) throws {
    guard AACEncoder.sampleRates.contains(settings.sampleRate), [1, 2, 3, 4, 5, 6, 8].contains(settings.channels) else {
      throw CodecError(
        .invalidSettings,
        "AAC holds 1 to 6 or 8 channels at one of its rates, not \(settings.channels) at \(settings.sampleRate) Hz; choose "
          + "48000 Hz, or PCM.")
    }
    let bitRate = settings.bitRate ?? 64_000 * settings.channels
    guard (8000...1_000_000).contains(bitRate) else {
      throw CodecError(.invalidSettings, "AAC has 8000 to 1000000 bits a second, not \(bitRate).")
    }
    guard let codec = avcodec_find_encoder(AV_CODEC_ID_AAC) else {
      throw CodecError(.unsupported, "This build of libavcodec has no AAC encoder; choose PCM.")
    }
    self.settings = settings
    context = try CodecContext(codec: codec)
    context.with { raw in
      raw.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
      raw.pointee.sample_rate = Int32(settings.sampleRate)
      av_channel_layout_default(&raw.pointee.ch_layout, Int32(settings.channels))
      raw.pointee.bit_rate = Int64(bitRate)
      raw.pointee.flags |= CFFMPEG_FLAG_GLOBAL_HEADER
    }
    try context.open()
    priming = Int(max(0, context.with { $0.pointee.initial_padding }))
    queue = try SoundQueue(format: AV_SAMPLE_FMT_FLTP, channels: settings.channels)
    packet = try Packet()
  }

  /// The format of its packets.
  func makeFormatDescription() throws -> CMFormatDescription {
    let rate = UInt32(clamping: settings.bitRate ?? 64_000 * settings.channels)
    let esds = ElementaryStreamDescriptor.payload(audioConfiguration: context.extradata, averageBitRate: rate)
    let stream = AudioStreamBasicDescription(
      mSampleRate: settings.sampleRate, mFormatID: kAudioFormatMPEG4AAC, mFormatFlags: 0, mBytesPerPacket: 0,
      mFramesPerPacket: UInt32(AACEncoder.framesPerPacket), mBytesPerFrame: 0,
      mChannelsPerFrame: UInt32(settings.channels), mBitsPerChannel: 0, mReserved: 0)
    var extensions = CMFormatDescription.Extensions()
    extensions[.sampleDescriptionExtensionAtoms] = .init(propertyListRepresentation: ["esds": esds])
    return try CMFormatDescription(
      audioStreamBasicDescription: stream, layout: ManagedAudioChannelLayout.decoded(channels: settings.channels),
      magicCookie: esds, extensions: extensions)
  }

  /// - Parameter interleaved: 32-bit floats.
  func encode(_ interleaved: Data) throws -> [Encoded] {
    try interleaved.withUnsafeBytes { try queue.append(interleaved: $0.bindMemory(to: Float.self)) }
    var out: [Encoded] = []
    while queue.count >= AACEncoder.framesPerPacket { out += try send(AACEncoder.framesPerPacket) }
    return out
  }

  func finish() throws -> [Encoded] {
    guard !isDone else { return [] }
    var out: [Encoded] = []
    if queue.count > 0 { out += try send(queue.count) }
    isDone = true
    guard sent > 0 else { return out }
    try checked(context.send(nil as Frame?), "encoding sound")
    return out + (try collect())
  }

  private func send(_ count: Int) throws -> [Encoded] {
    let frame = try Frame()
    let status = frame.with { raw in
      raw.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
      raw.pointee.nb_samples = Int32(count)
      raw.pointee.sample_rate = Int32(settings.sampleRate)
      raw.pointee.pts = sent
      av_channel_layout_default(&raw.pointee.ch_layout, Int32(settings.channels))
      return av_frame_get_buffer(raw, 0)
    }
    try checked(status, "making room for sound")
    try queue.take(count, into: frame)
    sent += Int64(count)
    try checked(context.send(frame), "encoding sound")
    return try collect()
  }

  private func collect() throws -> [Encoded] {
    var out: [Encoded] = []
    while true {
      let status = context.receive(packet)
      if status == CFFMPEG_EAGAIN || status == CFFMPEG_EOF { return out }
      try checked(status, "encoding sound")
      out.append(Encoded(data: packet.data, firstFrame: encoded))
      encoded += Int64(AACEncoder.framesPerPacket)
      packet.clear()
    }
  }
}
