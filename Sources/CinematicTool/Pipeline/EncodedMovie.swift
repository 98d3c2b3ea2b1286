import AVFoundation
import CoreMedia
import CoreVideo
import Foundation

/// A movie of pictures that are made one after the other and encoded, with sound that is copied beside them.
final class EncodedMovie {
  struct Plan {
    var url: URL
    /// What the pictures are encoded with, as a writer's input takes it.
    var settings: [String: Any]
    /// The format of the buffers that are handed in.
    var pixelFormat: OSType
    var size: (width: Int, height: Int)
    /// Units a second of the pictures' times.
    var timescale: CMTimeScale
    /// The time that becomes the start of the movie.
    var start: CMTime
    var sound: [SoundCopy] = []
    var metadata: [AVMetadataItem] = []
  }

  private let writer: AVAssetWriter
  private let input: AVAssetWriterInput
  private let adaptor: AVAssetWriterInputPixelBufferAdaptor
  private let sound: [SoundCopy]
  private(set) var frameCount = 0
  /// A picture lasts until the next one, which has not come yet, or to the end.
  private var last: (picture: CVPixelBuffer, time: CMTime)?

  init(_ plan: Plan) throws {
    sound = plan.sound
    writer = try AVAssetWriter(outputURL: plan.url, fileType: OutputFormat.isMPEG4(plan.url.path) ? .mp4 : .mov)
    input = AVAssetWriterInput(mediaType: .video, outputSettings: plan.settings)
    input.mediaTimeScale = plan.timescale
    adaptor = AVAssetWriterInputPixelBufferAdaptor(
      assetWriterInput: input,
      sourcePixelBufferAttributes: [
        kCVPixelBufferPixelFormatTypeKey: plan.pixelFormat, kCVPixelBufferWidthKey: plan.size.width,
        kCVPixelBufferHeightKey: plan.size.height,
      ])
    writer.metadata = plan.metadata
    for input in [input] + sound.flatMap(\.inputs) { writer.add(input) }
    guard writer.startWriting() else { throw writer.error ?? Failure("the output cannot be written") }
    writer.startSession(atSourceTime: plan.start)
    for copy in sound { try copy.start() }
  }

  func makeBuffer() throws -> CVPixelBuffer {
    guard let pool = adaptor.pixelBufferPool else { throw writer.error ?? Failure("the output cannot be written") }
    return try pool.makeBuffer()
  }

  /// Waits until the encoder has room. The picture is shown until the next one, or the end.
  func append(_ buffer: CVPixelBuffer, at time: CMTime) throws {
    for copy in sound { try copy.advance(to: time) }
    if let last { try encode(last.picture, at: last.time, until: time) }
    last = (buffer, time)
    frameCount += 1
  }

  private func encode(_ picture: CVPixelBuffer, at time: CMTime, until end: CMTime) throws {
    let timing = CMSampleTimingInfo(
      duration: end > time ? end - time : .invalid, presentationTimeStamp: time, decodeTimeStamp: .invalid)
    let sample = try CMSampleBuffer(
      imageBuffer: picture, formatDescription: try CMVideoFormatDescription(imageBuffer: picture), sampleTiming: timing)
    guard input.append(sample) else { throw writer.error ?? Failure("the picture cannot be encoded") }
  }

  func finish(at end: CMTime) async throws {
    if let last { try encode(last.picture, at: last.time, until: end) }
    last = nil
    for copy in sound { try copy.finish() }
    input.markAsFinished()
    writer.endSession(atSourceTime: end)
    await writer.finishWriting()
    guard writer.status == .completed else { throw writer.error ?? Failure("the output cannot be written") }
  }

  /// Why writing has ended by itself, if it has.
  var failure: (any Error)? { writer.status == .failed ? writer.error : nil }

  func cancel() { writer.cancelWriting() }
}
