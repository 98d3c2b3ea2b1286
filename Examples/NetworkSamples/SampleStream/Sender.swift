import AVFoundation
import CoreMedia
public import Foundation

/// Sends the stored frames of a movie's first picture track.
public struct Sender: Sendable {
  private let asset: AVURLAsset
  private let track: AVAssetTrack
  private let name: String

  /// Opens a movie. Throws a sentence for one that cannot be read, has no picture, or is not ProRes.
  public init(_ movie: URL) async throws {
    name = movie.lastPathComponent
    asset = AVURLAsset(url: movie)
    guard let track = try await asset.load(.tracks).first(where: { $0.mediaType == .video }) else {
      throw StreamError("\(name) has no picture; choose a movie with a picture track.")
    }
    let codecs = try await track.load(.formatDescriptions).map { CMFormatDescriptionGetMediaSubType($0) }
    if let other = codecs.first(where: { !Self.codecs.contains($0) }) {
      throw StreamError("\(name) is '\(fourCharacters(other))', which is not ProRes; choose a ProRes movie.")
    }
    self.track = track
  }

  private static let codecs: Set<CMVideoCodecType> = [
    kCMVideoCodecType_AppleProRes4444XQ, kCMVideoCodecType_AppleProRes4444, kCMVideoCodecType_AppleProRes422HQ,
    kCMVideoCodecType_AppleProRes422, kCMVideoCodecType_AppleProRes422LT, kCMVideoCodecType_AppleProRes422Proxy,
  ]

  /// - Returns: how many frames were sent.
  @discardableResult
  public func send(to connection: Connection) throws -> Int {
    let reader = try AVAssetReader(asset: asset)
    // No settings: samples as they are stored.
    let output = AVAssetReaderTrackOutput(track: track, outputSettings: nil)
    reader.add(output)
    guard reader.startReading() else { throw reader.error ?? StreamError("\(name) cannot be read; get it again.") }
    var count = 0
    var format: StreamFormat?
    while let sample = output.copyNextSampleBuffer() {
      guard let data = CMSampleBufferGetDataBuffer(sample), let described = CMSampleBufferGetFormatDescription(sample)
      else { continue }
      let next = StreamFormat(described)
      if next != format { try connection.send(Message.format(next).bytes) }
      format = next
      try connection.send(Self.message(sample, data).bytes)
      count += 1
    }
    if let error = reader.error { throw error }
    try connection.send(Message.end.bytes)
    return count
  }

  private static func message(_ sample: CMSampleBuffer, _ data: CMBlockBuffer) throws -> Message {
    .sample(
      StreamSample(
        time: CMSampleBufferGetPresentationTimeStamp(sample), duration: CMSampleBufferGetDuration(sample),
        bytes: try data.dataBytes()))
  }
}
