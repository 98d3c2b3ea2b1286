internal import CFFmpeg

/// libavcodec's ProRes decoder, the second implementation.
public final class LibraryDecoder {
  public struct Plane: Sendable {
    public var width: Int
    public var height: Int
    public var samples: [UInt16]
  }

  private var context: UnsafeMutablePointer<AVCodecContext>?
  private var frame: UnsafeMutablePointer<AVFrame>?
  private var packet: UnsafeMutablePointer<AVPacket>?
  private var scaler: OpaquePointer?
  private var converted: UnsafeMutablePointer<AVFrame>?

  public init(_ settings: ProResClip.Settings, threads: Int = 1) throws {
    let tags = ["apco", "apcs", "apcn", "apch", "ap4h", "ap4x"]
    guard let codec = avcodec_find_decoder(AV_CODEC_ID_PRORES) else {
      throw LibraryError(description: "libavcodec has no decoder of ProRes")
    }
    context = avcodec_alloc_context3(codec)
    frame = av_frame_alloc()
    converted = av_frame_alloc()
    packet = av_packet_alloc()
    context!.pointee.width = Int32(settings.width)
    context!.pointee.height = Int32(settings.height)
    context!.pointee.codec_tag = tags[settings.profile.rawValue].utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    context!.pointee.thread_count = Int32(threads)
    context!.pointee.thread_type = FF_THREAD_SLICE
    av_log_set_level(AV_LOG_QUIET)
    try checked(avcodec_open2(context, codec, nil), "opening the decoder of ProRes")
  }

  deinit {
    avcodec_free_context(&context)
    av_frame_free(&frame)
    av_frame_free(&converted)
    av_packet_free(&packet)
    sws_freeContext(scaler)
  }

  /// Decodes a sample and leaves the picture with the library.
  public func decode(_ sample: [UInt8]) throws {
    try checked(av_new_packet(packet, Int32(sample.count)), "making room for a sample")
    defer { av_packet_unref(packet) }
    sample.withUnsafeBytes {
      packet!.pointee.data.update(from: $0.bindMemory(to: UInt8.self).baseAddress!, count: $0.count)
    }
    try checked(avcodec_send_packet(context, packet), "decoding a sample")
    try checked(avcodec_receive_frame(context, frame), "decoding a sample")
  }

  /// Bits of the picture's samples: 10, or 12 for 4444.
  public var depth: Int {
    Int(av_pix_fmt_desc_get(AVPixelFormat(frame!.pointee.format)).pointee.comp.0.depth)
  }

  /// Converts the decoded picture to AYUV64, the library's name for y416.
  public func convertToAYUV64() throws {
    let from = frame!
    let to = converted!
    if scaler == nil {
      scaler = sws_getContext(
        from.pointee.width, from.pointee.height, AVPixelFormat(from.pointee.format), from.pointee.width,
        from.pointee.height, AV_PIX_FMT_AYUV64LE, SWS_POINT, nil, nil, nil)
      to.pointee.width = from.pointee.width
      to.pointee.height = from.pointee.height
      to.pointee.format = AV_PIX_FMT_AYUV64LE.rawValue
      try checked(av_frame_get_buffer(to, 0), "making room for a picture")
    }
    try checked(sws_scale_frame(scaler, to, from), "converting to AYUV64")
  }

  /// The planes of the decoded picture: Y', Cb, Cr and alpha where there is one.
  public var planes: [Plane] {
    let raw = frame!.pointee
    let description = av_pix_fmt_desc_get(AVPixelFormat(raw.format)).pointee
    let bases = [raw.data.0, raw.data.1, raw.data.2, raw.data.3]
    let pitches = [raw.linesize.0, raw.linesize.1, raw.linesize.2, raw.linesize.3]
    return (0..<4).compactMap { index in
      guard let base = bases[index] else { return nil }
      let shift = index == 1 || index == 2 ? Int(description.log2_chroma_w) : 0
      let width = (Int(raw.width) + (1 << shift) - 1) >> shift
      var samples: [UInt16] = []
      for y in 0..<Int(raw.height) {
        let row = UnsafeRawPointer(base + y * Int(pitches[index])).assumingMemoryBound(to: UInt16.self)
        samples += UnsafeBufferPointer(start: row, count: width)
      }
      return Plane(width: width, height: Int(raw.height), samples: samples)
    }
  }
}
