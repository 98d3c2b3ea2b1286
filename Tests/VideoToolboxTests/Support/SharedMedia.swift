import AVFoundation
import CoreMedia
import Foundation
import Testing

/// Material beside the checkout that is not part of the project.
enum SharedMedia {
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["OPENCINEMATIC_SHARED"] { return URL(fileURLWithPath: path) }
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return package.deletingLastPathComponent().appendingPathComponent("shared")
  }()

  static func url(_ path: String) -> URL { folder.appendingPathComponent("media").appendingPathComponent(path) }
  static func has(_ path: String) -> Bool { FileManager.default.fileExists(atPath: url(path).path) }
  static let missing: Comment = "The folder ../shared/media is absent."

  /// The stored samples of a movie's first picture track, in decode order.
  static func samples(_ path: String) throws -> [CMSampleBuffer] { try samples(at: url(path)) }
  static func samples(at url: URL) throws -> [CMSampleBuffer] { try read(url, settings: nil) }

  /// The pictures of a movie's first picture track as a reader decodes them.
  static func pictures(_ path: String, _ format: OSType) throws -> [CMSampleBuffer] {
    try pictures(at: url(path), format)
  }
  static func pictures(at url: URL, _ format: OSType) throws -> [CMSampleBuffer] {
    try read(url, settings: [kCVPixelBufferPixelFormatTypeKey: format])
  }

  private static func read(_ url: URL, settings: [String: Any]?) throws -> [CMSampleBuffer] {
    let asset = AVURLAsset(url: url)
    let track = try #require(asset.tracks.first { $0.mediaType == .video })
    let reader = try AVAssetReader(asset: asset)
    let output = AVAssetReaderTrackOutput(track: track, outputSettings: settings)
    reader.add(output)
    #expect(reader.startReading(), "\(reader.error.debugDescription)")
    var samples: [CMSampleBuffer] = []
    while let sample = output.copyNextSampleBuffer() { samples.append(sample) }
    #expect(reader.status == .completed, "\(reader.error.debugDescription)")
    return samples
  }
}
