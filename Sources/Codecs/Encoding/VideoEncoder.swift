internal import CFFmpeg
package import CoreMedia
package import CoreVideo
internal import Foundation

/// Encodes pixel buffers with libx265, libx264 or libavcodec's ProRes encoder into samples that a movie can hold.
///
/// Frames are handed in in presentation order; samples come out in decode order, each with exact times. Safe to use from
/// any thread; calls wait for each other.
package final class VideoEncoder: @unchecked Sendable {
  // Unchecked: everything that changes is guarded by the lock.
  package let settings: VideoEncoderSettings
  /// What the samples are; its atoms ("hvcC", "avcC") are what a writer stores.
  package let formatDescription: CMFormatDescription

  private let guardian = NSLock()
  private let context: CodecContext
  private let loader: PictureLoader
  private let packet: Packet
  private var times: EncodedTimes
  private var isFinished = false

  /// - Throws: `CodecError.invalidSettings` with a sentence on what cannot be had.
  package init(_ settings: VideoEncoderSettings) throws {
    try settings.validate()
    self.settings = settings
    guard let codec = avcodec_find_encoder_by_name(settings.encoderName) else {
      throw CodecError(
        .unsupported, "This build of libavcodec has no encoder \(settings.encoderName); install it or choose another.")
    }
    let format = av_get_pix_fmt(settings.encoderFormatName)
    guard VideoEncoder.takes(codec, format) else {
      throw CodecError(
        .invalidSettings,
        "The encoder \(settings.encoderName) does not take \(settings.encoderFormatName); choose another depth or chroma."
      )
    }
    let cores = ProcessInfo.processInfo.activeProcessorCount
    let threads = settings.threads > 0 ? min(settings.threads, 64) : min(cores, 16)
    context = try CodecContext(codec: codec)
    context.with { settings.configure($0, format: format, threads: threads) }
    try context.open(options: settings.options(threads: threads))
    formatDescription = try settings.makeFormatDescription(header: context.extradata)
    loader = try PictureLoader(
      width: settings.width, height: settings.height, format: format,
      isFullRange: settings.color.isFullRange ?? false, matrix: settings.color.matrix)
    packet = try Packet()
    times = EncodedTimes(usualDuration: settings.frameDuration)
  }

  private static func takes(_ codec: UnsafePointer<AVCodec>, _ format: AVPixelFormat) -> Bool {
    guard var next = codec.pointee.pix_fmts else { return false }
    while next.pointee != AV_PIX_FMT_NONE {
      if next.pointee == format { return true }
      next += 1
    }
    return false
  }
}

// MARK: - Encoding

extension VideoEncoder {
  /// Hands in the next frame; returns the samples that are ready.
  ///
  /// The buffer may have any usable pixel format; one with the settings' depth, chroma and range is not converted. It may be
  /// used again when the call returns.
  /// - Parameter duration: written to the sample; invalid is the settings' frame duration.
  package func encode(
    _ buffer: CVPixelBuffer, presentationTime: CMTime, duration: CMTime = .invalid, forcesKeyFrame: Bool = false
  ) throws -> [CMSampleBuffer] {
    try guardian.withLock {
      guard !isFinished else {
        throw CodecError(.invalidSettings, "The encoder has been finished; make another for more frames.")
      }
      let frame = try loader.load(buffer)
      let number = try times.add(presentationTime, duration.isNumeric ? duration : settings.frameDuration)
      frame.with { raw in
        raw.pointee.pts = number
        settings.color.apply(to: raw)
        raw.pointee.pict_type = forcesKeyFrame ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
      }
      return try exchange(frame)
    }
  }

  /// Returns the samples that were held back; nothing can be encoded afterwards.
  package func finish() throws -> [CMSampleBuffer] {
    try guardian.withLock {
      guard !isFinished else { return [] }
      isFinished = true
      return try exchange(nil)
    }
  }

  private func exchange(_ frame: Frame?) throws -> [CMSampleBuffer] {
    var samples: [CMSampleBuffer] = []
    var status = context.send(frame)
    if status == CFFMPEG_EAGAIN {
      samples = try collect()
      status = context.send(frame)
    }
    try checked(status, "encoding a frame with \(context.name)")
    return samples + (try collect())
  }

  private func collect() throws -> [CMSampleBuffer] {
    var samples: [CMSampleBuffer] = []
    while true {
      let status = context.receive(packet)
      if status == CFFMPEG_EAGAIN || status == CFFMPEG_EOF { return samples }
      try checked(status, "encoding a frame with \(context.name)")
      samples.append(try makeSample())
    }
  }

  private func makeSample() throws -> CMSampleBuffer {
    defer { packet.clear() }
    guard let timing = times.timing(presentation: packet.presentationTime, decode: packet.decodeTime) else {
      throw CodecError(.library, "The encoder \(context.name) returned a frame that it was not given.")
    }
    return try CMSampleBuffer.compressed(
      settings.stored(packet.data), format: formatDescription, timing: timing, isSync: packet.isKey)
  }
}

extension CMSampleBuffer {
  /// One compressed video sample with the attachments that writers look at.
  static func compressed(
    _ data: Data, format: CMFormatDescription, timing: CMSampleTimingInfo, isSync: Bool
  ) throws -> CMSampleBuffer {
    let sample = try CMSampleBuffer(
      dataBuffer: CMBlockBuffer(copying: data), formatDescription: format, numSamples: 1, sampleTimings: [timing],
      sampleSizes: [data.count])
    if !isSync { sample.sampleAttachments[0][.notSync] = true }
    sample.sampleAttachments[0][.dependsOnOthers] = !isSync
    return sample
  }
}
