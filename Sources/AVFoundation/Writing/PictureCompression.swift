internal import Codecs
internal import CoreMedia
internal import CoreVideo
internal import Foundation
internal import QuickTime

/// How an input compresses pictures: its output settings, understood.
struct PictureCompression {
  let codec: VideoEncoderSettings.Codec
  let width: Int
  let height: Int
  private var rate: VideoEncoderSettings.Rate?
  private var preset: String?
  private var keyFrameInterval: Int?
  private var keyFrameSeconds: Double?
  private var frameRate: Double?
  private var allowsReordering = true
  private var threads = 0
  private var bitDepth: Int?
  private var colour: Colour?
  private var aspect: (horizontal: Int, vertical: Int)?
  /// How the codes of a disparity track are meant; nil for other pictures.
  private(set) var disparity: DisparityCoding?

  /// What the settings say about colour: values of attachments.
  private struct Colour {
    var primaries: String
    var transfer: String
    var matrix: String
  }

  /// Reads the settings of an input. Throws `AVError` naming the key that is wrong.
  init(_ settings: [String: Any], mediaType: AVMediaType, fileType: AVFileType) throws {
    var reader = SettingsReader(settings, of: "the input for \(mediaType.rawValue)")
    let name = (reader.value(AVVideoCodecKey) as? AVVideoCodecType)?.rawValue ?? reader.text(AVVideoCodecKey)
    guard let name, let codec = Self.codecs[name] else {
      reader.refuse(AVVideoCodecKey, "must be one of \(Self.codecs.keys.sorted().joined(separator: ", "))")
      throw reader.error ?? AVError(.encoderNotFound)
    }
    self.codec = codec
    if name == AVVideoCodecType.disparityHEVC.rawValue { disparity = Self.disparity(&reader) }
    let sides = 16...16_384
    width = reader.integer(AVVideoWidthKey, in: sides) ?? 0
    height = reader.integer(AVVideoHeightKey, in: sides) ?? 0
    for key in [AVVideoWidthKey, AVVideoHeightKey] where !reader.has(key) { reader.refuse(key, "is missing") }
    if case .proRes = codec, fileType != .mov {
      reader.refuse(AVVideoCodecKey, "must be HEVC or H.264 in an MPEG-4 file; write a .mov")
    }
    readCompression(reader.dictionary(AVVideoCompressionPropertiesKey), &reader)
    readColour(reader.dictionary(AVVideoColorPropertiesKey), &reader)
    readAspect(reader.dictionary(AVVideoPixelAspectRatioKey), &reader)
    if let mode = reader.text(AVVideoScalingModeKey), mode != AVVideoScalingModeResize {
      reader.refuse(AVVideoScalingModeKey, "can only be \(AVVideoScalingModeResize)")
    }
    reader.ignore(AVVideoAllowWideColorKey)
    try reader.finish()
    try check(fourCharacterCode(disparity == nil ? "420v" : "L010"))
  }

  private static func disparity(_ reader: inout SettingsReader) -> DisparityCoding {
    guard reader.has(AVVideoDisparityRangeKey) else { return .standard }
    let range = (reader.value(AVVideoDisparityRangeKey) as? [Any] ?? []).compactMap { CoreVideo.number($0) }
    if range.count == 2, let coding = DisparityCoding(minimum: range[0], maximum: range[1]) { return coding }
    reader.refuse(AVVideoDisparityRangeKey, "must be two rising numbers from 0 to 32768")
    return .standard
  }

  private static let codecs: [String: VideoEncoderSettings.Codec] = [
    AVVideoCodecType.hevc.rawValue: .hevc, AVVideoCodecType.h264.rawValue: .h264,
    AVVideoCodecType.disparityHEVC.rawValue: .hevc,
    AVVideoCodecType.proRes422Proxy.rawValue: .proRes(.proxy), AVVideoCodecType.proRes422LT.rawValue: .proRes(.lt),
    AVVideoCodecType.proRes422.rawValue: .proRes(.standard), AVVideoCodecType.proRes422HQ.rawValue: .proRes(.hq),
    AVVideoCodecType.proRes4444.rawValue: .proRes(.p4444), AVVideoCodecType.proRes4444XQ.rawValue: .proRes(.p4444XQ),
  ]

