import AVFoundation
import CoreMedia
import Foundation
import Testing

@Suite(.enabled(if: SharedMedia.has("cinematic/cup.mov"), "The folder ../shared/media is absent."))
struct CupReadingTests {
  let asset = AVURLAsset(url: SharedMedia.url("cinematic/cup.mov"))

  @Test func tracksAreListed() async throws {
    let tracks = try await asset.load(.tracks)
    #expect(tracks.map(\.trackID) == [1, 2, 3, 4])
    #expect(tracks.map(\.mediaType) == [.video, .auxiliaryPicture, .audio, .metadata])
    #expect(tracks.map(\.naturalTimeScale) == [600, 600, 44100, 600])
    let (duration, metadata) = try await asset.load(.duration, .metadata)
    #expect(duration == CMTime(value: 6, timescale: 1))
    #expect(metadata.contains { $0.identifier?.rawValue == "mdta/com.apple.quicktime.cinematic-video" })
    for track in tracks { #expect(track.timeRange == CMTimeRange(start: .zero, duration: duration)) }
  }

  @Test(arguments: [1, 2, 4] as [CMPersistentTrackID])
  func storedSamplesHaveExactTimes(trackID: CMPersistentTrackID) async throws {
    let track = try #require(try await asset.loadTrack(withTrackID: trackID))
    let buffers = try storedSamples(of: track, in: asset)
    #expect(buffers.count == 180)
    let times = buffers.map(\.presentationTimeStamp).sorted()
    for (index, time) in times.enumerated() { #expect(time == CMTime(value: Int64(index), timescale: 30)) }
    #expect(buffers.allSatisfy { $0.duration == CMTime(value: 1, timescale: 30) })
  }

  @Test func picturesAreDecodedInOrder() async throws {
    let track = try #require(try await asset.loadTracks(withMediaType: .video).first)
    let times = try decodedFrames(of: track, in: asset, format: nil) { image in
      #expect(CVPixelBufferGetWidth(image) == 1280 && CVPixelBufferGetHeight(image) == 720)
      #expect(CVPixelBufferGetPixelFormatType(image) == kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange)
    }
    #expect(times == (0..<180).map { CMTime(value: $0, timescale: 30) })
  }

  @Test(arguments: [
    kCVPixelFormatType_DisparityFloat16, kCVPixelFormatType_DisparityFloat32, kCVPixelFormatType_OneComponent10,
  ])
  func disparitiesAreDecoded(format: OSType) async throws {
    let track = try #require(try await asset.loadTracks(withMediaType: .auxiliaryPicture).first)
    let times = try decodedFrames(of: track, in: asset, format: format) { image in
      #expect(CVPixelBufferGetWidth(image) == 512 && CVPixelBufferGetHeight(image) == 288)
      #expect(CVPixelBufferGetPixelFormatType(image) == format)
    }
    #expect(times == (0..<180).map { CMTime(value: $0, timescale: 30) })
  }
}

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
