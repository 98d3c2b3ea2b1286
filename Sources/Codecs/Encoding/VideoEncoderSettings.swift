package import CoreMedia
package import CoreVideo
import Foundation

/// What a video encoder is to make.
package struct VideoEncoderSettings: Sendable {
  package enum Codec: Sendable, Hashable {
    case hevc
    case h264
    case proRes(ProResProfile)
  }

  /// The members of the ProRes family, in the order of their data rate.
  package enum ProResProfile: Int, Sendable, Hashable, CaseIterable {
    case proxy, lt, standard, hq, p4444, p4444XQ

    /// Whether chroma has the resolution of luma, and alpha can be kept.
    package var is4444: Bool { self == .p4444 || self == .p4444XQ }

    var sampleEntry: String { ["apco", "apcs", "apcn", "apch", "ap4h", "ap4x"][rawValue] }

    var name: String {
      "Apple ProRes " + ["422 Proxy", "422 LT", "422", "422 HQ", "4444", "4444 XQ"][rawValue]
    }
  }

  package enum Chroma: String, Sendable, Hashable, CaseIterable {
    /// Luma alone, as in a disparity track; codes are encoded untouched.
    case monochrome = "gray"
    case yuv420 = "yuv420p"
    case yuv422 = "yuv422p"
    case yuv444 = "yuv444p"
  }

  package enum Rate: Sendable, Hashable {
    /// Constant quality: the encoder's CRF, 0 (best) to 51.
    case quality(Double)
    /// Bits a second, on average.
    case bitRate(Int)
    /// Every code comes back.
    case lossless
  }

  package var codec: Codec
  /// Size in pixels; even where chroma is halved.
  package var width: Int
  package var height: Int
  package var bitDepth = 8
  package var chroma = Chroma.yuv420
  /// Only ProRes 4444 keeps alpha.
  package var hasAlpha = false
  /// Written into the bitstream and the format description. `isFullRange` is also the range of the codes.
  package var color = ColorTags()
  package var light = LightMetadata()
  /// Nil is the codec's standard: CRF 20 for HEVC and H.264; ProRes has no other.
  package var rate: Rate?
  /// The encoder's speed, "ultrafast" to "placebo"; nil is `standardPreset`. ProRes has none.
  package var preset: String?
  /// Frames from one key frame to the next at most; 1 makes each frame one.
  package var keyFrameInterval = 60
  /// Pictures in a row that may be predicted from later ones; nil is the preset's choice, 0 forbids reordering.
  package var maximumBFrames: Int?
  /// The usual duration of a frame, for rate control; the frames' own times are kept exactly whatever it is.
  package var frameDuration = CMTime(value: 1, timescale: 30)
  /// The four characters of the sample entry, such as "dish"; nil is the codec's usual one.
  package var sampleEntry: OSType?
  /// Atoms of the sample entry beside the codec's configuration, by their four characters.
  package var entryAtoms: [String: Data] = [:]
  /// 0 uses all cores.
  package var threads = 0
  /// Width to height of a pixel; nil is square.
  package var pixelAspectRatio: (horizontal: Int, vertical: Int)?

  /// Fast, and small in memory.
  package static let standardPreset = "superfast"
  package static let standardQuality = 20.0
  package static let presets = [
    "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
  ]

  package init(codec: Codec, width: Int, height: Int) {
    self.codec = codec
    self.width = width
    self.height = height
    guard case .proRes(let profile) = codec else { return }
    bitDepth = 10
    chroma = profile.is4444 ? .yuv444 : .yuv422
  }

  /// Settings whose depth, chroma and range are those of the buffers that will be encoded; RGB becomes 4:2:0, with 10
  /// bits where it has more than 8.
  package init(codec: Codec, width: Int, height: Int, pixelFormat: OSType) {
    self.init(codec: codec, width: width, height: height)
    guard let format = PixelFormat.description(of: pixelFormat) else { return }
    if case .proRes(let profile) = codec {
      hasAlpha = profile.is4444 && format.hasAlpha
      return
    }
    bitDepth = format.bitsPerComponent > 8 ? 10 : 8
    if format.isYCbCr {
      chroma = format.chromaSubsampling == (2, 2) ? .yuv420 : format.chromaSubsampling == (2, 1) ? .yuv422 : .yuv444
      color.isFullRange = format.isFullRange
    } else if format.model != .rgb {
      chroma = .monochrome
      color.isFullRange = true
    }
  }
}

