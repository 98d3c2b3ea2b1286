import AVFoundation
import CoreMedia
public import Foundation

/// Sends the stored frames of a movie's first picture track.
public enum Sender {
  /// - Returns: how many frames were sent.
  @discardableResult
  public static func send(_ movie: URL, to connection: Connection) throws -> Int {
    let asset = AVURLAsset(url: movie)
    guard let track = asset.tracks.first(where: { $0.mediaType == .video }) else {
      throw StreamError("\(movie.lastPathComponent) has no picture.")
    }
    let reader = try AVAssetReader(asset: asset)
    // No settings: samples as they are stored.
    let output = AVAssetReaderTrackOutput(track: track, outputSettings: nil)
    reader.add(output)
    guard reader.startReading() else { throw reader.error ?? StreamError("\(movie.lastPathComponent) cannot be read.") }
    var count = 0
    var format: StreamFormat?
    while let sample = output.copyNextSampleBuffer() {
      guard let data = CMSampleBufferGetDataBuffer(sample), let described = CMSampleBufferGetFormatDescription(sample)
      else { continue }
      let next = StreamFormat(described)
      if next != format { try connection.send(Message.format(next).bytes) }
      format = next
      try connection.send(message(sample, data).bytes)
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
