import AVFoundation
import BokehCompute
import Cinematic
import Foundation

/// Writes rendered pictures, the copied sound and what the movie says about itself.
final class RenderWriter {
  private let job: RenderJob
  private let movie: EncodedMovie

  init(_ url: URL, _ job: RenderJob, sound: SoundCopy) async throws {
    self.job = job
    let size = job.shot.info.preferredSize
    let sides = (width: Int(size.width), height: Int(size.height))
    movie = try EncodedMovie(
      EncodedMovie.Plan(
        url: url,
        settings: job.options.encoding.settings(width: sides.width, height: sides.height, color: job.picture.color),
        pixelFormat: job.picture.destination, size: sides,
        timescale: try await job.shot.info.frameTimingTrack.load(.naturalTimeScale), start: job.range.start,
        sound: [sound], metadata: try await Self.metadata(of: job)))
  }

  /// The movie's own metadata without what would call the result Cinematic; nothing with `--strip`.
  private static func metadata(of job: RenderJob) async throws -> [AVMetadataItem] {
    guard !job.options.strips else { return [] }
    return try await job.shot.asset.load(.metadata).withoutCinematicKeys
  }

  func makeBuffer() throws -> CVPixelBuffer { try movie.makeBuffer() }

  /// Waits until the encoder has room.
  func append(_ buffer: CVPixelBuffer, at time: CMTime) throws { try movie.append(buffer, at: time) }

  func finish(at end: CMTime) async throws -> RenderReport {
    try await movie.finish(at: end)
    return RenderReport(
      frames: movie.frameCount, duration: end - job.range.start, size: job.shot.info.preferredSize,
      codec: job.options.encoding.codec, device: job.options.device.name, notes: job.notes)
  }

  /// Why writing has ended by itself, if it has.
  var failure: (any Error)? { movie.failure }

  func cancel() { movie.cancel() }
}
