internal import CFFmpeg
internal import CoreMedia
internal import CoreVideo
internal import Foundation

/// An audio decoder of libavcodec. One thread at a time.
final class SoundCodec {
  private let context: CodecContext
  private let packet: Packet
  private let frame: Frame

  init(_ format: CMFormatDescription, _ stream: AudioStreamBasicDescription) throws {
    let name = fourCharacterString(stream.mFormatID)
    guard let id = SoundCodec.codec(stream.mFormatID), let codec = avcodec_find_decoder(id) else {
      throw CodecError(
        .unsupported, "There is no decoder for sound of type '\(name)'; convert it to AAC or PCM, or leave it out.")
    }
    context = try CodecContext(codec: codec)
    packet = try Packet()
    frame = try Frame()
    try context.setExtradata(SoundCodec.configuration(format))
    context.with { raw in
      raw.pointee.codec_tag = stream.mFormatID.byteSwapped
      raw.pointee.sample_rate = Int32(exactly: stream.mSampleRate) ?? 0
      av_channel_layout_default(&raw.pointee.ch_layout, Int32(clamping: min(stream.mChannelsPerFrame, 64)))
    }
    try context.open()
  }

  private static let named: [AudioFormatID: AVCodecID] = [
    kAudioFormatMPEG4AAC: AV_CODEC_ID_AAC, kAudioFormatMPEG4AAC_HE: AV_CODEC_ID_AAC,
    kAudioFormatMPEG4AAC_HE_V2: AV_CODEC_ID_AAC, kAudioFormatMPEG4AAC_LD: AV_CODEC_ID_AAC,
    kAudioFormatMPEG4AAC_ELD: AV_CODEC_ID_AAC, fourCharacterCode("mp4a"): AV_CODEC_ID_AAC,
    kAudioFormatAppleLossless: AV_CODEC_ID_ALAC, kAudioFormatAC3: AV_CODEC_ID_AC3,
    kAudioFormatEnhancedAC3: AV_CODEC_ID_EAC3, kAudioFormatOpus: AV_CODEC_ID_OPUS,
    fourCharacterCode("Opus"): AV_CODEC_ID_OPUS, kAudioFormatFLAC: AV_CODEC_ID_FLAC,
    fourCharacterCode("fLaC"): AV_CODEC_ID_FLAC, kAudioFormatMPEGLayer3: AV_CODEC_ID_MP3,
    kAudioFormatMPEGLayer2: AV_CODEC_ID_MP2, kAudioFormatULaw: AV_CODEC_ID_PCM_MULAW,
    kAudioFormatALaw: AV_CODEC_ID_PCM_ALAW,
  ]

  private static func codec(_ id: AudioFormatID) -> AVCodecID? {
    if let named = named[id] { return named }
    var tables: [OpaquePointer?] = [avformat_get_mov_audio_tags(), nil]
    let found = av_codec_get_id(&tables, id.byteSwapped)
    return found == AV_CODEC_ID_NONE ? nil : found
  }

  /// The decoder's own configuration: from `esds`, else the magic cookie as it is.
  private static func configuration(_ format: CMFormatDescription) -> Data {
    let key = kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms
    let atoms = CMFormatDescriptionGetExtension(format, extensionKey: key) as? [String: Any] ?? [:]
    for candidate in [atoms["esds"] as? Data, format.magicCookie].compactMap({ $0 }) {
      if let inner = ElementaryStreamDescriptor.decoderConfiguration(in: candidate) { return inner }
    }
    let cookie = format.magicCookie ?? Data()
    let isLossless = CMFormatDescriptionGetMediaSubType(format) == kAudioFormatAppleLossless
    guard isLossless, [24, 28].contains(cookie.count) else { return cookie }
    // libavcodec wants the whole atom of Apple Lossless around its 24 bytes.
    let versioned = cookie.count == 28 ? cookie : Data([0, 0, 0, 0]) + cookie
    var whole = Data()
    whole.append(bigEndian: UInt32(versioned.count + 8))
    return whole + Data("alac".utf8) + versioned
  }

  var expectedRate: Double? {
    let rate = context.with { $0.pointee.sample_rate }
    return rate > 0 ? Double(rate) : nil
  }

  var expectedChannels: Int? {
    let channels = Int(context.with { $0.pointee.ch_layout.nb_channels })
    return (1...64).contains(channels) ? channels : nil
  }

  /// Decodes one packet; hands over each frame that comes out.
  func decode(_ data: Data, _ body: (Frame) throws -> Void) throws {
    try packet.load(byteCount: data.count) { _ = data.copyBytes(to: $0) }
    packet.with {
      $0.pointee.pts = CFFMPEG_NOPTS
      $0.pointee.dts = CFFMPEG_NOPTS
    }
    let status = context.send(packet)
    packet.clear()
    try collect(body)
    try checked(status, "decoding sound")
  }

  func drain(_ body: (Frame) throws -> Void) throws {
    _ = context.send(nil as Packet?)
    try collect(body)
  }

  func reset() { context.flush() }

  private func collect(_ body: (Frame) throws -> Void) throws {
    while true {
      let status = context.receive(frame)
      if status == CFFMPEG_EAGAIN || status == CFFMPEG_EOF { return }
      try checked(status, "decoding sound")
      defer { frame.clear() }
      try body(frame)
    }
  }
}
