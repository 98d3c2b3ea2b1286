internal import CFFmpeg
internal import CoreMedia
internal import Foundation

extension VideoEncoderSettings {
  /// Sets the fields of the context that all encoders share.
  func configure(_ raw: CodecContext.Raw, format: AVPixelFormat, threads: Int) {
    raw.pointee.width = Int32(width)
    raw.pointee.height = Int32(height)
    raw.pointee.pix_fmt = format
    // Frames are numbered: their real times never go through the library's arithmetic.
    let duration = Int32(clamping: frameDuration.value)
    raw.pointee.time_base = AVRational(num: duration, den: frameDuration.timescale)
    raw.pointee.framerate = AVRational(num: frameDuration.timescale, den: duration)
    raw.pointee.gop_size = Int32(clamping: keyFrameInterval)
    if let maximumBFrames { raw.pointee.max_b_frames = Int32(maximumBFrames) }
    raw.pointee.flags |= CFFMPEG_FLAG_GLOBAL_HEADER
    raw.pointee.thread_count = Int32(threads)
    if let pixelAspectRatio {
      raw.pointee.sample_aspect_ratio = AVRational(
        num: Int32(clamping: pixelAspectRatio.horizontal), den: Int32(clamping: pixelAspectRatio.vertical))
    }
    if case .bitRate(let value)? = rate { raw.pointee.bit_rate = Int64(value) }
    color.apply(to: raw)
  }

  /// The encoder's own options.
  func options(threads: Int) -> [String: String] {
    switch codec {
    case .hevc: hevcOptions(threads: threads)
    case .h264: h264Options
    case .proRes(let profile): ["profile": String(profile.rawValue), "alpha_bits": hasAlpha ? "16" : "0"]
    }
  }

  private func hevcOptions(threads: Int) -> [String: String] {
    var parameters = [
      ("log-level", "none"), ("info", "0"), ("open-gop", "0"), ("repeat-headers", "0"),
      // One frame at a time: each more costs the memory of a dozen frames.
      ("frame-threads", "1"), ("pools", String(threads)),
      ("keyint", String(keyFrameInterval)), ("min-keyint", "1"),
    ]
    if let maximumBFrames { parameters.append(("bframes", String(maximumBFrames))) }
    // Half of the look-ahead that the preset has: 70 MB less at 1080p with 10 bits.
    if preset == nil { parameters.append(("rc-lookahead", "5")) }
    if rate == .lossless { parameters.append(("lossless", "1")) }
    // x265 3.5 writes beyond its memory where it spreads costs over fewer than four blocks of 16 pixels in a row.
    if width < 64 { parameters.append(("cutree", "0")) }
    parameters += light.x265Parameters
    var options = ["preset": preset ?? Self.standardPreset, "forced-idr": "1"]
    options["x265-params"] = parameters.map { "\($0.0)=\($0.1)" }.joined(separator: ":")
    options["crf"] = crf
    return options
  }

  private var h264Options: [String: String] {
    var options = ["preset": preset ?? Self.standardPreset, "forced-idr": "1"]
    options["x264-params"] = "open-gop=0:rc-lookahead=20"
    options["crf"] = crf
    if rate == .lossless { options["qp"] = "0" }
    return options
  }

  private var crf: String? {
    switch rate {
    case nil: String(Self.standardQuality)
    case .quality(let value)?: String(value)
    case .bitRate?, .lossless?: nil
    }
  }
}
