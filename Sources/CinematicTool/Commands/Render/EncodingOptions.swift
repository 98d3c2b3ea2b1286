import AVFoundation

/// What pictures are encoded with, as the options of several commands say it.
struct EncodingOptions: Sendable {
  enum Rate: Sendable {
    case constantQuality(Int)
    /// Bits a second.
    case bitrate(Int)
  }

  let codec: RenderCodec
  private let rate: Rate?
  private let preset: String?

  /// Throws `UsageError` for options that do not go together, or with the output's name.
  init(_ invocation: Invocation, standard: RenderCodec) throws {
    codec = invocation.value("codec").flatMap(RenderCodec.init) ?? standard
    preset = invocation.value("preset")
    rate = try Self.rate(invocation, codec)
    if codec.isProRes, let output = invocation.value("output"), OutputFormat.isMPEG4(output) {
      throw UsageError(
        "the codec \(codec.rawValue) needs a QuickTime movie: name one that ends in .mov, not '\(output)'",
        path: invocation.path)
    }
  }

  /// The names that x264 and x265 share, from fast to small.
  static let presets = [
    "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
  ]

  private static func rate(_ invocation: Invocation, _ codec: RenderCodec) throws -> Rate? {
    let crf = try invocation.integer("crf", in: 0...51)
    let bitrate = try invocation.value("bitrate").map { try bitsPerSecond($0, invocation) }
    if crf != nil, bitrate != nil {
      throw UsageError("'--crf' and '--bitrate' exclude each other", path: invocation.path)
    }
    if (crf != nil || bitrate != nil || invocation.has("preset")) && codec.isProRes {
      throw UsageError(
        "'--crf', '--bitrate' and '--preset' are for hevc and h264; the codec \(codec.rawValue) has a rate of its own",
        path: invocation.path)
    }
    return crf.map(Rate.constantQuality) ?? bitrate.map(Rate.bitrate)
  }

  /// `8M`, `800k` or plain bits a second.
  private static func bitsPerSecond(_ text: String, _ invocation: Invocation) throws -> Int {
    let units: [Character: Double] = ["k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9]
    let unit = text.last.flatMap { units[$0] }
    let digits = unit == nil ? text : String(text.dropLast())
    return Int(try invocation.number(digits, named: "'--bitrate'", in: 0.001...1e9) * (unit ?? 1))
  }

  /// - Parameter color: primaries, transfer function and matrix by the keys of a writer's settings.
  func settings(width: Int, height: Int, color: [String: String]) -> [String: Any] {
    var settings: [String: Any] = [
      AVVideoCodecKey: codec.type, AVVideoWidthKey: width, AVVideoHeightKey: height,
      AVVideoColorPropertiesKey: color,
    ]
    guard !codec.isProRes else { return settings }
    var compression: [String: Any] = [:]
    switch rate ?? .constantQuality(20) {
    case .constantQuality(let factor): compression[AVVideoConstantRateFactorKey] = factor
    case .bitrate(let rate): compression[AVVideoAverageBitRateKey] = rate
    }
    if let preset { compression[AVVideoEncoderPresetKey] = preset }
    settings[AVVideoCompressionPropertiesKey] = compression
    return settings
  }
}

extension Command.Option {
  /// How the result is encoded.
  static func encoding(_ standard: String) -> [Self] {
    [
      Self(
        "codec", value: "CODEC", choices: RenderCodec.allCases.map(\.rawValue),
        "The output's codec; \(standard) by default."),
      Self("crf", value: "N", "Constant quality for hevc and h264, 0 (lossless) to 51; 20 by default."),
      Self("bitrate", value: "RATE", "Bits a second instead, such as 8M."),
      Self(
        "preset", value: "NAME", choices: EncodingOptions.presets,
        "The encoder's trade of time for size, for hevc and h264."),
    ]
  }
}

/// What a picture is encoded with.
enum RenderCodec: String, CaseIterable, Sendable {
  case hevc, h264
  case proresProxy = "prores-proxy"
  case proresLT = "prores-lt"
  case prores422 = "prores-422"
  case proresHQ = "prores-hq"
  case prores4444 = "prores-4444"
  case prores4444XQ = "prores-4444xq"

  var type: AVVideoCodecType {
    switch self {
    case .hevc: .hevc
    case .h264: .h264
    case .proresProxy: .proRes422Proxy
    case .proresLT: .proRes422LT
    case .prores422: .proRes422
    case .proresHQ: .proRes422HQ
    case .prores4444: .proRes4444
    case .prores4444XQ: .proRes4444XQ
    }
  }

  var isProRes: Bool { self != .hevc && self != .h264 }
  /// Whether chroma has the resolution of luma, and alpha can be kept.
  var is4444: Bool { self == .prores4444 || self == .prores4444XQ }
}
