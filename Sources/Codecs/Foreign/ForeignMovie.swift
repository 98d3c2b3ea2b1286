internal import CFFmpeg
package import CoreMedia
package import CoreVideo
internal import Foundation

/// Reads the pictures of anything that FFmpeg reads: movies, single images, and numbered images ("depth_%04d.png").
///
/// Safe to use from any thread; calls wait for each other.
package final class ForeignMovie: @unchecked Sendable {
  // Unchecked: everything that changes is guarded by the lock.
  /// What the frames are delivered as.
  package enum Output: Sendable, Hashable {
    /// The codes as decoded.
    case native
    case format(OSType)
    /// The luma codes alone, untouched, as L008, L010, L012 or L016 (codes of 10 and 12 bits in the upper bits), L00f for
    /// floats; of RGB, the green ones. `DecodedFrame.color.isFullRange` tells how they are meant.
    case luma
  }

  package struct Options: Sendable {
    package var output = Output.native
    /// Frames a second of numbered images.
    package var imageRate: (numerator: Int, denominator: Int) = (30, 1)
    /// The number of the video stream to read; nil is the best one.
    package var stream: Int?
    package var threads = 0
    /// The largest picture, in pixels, that memory is given to.
    package var pixelBudget = VideoDecoder.standardPixelBudget

    package init(output: Output = .native) { self.output = output }
  }

  package let streams: [ForeignStream]
  /// The stream that is decoded.
  package let video: ForeignStream

  private let guardian = NSLock()
  private let input: InputContext
  private let context: CodecContext
  private let picture: PictureOutput
  private let packet: Packet
  private let frame: Frame
  private var delivered = 0
  private var expected = CMTime.invalid
  private var isAtEnd = false

  package static func open(_ url: URL, options: Options = Options()) throws -> ForeignMovie {
    try ForeignMovie(url, options)
  }

  private init(_ url: URL, _ options: Options) throws {
    let input = try ForeignMovie.input(url, options)
    self.input = input
    streams = (0..<input.streamCount).map { ForeignStream(input, $0) }
    let best = options.stream ?? Int(input.with { av_find_best_stream($0, AVMEDIA_TYPE_VIDEO, -1, -1, nil, 0) })
    guard streams.indices.contains(best), streams[best].kind == .video else {
      throw CodecError(.input, "\"\(input.name)\" holds no pictures; choose a movie or an image.")
    }
    video = streams[best]
    context = try ForeignMovie.decoder(input, video, options)
    packet = try Packet()
    frame = try Frame()
    picture = try PictureOutput(wish: options.output.wish, container: video.color, extensions: video.extensions)
    input.with { raw in
      for index in 0..<Int(raw.pointee.nb_streams) where index != best {
        raw.pointee.streams[index]?.pointee.discard = AVDISCARD_ALL
      }
    }
  }

  /// The next picture in presentation order with its exact time; nil at the end.
  ///
  /// - Throws: for a picture that cannot be decoded; the next call goes on after it.
  package func nextVideoFrame() throws -> DecodedFrame? {
    try guardian.withLock {
      while !isAtEnd {
        let status = context.receive(frame)
        if status >= 0 { return try deliver() }
        if status == CFFMPEG_EAGAIN {
          try feed()
        } else if status == CFFMPEG_EOF {
          isAtEnd = true
        } else {
          throw damaged(status)
        }
      }
      return nil
    }
  }

  /// Hands the decoder one more packet, or the end.
  private func feed() throws {
    defer { packet.clear() }
    repeat {
      packet.clear()
      let status = input.read(into: packet)
      if status < 0 {
        _ = context.send(nil as Packet?)
        guard status == CFFMPEG_EOF else { throw damaged(status) }
        return
      }
    } while packet.with { Int($0.pointee.stream_index) } != video.index
    let status = context.send(packet)
    guard status >= 0 || status == CFFMPEG_EAGAIN || status == CFFMPEG_EOF else { throw damaged(status) }
  }

  private func damaged(_ status: Int32) -> CodecError {
    CodecError(
      .damaged,
      "\"\(input.name)\" cannot be decoded after frame \(delivered) (\(CodecError.text(of: status))); get an undamaged copy.",
      code: status, sample: delivered)
  }

  private func deliver() throws -> DecodedFrame {
    defer { frame.clear() }
    let base = input.withStream(video.index) { $0.pointee.time_base }
    let (stamp, length) = frame.with { ($0.pointee.best_effort_timestamp, $0.pointee.pkt_duration) }
    let told = CMTime(stamp, base)
    let time = told.isValid ? told : expected.isValid ? expected : .zero
    let duration = length > 0 ? CMTime(length, base) : video.frameDuration
    expected = duration.isValid ? time + duration : .invalid
    let (buffer, color) = try picture.buffer(from: frame)
    defer { delivered += 1 }
    return DecodedFrame(
      pixelBuffer: buffer, presentationTime: time, duration: duration, sample: delivered, color: color)
  }
}

// MARK: - Opening

extension ForeignMovie {
  private static func input(_ url: URL, _ options: Options) throws -> InputContext {
    let isPattern = url.path.contains("%") && !FileManager.default.fileExists(atPath: url.path)
    guard isPattern else { return try InputContext(url) }
    let rate = "\(options.imageRate.numerator)/\(options.imageRate.denominator)"
    return try InputContext(
      url, format: "image2",
      options: ["framerate": rate, "pattern_type": "sequence", "start_number_range": "100000"])
  }

  private static func decoder(
    _ input: InputContext, _ stream: ForeignStream, _ options: Options
  ) throws -> CodecContext {
    let codecID = input.withStream(stream.index) { $0.pointee.codecpar.pointee.codec_id }
    guard let codec = avcodec_find_decoder(codecID) else {
      throw CodecError(
        .unsupported, "\"\(input.name)\" is coded as \(stream.codecName), for which there is no decoder; convert it.")
    }
    let context = try CodecContext(codec: codec)
    try input.withStream(stream.index) { raw in
      _ = try checked(
        context.with { avcodec_parameters_to_context($0, raw.pointee.codecpar) }, "preparing the decoder")
    }
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let threads = options.threads > 0 ? options.threads : min(cores, 4)
    context.with {
      $0.pointee.max_pixels = Int64(options.pixelBudget)
      $0.pointee.thread_count = Int32(max(1, min(threads, VideoDecoder.maximumThreads)))
    }
    try context.open()
    return context
  }
}

extension ForeignMovie.Output {
  fileprivate var wish: PictureOutput.Wish {
    switch self {
    case .native: .native
    case .format(let code): .format(code)
    case .luma: .luma
    }
  }
}

extension ForeignStream {
  /// One frame at the stream's rate; invalid where it is not known.
  fileprivate var frameDuration: CMTime {
    guard let frameRate, let timescale = CMTimeScale(exactly: frameRate.numerator) else { return .invalid }
    return CMTime(value: Int64(frameRate.denominator), timescale: timescale)
  }

  fileprivate var extensions: [String: Any] {
    guard pixelAspectRatio.horizontal != pixelAspectRatio.vertical else { return [:] }
    return [
      kCVImageBufferPixelAspectRatioKey: [
        kCVImageBufferPixelAspectRatioHorizontalSpacingKey: pixelAspectRatio.horizontal,
        kCVImageBufferPixelAspectRatioVerticalSpacingKey: pixelAspectRatio.vertical,
      ]
    ]
  }
}