  private var isProRes: Bool { if case .proRes = codec { true } else { false } }

  private mutating func readCompression(_ settings: [String: Any]?, _ outer: inout SettingsReader) {
    guard let settings else { return }
    var reader = SettingsReader(settings, of: AVVideoCompressionPropertiesKey)
    for key in [AVVideoAverageBitRateKey, AVVideoQualityKey, AVVideoConstantRateFactorKey, AVVideoEncoderPresetKey]
    where isProRes && reader.has(key) {
      reader.refuse(key, "cannot be used: ProRes has one quality for each of its types")
    }
    readRate(&reader)
    preset = reader.text(AVVideoEncoderPresetKey)
    if let preset, !VideoEncoderSettings.presets.contains(preset) {
      reader.refuse(AVVideoEncoderPresetKey, "must be one of \(VideoEncoderSettings.presets.joined(separator: ", "))")
    }
    keyFrameInterval = reader.integer(AVVideoMaxKeyFrameIntervalKey, in: 0...1_000_000)
    keyFrameSeconds = reader.real(AVVideoMaxKeyFrameIntervalDurationKey, in: 0...3600)
    frameRate = reader.real(AVVideoExpectedSourceFrameRateKey, in: 0.001...1000)
    allowsReordering = reader.flag(AVVideoAllowFrameReorderingKey) ?? true
    threads = reader.integer(AVVideoEncoderThreadCountKey, in: 0...256) ?? 0
    readProfile(&reader)
    reader.ignore(AVVideoH264EntropyModeKey, AVVideoAverageNonDroppableFrameRateKey)
    do { try reader.finish() } catch { outer.note(error as? AVError) }
  }

  /// The constant rate factor wins over the bit rate, and that over the quality, of which 0.5 is a factor of 25.
  private mutating func readRate(_ reader: inout SettingsReader) {
    if let quality = reader.real(AVVideoQualityKey, in: 0...1) { rate = .quality(40 - 30 * quality) }
    if let bits = reader.integer(AVVideoAverageBitRateKey, in: 1000...2_000_000_000) { rate = .bitRate(bits) }
    if let factor = reader.real(AVVideoConstantRateFactorKey, in: 0...51) { rate = .quality(factor) }
  }

  private mutating func readProfile(_ reader: inout SettingsReader) {
    guard let profile = reader.text(AVVideoProfileLevelKey) else { return }
    switch (codec, profile) {
    case (.hevc, kVTProfileLevel_HEVC_Main_AutoLevel): bitDepth = 8
    case (.hevc, kVTProfileLevel_HEVC_Main10_AutoLevel): bitDepth = 10
    case (.h264, _) where profile.hasPrefix("H264_"): break
    default: reader.refuse(AVVideoProfileLevelKey, "does not go with the codec")
    }
  }

  private mutating func readColour(_ settings: [String: Any]?, _ outer: inout SettingsReader) {
    guard let settings else { return }
    var reader = SettingsReader(settings, of: AVVideoColorPropertiesKey)
    let keys = [AVVideoColorPrimariesKey, AVVideoTransferFunctionKey, AVVideoYCbCrMatrixKey]
    let values = keys.map { reader.text($0) ?? "" }
    let codes = [
      CVColorPrimariesGetIntegerCodePointForString(values[0]),
      CVTransferFunctionGetIntegerCodePointForString(values[1]),
      CVYCbCrMatrixGetIntegerCodePointForString(values[2]),
    ]
    for (key, code) in zip(keys, codes) where code <= 0 || code == 2 {
      reader.refuse(key, reader.has(key) ? "is not a colour constant that is known" : "is missing")
    }
    colour = Colour(primaries: values[0], transfer: values[1], matrix: values[2])
    do { try reader.finish() } catch { outer.note(error as? AVError) }
  }

