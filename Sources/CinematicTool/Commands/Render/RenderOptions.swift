import AVFoundation
import Bokeh
import BokehCompute
import Cinematic

/// What a render is asked for.
struct RenderOptions: Sendable {
  enum Rate: Sendable {
    case constantQuality(Int)
    /// Bits a second.
    case bitrate(Int)
  }

  var movie: String
  var edits: String?
  var fNumber: Float?
  var quality: CNRenderingQuality
  var look: BokehLook
  var device: BokehDevice
  var range: TimeRangeExpression?
  var codec: RenderCodec
  var rate: Rate?
  var preset: String?
  var showsBoxes: Bool
  /// Tone-maps HDR to BT.709.
  var isSDR: Bool
  /// Leaves out date, place and camera.
  var strips: Bool

  init(_ invocation: Invocation) throws {
    movie = invocation.operand("MOVIE")
    edits = invocation.value("edits")
    fNumber = try invocation.aperture()
    quality = RenderOptions.qualities[invocation.value("quality") ?? ""] ?? .export
    look = try invocation.look()
    device = try invocation.device()
    range = try invocation.timeRange("range")
    codec = RenderCodec(rawValue: invocation.value("codec") ?? "") ?? .hevc
    preset = invocation.value("preset")
    showsBoxes = invocation.has("boxes")
    isSDR = invocation.has("sdr")
    strips = invocation.has("strip")
    rate = try Self.rate(invocation, codec)
    if codec.isProRes, let output = invocation.value("output"), OutputFormat.isMPEG4(output) {
      throw UsageError(
        "the codec \(codec.rawValue) needs a QuickTime movie: name one that ends in .mov, not '\(output)'",
        path: invocation.path)
    }
  }

  static let qualities: [String: CNRenderingQuality] = [
    "thumbnail": .thumbnail, "preview": .preview, "export": .export, "exportHigh": .exportHigh,
  ]

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
}

/// What the rendered picture is encoded with.
enum RenderCodec: String, CaseIterable, Sendable {
  case hevc, h264
  case proresProxy = "prores-proxy"
  case proresLT = "prores-lt"
  case prores422 = "prores-422"
  case proresHQ = "prores-hq"
  case prores4444 = "prores-4444"

  var type: AVVideoCodecType {
    switch self {
    case .hevc: .hevc
    case .h264: .h264
    case .proresProxy: .proRes422Proxy
    case .proresLT: .proRes422LT
    case .prores422: .proRes422
    case .proresHQ: .proRes422HQ
    case .prores4444: .proRes4444
    }
  }

  var isProRes: Bool { self != .hevc && self != .h264 }
}
