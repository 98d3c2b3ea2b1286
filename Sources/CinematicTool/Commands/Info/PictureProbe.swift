import AVFoundation
import CoreMedia
import CoreVideo
import Foundation
import QuickTime
import VideoToolbox

/// Decodes the first picture of a track, to learn whether that works and whether the bitstream says the same as the sample entry.
struct PictureProbe {
  private(set) var warnings: [String] = []

  /// The most samples that are handed to the decoder before its first picture comes.
  private static let maximumSamples = 64

  init(_ asset: AVAsset, _ track: MovieTrack) {
    guard let found = asset.tracks.first(where: { $0.movieTrack === track }) else { return }
    do {
      try probe(asset, found)
    } catch let error as AVError where error.quickTimeError?.kind == .truncated {
      // The movie tells itself that samples are missing.
    } catch {
      warnings.append("The picture (track \(track.number)) cannot be decoded: \(Failure(describing: error).message)")
    }
  }

  private mutating func probe(_ asset: AVAsset, _ track: AVAssetTrack) throws {
    guard let format = track.formatDescriptions.first else { return }
    var options = PictureDecoderOptions()
    options.threads = 1
    let decoder = try PictureDecoderFactory.standard.makeDecoder(for: format, options: options)
    guard let picture = try Self.firstPicture(asset, track, decoder) else { return }
    let number = track.movieTrack.number
    warnings += decoder.colorConflicts.map { "Track \(number): \($0)" }
    let stated = CMVideoFormatDescriptionGetDimensions(format)
    let size = (CVPixelBufferGetWidth(picture), CVPixelBufferGetHeight(picture))
    if size != (Int(stated.width), Int(stated.height)) {
      warnings.append(
        "The sample entry of track \(number) says \(stated.width)x\(stated.height), the picture has \(size.0)x\(size.1)."
      )
    }
  }

  private static func firstPicture(
    _ asset: AVAsset, _ track: AVAssetTrack, _ decoder: any PictureDecoder
  ) throws -> CVPixelBuffer? {
    let reader = try AVAssetReader(asset: asset)
    let output = AVAssetReaderTrackOutput(track: track, outputSettings: nil)
    reader.add(output)
    guard reader.startReading() else { throw reader.error ?? Failure("the track cannot be read") }
    defer { reader.cancelReading() }
    for _ in 0..<maximumSamples {
      guard let sample = output.copyNextSampleBuffer() else { break }
      if let picture = try decoder.decode(sample).first { return picture.pixelBuffer }
    }
    if let error = reader.error { throw error }
    return try decoder.finish().first?.pixelBuffer
  }
}
