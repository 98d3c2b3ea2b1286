internal import CFFmpeg

/// ProRes frames that libavcodec's `prores_ks` encoder makes on the spot.
public struct ProResClip: Sendable {
  public enum Profile: Int, Sendable, CaseIterable {
    case proxy, lt, standard, hq, p4444, p4444XQ

    public var is4444: Bool { self == .p4444 || self == .p4444XQ }
  }

  public enum Fields: Sendable { case progressive, topFirst, bottomFirst }

  public struct Settings: Sendable {
    public var profile: Profile
    public var width: Int
    public var height: Int
    public var frames = 1
    public var fields = Fields.progressive
    /// 0, 8 or 16.
    public var alphaBits = 0
    /// Bits for each pixel; nil is the encoder's own rate.
    public var bitsPerPixel: Double?
    /// Macroblocks of a slice: 1, 2, 4 or 8.
    public var sliceWidth = 8
    /// The name of a set of matrices, such as "hq" or "default"; nil is the profile's.
    public var matrices: String?

    public init(_ profile: Profile, _ width: Int, _ height: Int) {
      self.profile = profile
      self.width = width
      self.height = height
    }
  }

  public let settings: Settings
  /// One sample a frame.
  public let samples: [[UInt8]]

  /// Encodes what `picture` paints: 10-bit codes of a component (Y', Cb, Cr, alpha) at a place of a frame.
  public init(_ settings: Settings, _ picture: (_ frame: Int, _ component: Int, _ x: Int, _ y: Int) -> UInt16) throws {
    self.settings = settings
    let encoder = try Encoder(settings)
    samples = try (0..<settings.frames).map { frame in
      try encoder.encode { component, x, y in picture(frame, component, x, y) }
    }
  }

  /// All bits of the clip for each of its pixels.
  public var bitsPerPixel: Double {
    let bytes = samples.reduce(0) { $0 + $1.count }
    return Double(bytes * 8) / Double(settings.width * settings.height * max(1, samples.count))
  }
}

/// What libavcodec refused.
public struct LibraryError: Error, CustomStringConvertible {
  public let description: String
}

@discardableResult
func checked(_ status: Int32, _ doing: String) throws -> Int32 {
  guard status >= 0 else { throw LibraryError(description: "libavcodec failed while \(doing) (\(status))") }
  return status
}

/// One `prores_ks` encoder.
private final class Encoder {
  private let settings: ProResClip.Settings
  private var context: UnsafeMutablePointer<AVCodecContext>?
  private var frame: UnsafeMutablePointer<AVFrame>?
  private var packet: UnsafeMutablePointer<AVPacket>?

  init(_ settings: ProResClip.Settings) throws {
    self.settings = settings
    guard let codec = avcodec_find_encoder_by_name("prores_ks") else {
      throw LibraryError(description: "libavcodec has no encoder prores_ks")
    }
    context = avcodec_alloc_context3(codec)
    frame = av_frame_alloc()
    packet = av_packet_alloc()
    try open(codec)
  }

  deinit {
    avcodec_free_context(&context)
    av_frame_free(&frame)
    av_packet_free(&packet)
  }

  private var format: AVPixelFormat {
    settings.profile.is4444
      ? settings.alphaBits > 0 ? AV_PIX_FMT_YUVA444P10LE : AV_PIX_FMT_YUV444P10LE : AV_PIX_FMT_YUV422P10LE
  }

  private func open(_ codec: UnsafePointer<AVCodec>) throws {
    let raw = context!
    raw.pointee.width = Int32(settings.width)
    raw.pointee.height = Int32(settings.height)
    raw.pointee.pix_fmt = format
    raw.pointee.time_base = AVRational(num: 1, den: 25)
    raw.pointee.thread_count = 1
    if settings.fields != .progressive { raw.pointee.flags |= AV_CODEC_FLAG_INTERLACED_DCT }
    var options: OpaquePointer?
    defer { av_dict_free(&options) }
    av_dict_set(&options, "profile", String(settings.profile.rawValue), 0)
    av_dict_set(&options, "alpha_bits", String(settings.alphaBits), 0)
    av_dict_set(&options, "mbs_per_slice", String(settings.sliceWidth), 0)
    if let rate = settings.bitsPerPixel { av_dict_set(&options, "bits_per_mb", String(Int(rate * 256)), 0) }
    if let matrices = settings.matrices { av_dict_set(&options, "quant_mat", matrices, 0) }
    try checked(avcodec_open2(raw, codec, &options), "opening prores_ks")
  }

  func encode(_ picture: (_ component: Int, _ x: Int, _ y: Int) -> UInt16) throws -> [UInt8] {
    let raw = frame!
    av_frame_unref(raw)
    raw.pointee.width = Int32(settings.width)
    raw.pointee.height = Int32(settings.height)
    raw.pointee.format = format.rawValue
    raw.pointee.interlaced_frame = settings.fields == .progressive ? 0 : 1
    raw.pointee.top_field_first = settings.fields == .topFirst ? 1 : 0
    try checked(av_frame_get_buffer(raw, 0), "making room for a frame")
    let planes = [raw.pointee.data.0, raw.pointee.data.1, raw.pointee.data.2, raw.pointee.data.3]
    let pitches = [raw.pointee.linesize.0, raw.pointee.linesize.1, raw.pointee.linesize.2, raw.pointee.linesize.3]
    for (component, plane) in planes.enumerated() {
      guard let plane else { continue }
      let isHalved = !settings.profile.is4444 && (component == 1 || component == 2)
      for y in 0..<settings.height {
        let row = UnsafeMutableRawPointer(plane + y * Int(pitches[component])).assumingMemoryBound(to: UInt16.self)
        for x in 0..<(isHalved ? (settings.width + 1) / 2 : settings.width) { row[x] = picture(component, x, y) }
      }
    }
    try checked(avcodec_send_frame(context, raw), "encoding a frame")
    try checked(avcodec_receive_packet(context, packet), "encoding a frame")
    defer { av_packet_unref(packet) }
    return Array(UnsafeBufferPointer(start: packet!.pointee.data, count: Int(packet!.pointee.size)))
  }
}
