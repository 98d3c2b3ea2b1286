import AVFoundation
import BokehCompute
import Cinematic
import Foundation

/// Writes rendered pictures, the copied sound and what the movie says about itself.
final class RenderWriter {
  private let job: RenderJob
  private let writer: AVAssetWriter
  private let input: AVAssetWriterInput
  private let adaptor: AVAssetWriterInputPixelBufferAdaptor
  private let sound: SoundCopy
  private var frames = 0

  init(_ url: URL, _ job: RenderJob, sound: SoundCopy) async throws {
    self.job = job
    self.sound = sound
    writer = try AVAssetWriter(outputURL: url, fileType: OutputFormat.isMPEG4(url.path) ? .mp4 : .mov)
    input = AVAssetWriterInput(mediaType: .video, outputSettings: Self.settings(job))
    input.mediaTimeScale = try await job.shot.info.frameTimingTrack.load(.naturalTimeScale)
    let size = job.shot.info.preferredSize
    adaptor = AVAssetWriterInputPixelBufferAdaptor(
      assetWriterInput: input,
      sourcePixelBufferAttributes: [
        kCVPixelBufferPixelFormatTypeKey: job.picture.destination, kCVPixelBufferWidthKey: Int(size.width),
        kCVPixelBufferHeightKey: Int(size.height),
      ])
    writer.metadata = try await Self.metadata(of: job)
    for input in [input] + sound.inputs { writer.add(input) }
    guard writer.startWriting() else { throw writer.error ?? Failure("the output cannot be written") }
    writer.startSession(atSourceTime: job.range.start)
    try sound.start()
  }

  private static func settings(_ job: RenderJob) -> [String: Any] {
    let size = job.shot.info.preferredSize
    var settings: [String: Any] = [
      AVVideoCodecKey: job.options.codec.type, AVVideoWidthKey: Int(size.width), AVVideoHeightKey: Int(size.height),
      AVVideoColorPropertiesKey: job.picture.color,
    ]
    guard !job.options.codec.isProRes else { return settings }
    var compression: [String: Any] = [:]
    switch job.options.rate ?? .constantQuality(20) {
    case .constantQuality(let factor): compression[AVVideoConstantRateFactorKey] = factor
    case .bitrate(let rate): compression[AVVideoAverageBitRateKey] = rate
    }
    if let preset = job.options.preset { compression[AVVideoEncoderPresetKey] = preset }
    settings[AVVideoCompressionPropertiesKey] = compression
    return settings
  }

  /// The movie's own metadata without what would call the result Cinematic; nothing with `--strip`.
  private static func metadata(of job: RenderJob) async throws -> [AVMetadataItem] {
    guard !job.options.strips else { return [] }
    return try await job.shot.asset.load(.metadata).withoutCinematicKeys
  }

  func makeBuffer() throws -> CVPixelBuffer {
    guard let pool = adaptor.pixelBufferPool else { throw writer.error ?? Failure("the output cannot be written") }
    return try pool.makeBuffer()
  }

  /// Waits until the encoder has room.
  func append(_ buffer: CVPixelBuffer, at time: CMTime) throws {
    try sound.advance(to: time)
    guard adaptor.append(buffer, withPresentationTime: time) else {
      throw writer.error ?? Failure("the picture cannot be encoded")
    }
    frames += 1
  }

  func finish(at end: CMTime) async throws -> RenderReport {
    try sound.finish()
    input.markAsFinished()
    writer.endSession(atSourceTime: end)
    await writer.finishWriting()
    guard writer.status == .completed else { throw writer.error ?? Failure("the output cannot be written") }
    return RenderReport(
      frames: frames, duration: end - job.range.start, size: job.shot.info.preferredSize, codec: job.options.codec,
      device: job.options.device.name, notes: job.notes)
  }

  /// Why writing has ended by itself, if it has.
  var failure: (any Error)? { writer.status == .failed ? writer.error : nil }

  func cancel() { writer.cancelWriting() }
}
