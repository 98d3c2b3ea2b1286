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
  private lazy var converter = PixelConverter()
  private var last: (time: CMTime, duration: CMTime)?

  init(track: WrittenTrack, compression: PictureCompression) {
    self.track = track
    self.compression = compression
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
    let duration = buffer.duration.isNumeric && buffer.duration > .zero ? buffer.duration : usualDuration(time)
    do {
      let encoder = try encoder ?? VideoEncoder(compression.settings(for: image))
      self.encoder = encoder
      let picture = try fitting(image)
      let forcesKeyFrame = buffer.isMarked(kCMSampleBufferAttachmentKey_ForceKeyFrame)
      try store(
        encoder.encode(picture, presentationTime: time, duration: duration, forcesKeyFrame: forcesKeyFrame))
    } catch let error as CodecError {
      throw Self.describing(error, at: time)
    }
    last = (time, duration)
  }

  func finish() throws {
    do { try store(encoder?.finish() ?? []) } catch let error as CodecError {
      throw Self.describing(error, at: last?.time ?? .invalid)
    }
    encoder = nil
    try track.finish()
  }

  private func store(_ samples: [CMSampleBuffer]) throws {
    for sample in samples { try track.append(sample) }
  }

  /// For pictures that do not say how long they last: as long as the one before took.
  private func usualDuration(_ time: CMTime) -> CMTime {
    guard let last, time > last.time else { return .invalid }
    return time - last.time
  }

  /// The picture in the size that is compressed.
  private func fitting(_ image: CVPixelBuffer) throws -> CVPixelBuffer {
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

  private static func describing(_ error: CodecError, at time: CMTime) -> AVError {
    let code: AVError.Code = error.kind == .unsupported ? .encoderNotFound : .unknown
    return AVError(
      code, "The picture at \(time.seconds) s cannot be compressed: \(error)", time: time, underlying: error)
  }
}
