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
