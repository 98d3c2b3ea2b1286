import AVFoundation
import CoreGeometry
import CoreMedia
import Foundation
import QuickTime
import Testing

@Suite(.enabled(if: SharedMedia.has("cinematic/cup.mov"), "The folder ../shared/media is absent."))
struct PassThroughTests {
  @Test(arguments: [
    "cinematic/cup.mov", "bugs/tc.mov", "bugs/multistsd.mov", "bugs/multistsd_rev.mov", "bugs/hlg.mov",
    "prores/apple-prores-422-lt.mov", "phone/hevc-alpha.mov",
  ])
  func copyHasTheSameSamples(name: String) async throws {
    let folder = try TemporaryFolder()
    let source = AVURLAsset(url: SharedMedia.url(name))
    let url = folder.file("copy.mov")
    try await copy(source, to: url)
    #expect(folder.names == ["copy.mov"])
    let result = AVURLAsset(url: url)
    #expect(isClose(result.duration, source.duration))
    #expect(result.tracks.count == source.tracks.count)
    for (a, b) in zip(source.tracks, result.tracks) {
      #expect(a.mediaType == b.mediaType && a.naturalSize == b.naturalSize && a.naturalTimeScale == b.naturalTimeScale)
      #expect(a.preferredTransform == b.preferredTransform)
      #expect(a.timeRange.start == b.timeRange.start && isClose(a.timeRange.end, b.timeRange.end))
      #expect(a.movieTrack.sampleDescriptions.map(\.data) == b.movieTrack.sampleDescriptions.map(\.data))
      let (stored, copied) = (try storedSamples(of: a, in: source), try storedSamples(of: b, in: result))
      #expect(try stored.map(StoredSampleFacts.init) == copied.map(StoredSampleFacts.init))
    }
    #expect(source.metadata.map(\.identifier) == result.metadata.map(\.identifier))
    #expect(source.metadata.map(\.dataValue) == result.metadata.map(\.dataValue))
  }

  /// Equal within a unit of the coarser movie's time scale: the edits of tc.mov are longer than its media by a part of one.
  private func isClose(_ a: CMTime, _ b: CMTime) -> Bool {
    let unit = CMTime(value: 1, timescale: min(a.timescale, b.timescale))
    return CMTimeAbsoluteValue(a - b) <= unit
  }
}