  private mutating func readAspect(_ settings: [String: Any]?, _ outer: inout SettingsReader) {
    guard let settings else { return }
    var reader = SettingsReader(settings, of: AVVideoPixelAspectRatioKey)
    let sides = [AVVideoPixelAspectRatioHorizontalSpacingKey, AVVideoPixelAspectRatioVerticalSpacingKey].map { key in
      if !reader.has(key) { reader.refuse(key, "is missing") }
      return reader.integer(key, in: 1...65_535) ?? 1
    }
    aspect = (sides[0], sides[1])
    do { try reader.finish() } catch { outer.note(error as? AVError) }
  }

  /// Throws `AVError` with the encoder's own sentence on what cannot be had.
  private func check(_ pixelFormat: OSType) throws {
    do { try settings(for: pixelFormat).validate() } catch {
      throw AVError(
        .unsupportedOutputSettings, "The settings of an input for pictures cannot be had: \(error)", underlying: error)
    }
  }
}

extension PictureCompression {
  /// What the encoder is told for pictures of a pixel format.
  func settings(for pixelFormat: OSType, usualDuration: CMTime = .invalid) -> VideoEncoderSettings {
    var settings = VideoEncoderSettings(codec: codec, width: width, height: height, pixelFormat: pixelFormat)
    settings.rate = rate
    settings.preset = preset
    settings.threads = threads
    settings.pixelAspectRatio = aspect
    if let disparity {
      settings.chroma = .monochrome
      settings.bitDepth = 10
      settings.color.isFullRange = true
      settings.sampleEntry = fourCharacterCode(AVVideoCodecType.disparityHEVC.rawValue)
      settings.entryAtoms = ["disc": disparity.payload]
    } else if !isProRes {
      if settings.chroma != .monochrome { settings.chroma = .yuv420 }
      settings.bitDepth = codec == .h264 ? 8 : bitDepth ?? settings.bitDepth
    }
    if usualDuration.isNumeric, usualDuration > .zero { settings.frameDuration = usualDuration }
    if let frameRate {
      settings.frameDuration = CMTime(seconds: 1 / frameRate, preferredTimescale: 90_000)
    }
    if let interval = keyFrames(settings.frameDuration) { settings.keyFrameInterval = interval }
    if !allowsReordering { settings.maximumBFrames = 0 }
    return settings
  }

  /// What the encoder is told for a first picture, whose colour and duration count where the settings do not name one.
  func settings(for image: CVPixelBuffer, duration: CMTime) -> VideoEncoderSettings {
    var settings = settings(for: CVPixelBufferGetPixelFormatType(image), usualDuration: duration)
    let tags =
      colour
      ?? Colour(
        primaries: image.text(kCVImageBufferColorPrimariesKey), transfer: image.text(kCVImageBufferTransferFunctionKey),
        matrix: image.text(kCVImageBufferYCbCrMatrixKey))
    settings.color.primaries = Self.code(CVColorPrimariesGetIntegerCodePointForString(tags.primaries))
    settings.color.transfer = Self.code(CVTransferFunctionGetIntegerCodePointForString(tags.transfer))
    settings.color.matrix = Self.code(CVYCbCrMatrixGetIntegerCodePointForString(tags.matrix))
    return settings
  }

  private static func code(_ code: Int32) -> Int? { code > 0 && code != 2 ? Int(code) : nil }

  private func keyFrames(_ frameDuration: CMTime) -> Int? {
    let byTime = keyFrameSeconds.flatMap { $0 > 0 ? max(1, Int($0 / frameDuration.seconds)) : nil }
    let byCount = keyFrameInterval.flatMap { $0 > 0 ? $0 : nil }
    return [byTime, byCount].compactMap { $0 }.min()
  }
}

extension CVBuffer {
  fileprivate func text(_ key: String) -> String { CVBufferCopyAttachment(self, key, nil) as? String ?? "" }
}
