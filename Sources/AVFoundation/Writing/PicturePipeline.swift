internal import Codecs
internal import CoreMedia
internal import CoreVideo
internal import Foundation

/// Compresses pictures into a track. Used by one thread at a time.
final class PicturePipeline: InputPipeline, @unchecked Sendable {
  private let track: WrittenTrack
  private let compression: PictureCompression
  private var encoder: VideoEncoder?
  private var scaled: CVPixelBuffer?
  private let codes: DisparityCodes?
  private lazy var converter = PixelConverter()
  /// A picture that lasts until the next one, which has not come yet.
  private var waiting: (image: CVPixelBuffer, time: CMTime, forcesKeyFrame: Bool)?
  private var lastDuration = CMTime.invalid

  init(track: WrittenTrack, compression: PictureCompression) {
    self.track = track
    self.compression = compression
    codes = compression.disparity.map(DisparityCodes.init)
  }

  func append(_ buffer: CMSampleBuffer) throws {
    guard buffer.numSamples > 0 else { return }
    guard let image = buffer.imageBuffer else {
      throw AVError(
        .unknown,
        "An input that compresses pictures was given a sample buffer without one; append decoded pictures, or give the input nil settings."
      )
    }
    let time = buffer.presentationTimeStamp
    try compressWaiting(until: time)
    waiting = (image, time, buffer.isMarked(kCMSampleBufferAttachmentKey_ForceKeyFrame))
    if buffer.duration.isNumeric, buffer.duration > .zero { try compressWaiting(until: time + buffer.duration) }
  }

  func finish() throws {
    // The last picture lasts as long as the one before.
    if let waiting { try compressWaiting(until: waiting.time + lastDuration) }
    try describing(.invalid) { try store(encoder?.finish() ?? []) }
    encoder = nil
    try track.finish()
  }

  private func compressWaiting(until end: CMTime) throws {
    guard let (image, time, forcesKeyFrame) = waiting else { return }
    waiting = nil
    let duration = end > time ? end - time : .invalid
    lastDuration = duration
    try describing(time) {
      let encoder = try encoder ?? VideoEncoder(compression.settings(for: image, duration: duration))
      self.encoder = encoder
      try store(
        encoder.encode(
          try fitting(image), presentationTime: time, duration: duration, forcesKeyFrame: forcesKeyFrame))
    }
  }

  private func store(_ samples: [CMSampleBuffer]) throws {
    for sample in samples { try track.append(sample) }
  }

  /// The picture in the form and the size that is compressed: linear disparity becomes codes.
  private func fitting(_ image: CVPixelBuffer) throws -> CVPixelBuffer {
    var image = image
    if let codes, DisparityCodes.takes(CVPixelBufferGetPixelFormatType(image)) {
      image = try codes.picture(from: image)
    }
    guard CVPixelBufferGetWidth(image) != compression.width || CVPixelBufferGetHeight(image) != compression.height
    else { return image }
    let format = CVPixelBufferGetPixelFormatType(image)
    if scaled.map(CVPixelBufferGetPixelFormatType) != format {
      scaled = try CVBuffer.make(width: compression.width, height: compression.height, format: format)
    }
    guard let scaled else { return image }
    try converter.convert(image, to: scaled)
    return scaled
  }

  /// Says which picture an error of the encoder is about.
  private func describing(_ time: CMTime, _ body: () throws -> Void) throws {
    do { try body() } catch let error as CodecError {
      let code: AVError.Code = error.kind == .unsupported ? .encoderNotFound : .unknown
      let picture = time.isNumeric ? "The picture at \(time.seconds) s" : "The last picture"
      throw AVError(code, "\(picture) cannot be compressed: \(error)", time: time, underlying: error)
    }
  }
}
