import CoreVideo
import Foundation
import ProRes
import ProResClips
import QuickTime
import Testing

/// Clips of the standard's own encoder, which lie beside the checkout; absent elsewhere.
@Suite struct RealClipTests {
  private static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["OPENCINEMATIC_SHARED"] {
      return URL(fileURLWithPath: path).appendingPathComponent("media/prores")
    }
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    return root.appendingPathComponent("../shared/media/prores").standardizedFileURL
  }()

  private static var areThere: Bool { FileManager.default.fileExists(atPath: folder.path) }

  @Test(
    .enabled(if: areThere, "../shared/media/prores is not there"),
    arguments: zip(["422-proxy", "422-lt", "422", "422-hq"], [ProResClip.Profile.proxy, .lt, .standard, .hq]))
  func isWithinACodeOfLibavcodec(name: String, profile: ProResClip.Profile) throws {
    let movie = try Movie.open(Self.folder.appendingPathComponent("apple-prores-\(name).mov"))
    let track = try #require(
      movie.tracks.first { ProResDecoder.codecs.contains($0.sampleDescriptions[0].type.rawValue) })
    let library = try LibraryDecoder(ProResClip.Settings(profile, Int(track.width), Int(track.height)))
    #expect(track.samples.count > 0)
    for index in 0..<track.samples.count {
      let sample = [UInt8](try movie.data(of: track.samples[index], in: track))
      try library.decode(sample)
      let (planes, report) = try decodePlanes(sample, depth: library.depth)
      #expect(report.isSound)
      for (ours, theirs) in zip(planes, library.planes) {
        #expect(ours.count == theirs.samples.count)
        // libavcodec cuts codes off at 4 and 1019.
        let differences = zip(ours, theirs.samples).map { one, other in
          let cut = Int(min(max(one, 4), 1019))
          return abs(cut - Int(other))
        }
        #expect(differences.max() ?? 0 <= 1)
      }
    }
  }
}
