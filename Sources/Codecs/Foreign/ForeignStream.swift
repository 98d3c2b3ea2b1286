internal import CFFmpeg
package import CoreMedia
internal import CoreVideo

/// One stream of a foreign movie.
package struct ForeignStream: Sendable {
  package enum Kind: Sendable, Hashable { case video, audio, other }

  package let index: Int
  package let kind: Kind
  /// The library's name of the codec: "hevc", "vp8", "png"…
  package let codecName: String
  /// Time of the first frame and the whole length, as far as the file says; invalid otherwise.
  package let startTime: CMTime
  package let duration: CMTime

  /// Stored size in pixels; zero for what is no picture.
  package let width: Int
  package let height: Int
  /// Width to height of a pixel; 1:1 where the file is silent.
  package let pixelAspectRatio: (horizontal: Int, vertical: Int)
  /// Frames a second as a fraction; nil where the file does not say.
  package let frameRate: (numerator: Int, denominator: Int)?
  /// How far the stored picture is to be turned clockwise for display: 0, 90, 180 or 270 degrees.
  package let rotation: Int
  /// What the file says about colour.
  package let color: ColorTags
  /// Bits of a stored luma or grey code; nil before it is known.
  package let bitDepth: Int?
  package let isGrey: Bool

  /// Zero for what is no sound.
  package let sampleRate: Int
  package let channelCount: Int
}

extension ForeignStream {
  init(_ input: InputContext, _ index: Int) {
    self.index = index
    let (start, duration) = input.withStream(index) { stream in
      let base = stream.pointee.time_base
      return (CMTime(stream.pointee.start_time, base), CMTime(stream.pointee.duration, base))
    }
    startTime = start
    self.duration = duration
    let aspect = input.with { av_guess_sample_aspect_ratio($0, $0.pointee.streams[index], nil) }
    pixelAspectRatio = aspect.num > 0 && aspect.den > 0 ? (Int(aspect.num), Int(aspect.den)) : (1, 1)
    let rate = input.with { av_guess_frame_rate($0, $0.pointee.streams[index], nil) }
    frameRate = rate.num > 0 && rate.den > 0 ? (Int(rate.num), Int(rate.den)) : nil
    rotation = input.withStream(index, ForeignStream.rotation)
    let parameters = input.withStream(index) { $0.pointee.codecpar.pointee }
    codecName = String(cString: avcodec_get_name(parameters.codec_id))
    kind =
      switch parameters.codec_type {
      case AVMEDIA_TYPE_VIDEO: .video
      case AVMEDIA_TYPE_AUDIO: .audio
      default: .other
      }
    let shape = parameters.codec_type == AVMEDIA_TYPE_VIDEO ? FrameShape(AVPixelFormat(parameters.format)) : nil
    width = Int(parameters.width)
    height = Int(parameters.height)
    color = ColorTags(parameters, shape)
    bitDepth = shape?.depth
    isGrey = shape?.isGrey ?? false
    sampleRate = Int(parameters.sample_rate)
    channelCount = Int(parameters.ch_layout.nb_channels)
  }

  /// Clockwise degrees, from the display matrix.
  private static func rotation(_ stream: UnsafeMutablePointer<AVStream>) -> Int {
    var size = 0
    guard let bytes = av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &size), size >= 36 else { return 0 }
    let degrees = bytes.withMemoryRebound(to: Int32.self, capacity: 9) { av_display_rotation_get($0) }
    guard degrees.isFinite else { return 0 }
    let quarters = Int((-degrees / 90).rounded()) % 4
    return (quarters + 4) % 4 * 90
  }
}

extension ColorTags {
  init(_ parameters: AVCodecParameters, _ shape: FrameShape?) {
    self.init(
      primaries: parameters.color_primaries, transfer: parameters.color_trc, matrix: parameters.color_space,
      range: parameters.color_range)
    if shape?.isNamedFullRange == true { isFullRange = true }
  }
}

extension CMTime {
  /// A count of the library's time base, exactly; invalid where there is none or it does not fit.
  init(_ count: Int64, _ base: AVRational) {
    let (value, overflow) = count.multipliedReportingOverflow(by: Int64(base.num))
    guard count != CFFMPEG_NOPTS, !overflow, base.num > 0, base.den > 0 else {
      self = .invalid
      return
    }
    self = CMTime(value: value, timescale: base.den)
  }
}