extension VideoEncoderSettings {
  /// The name of libavutil's pixel format that the encoder takes.
  var encoderFormatName: String {
    let name = hasAlpha ? "yuva" + chroma.rawValue.dropFirst(3) : chroma.rawValue
    return bitDepth == 8 ? name : "\(name)\(bitDepth)le"
  }

  var encoderName: String {
    switch codec {
    case .hevc: "libx265"
    case .h264: "libx264"
    case .proRes: "prores_ks"
    }
  }

  /// The sample entry's four characters.
  package var entry: OSType {
    if let sampleEntry { return sampleEntry }
    return switch codec {
    case .hevc: fourCharacterCode("hvc1")
    case .h264: fourCharacterCode("avc1")
    case .proRes(let profile): fourCharacterCode(profile.sampleEntry)
    }
  }
}

// MARK: - What cannot be had

extension VideoEncoderSettings {
  /// Throws a sentence on the first setting that cannot be had.
  package func validate() throws {
    try validateSize()
    try validateRate()
    switch codec {
    case .hevc: try require([8, 10, 12].contains(bitDepth), "HEVC is encoded with 8, 10 or 12 bits, not \(bitDepth)")
    case .h264: try require([8, 10].contains(bitDepth), "H.264 is encoded with 8 or 10 bits, not \(bitDepth)")
    case .proRes(let profile): try validate(profile)
    }
    let keepsAlpha = if case .proRes(let profile) = codec { profile.is4444 } else { false }
    try require(!hasAlpha || keepsAlpha, "Only ProRes 4444 keeps alpha; choose it or give up alpha")
    if let preset {
      let all = Self.presets.joined(separator: ", ")
      try require(Self.presets.contains(preset), "There is no preset \"\(preset)\"; choose one of \(all)")
    }
    try require(frameDuration.isNumeric && frameDuration.value > 0, "The frame duration must be positive")
    try require(keyFrameInterval >= 1, "The key frame interval must be at least 1, not \(keyFrameInterval)")
    try require((0...16).contains(maximumBFrames ?? 0), "There can be 0 to 16 B-frames in a row")
  }

  private func validateSize() throws {
    try require(
      (16...16384).contains(width) && (16...16384).contains(height),
      "A picture of \(width)x\(height) cannot be encoded; each side may have 16 to 16384 pixels")
    let needsEven = (width: chroma == .yuv420 || chroma == .yuv422, height: chroma == .yuv420)
    try require(
      !(needsEven.width && width % 2 == 1) && !(needsEven.height && height % 2 == 1),
      "A picture of \(width)x\(height) cannot be encoded with halved chroma; crop it to an even size")
  }

  private func validateRate() throws {
    switch rate {
    case .quality(let value)?:
      try require(value.isFinite && (0...51).contains(value), "The quality (CRF) goes from 0 to 51, not \(value)")
    case .bitRate(let value)?:
      try require(
        (1000...2_000_000_000).contains(value), "The bit rate must be 1000 to 2000000000 bits a second, not \(value)")
    case .lossless?:
      try require(codec != .h264 || bitDepth == 8, "Lossless H.264 is encoded with 8 bits; choose HEVC for more")
    case nil: break
    }
  }

  private func validate(_ profile: ProResProfile) throws {
    try require(rate == nil, "\(profile.name) has one quality; leave out rate and quality, or choose another ProRes")
    try require(preset == nil, "\(profile.name) has no presets; leave the preset out")
    try require(bitDepth == 10, "\(profile.name) is encoded with 10 bits, not \(bitDepth)")
    try require(color.isFullRange != true, "\(profile.name) holds video range; ask for that")
    let wanted: Chroma = profile.is4444 ? .yuv444 : .yuv422
    try require(chroma == wanted, "\(profile.name) is encoded as \(wanted.rawValue), not \(chroma.rawValue)")
  }

  private func require(_ condition: Bool, _ sentence: @autoclosure () -> String) throws {
    guard condition else { throw CodecError(.invalidSettings, sentence() + ".") }
  }
}
