import AVFoundation
import CoreMedia
import CoreVideo
import Foundation
import Testing

/// The times of all decoded frames of a track.
func decodedFrames(
  of track: AVAssetTrack, in asset: AVAsset, format: OSType?, range: CMTimeRange? = nil,
  _ body: (CVPixelBuffer) throws -> Void
) throws -> [CMTime] {
  let reader = try AVAssetReader(asset: asset)
  if let range { reader.timeRange = range }
  let settings: [String: Any] =
    format.map { [kCVPixelBufferPixelFormatTypeKey: $0] } ?? [AVVideoAllowWideColorKey: true]
  let output = AVAssetReaderTrackOutput(track: track, outputSettings: settings)
  #expect(reader.canAdd(output))
  reader.add(output)
  #expect(reader.startReading(), "\(reader.error.debugDescription)")
  var times: [CMTime] = []
  while let buffer = output.copyNextSampleBuffer() {
    times.append(buffer.presentationTimeStamp)
    try body(try #require(buffer.imageBuffer))
  }
  #expect(reader.status == .completed, "\(reader.error.debugDescription)")
  return times
}

/// All stored samples of a track.
func storedSamples(of track: AVAssetTrack, in asset: AVAsset) throws -> [CMSampleBuffer] {
  let reader = try AVAssetReader(asset: asset)
  let output = AVAssetReaderTrackOutput(track: track, outputSettings: nil)
  #expect(reader.canAdd(output))
  reader.add(output)
  #expect(reader.startReading())
  var buffers: [CMSampleBuffer] = []
  while let buffer = output.copyNextSampleBuffer() { buffers.append(buffer) }
  #expect(reader.status == .completed, "\(reader.error.debugDescription)")
  return buffers
}
