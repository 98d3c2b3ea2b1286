import AVFoundation
import CoreMedia
import CoreVideo
import Foundation
import QuickTime
import Testing

/// What `cup.json`, written by an independent program, says about `cup.mov`.
private struct CupTruth: Decodable {
  struct Track: Decodable {
    var id: Int32
    var handler: String
    var entry: String
    var width: Double
    var height: Double
    var matrix: [Double]
    var timescale: Int32
    var sample_count: Int
    var sync_samples: Int
    var bytes_of_samples: Int64
    var has_composition_offsets: Bool
    var shown: Int
    var first_shown: String
    var last_shown: String
  }

  struct Cinematic: Decodable { var frame_times: [String] }

  struct Block: Decodable {
    var index: Int
    var x: Int
    var y: Int
    var width: Int
    var height: Int
    var mean_code: Double
    var mean_disparity: Double
  }

  var tracks: [Track]
  var cinematic: Cinematic
  var disparity_blocks: [Block]

  static func load() throws -> CupTruth {
    try JSONDecoder().decode(CupTruth.self, from: Data(contentsOf: SharedMedia.url("cinematic/cup.json")))
  }

  static func time(_ text: String) throws -> CMTime {
    let parts = text.split(separator: "/").compactMap { Int64($0) }
    try #require(parts.count == 2)
    return CMTime(value: parts[0], timescale: Int32(parts[1]))
  }
}

@Suite(.enabled(if: SharedMedia.has("cinematic/cup.json"), "The folder ../shared/media is absent."))
struct CupTruthTests {
  private let asset = AVURLAsset(url: SharedMedia.url("cinematic/cup.mov"))
  private let truth: CupTruth

  init() throws { truth = try CupTruth.load() }

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

  @Test func tracksAreWhatTheTruthSays() throws {
    #expect(asset.tracks.count == truth.tracks.count)
    for (track, expected) in zip(asset.tracks, truth.tracks) {
      #expect(track.trackID == expected.id && track.mediaType.rawValue == expected.handler && track.isEnabled)
      #expect(track.naturalSize == CGSize(width: expected.width, height: expected.height))
      let transform = track.preferredTransform
      #expect(
        [transform.a, transform.b, transform.c, transform.d, transform.tx, transform.ty].map(Double.init)
          == expected.matrix)
      #expect(track.naturalTimeScale == expected.timescale)
      #expect(track.totalSampleDataLength == expected.bytes_of_samples)
      #expect(track.requiresFrameReordering == expected.has_composition_offsets)
      #expect(track.movieTrack.sampleDescriptions.map(\.type.description) == [expected.entry])
      let buffers = try storedSamples(of: track, in: asset)
      #expect(buffers.count == expected.sample_count)
      #expect(buffers.filter { $0.sampleAttachments.first?[.notSync] == nil }.count == expected.sync_samples)
      let shown = buffers.filter { $0.outputDuration > .zero }.map(\.outputPresentationTimeStamp).sorted()
      #expect(shown.count == expected.shown)
      #expect(
        try shown.first == CupTruth.time(expected.first_shown) && shown.last == CupTruth.time(expected.last_shown))
    }
  }

  @Test func frameTimesAreWhatTheTruthSays() throws {
    let times = try truth.cinematic.frame_times.map(CupTruth.time)
    for track in asset.tracks.prefix(2) {
      let size = track.naturalSize
      let found = try decodedFrames(of: track, in: asset, format: nil) { image in
        #expect(CVPixelBufferGetWidth(image) == Int(size.width) && CVPixelBufferGetHeight(image) == Int(size.height))
        let isPicture = track.mediaType == .video
        #expect(
          CVPixelBufferGetPixelFormatType(image)
            == (isPicture ? kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange : kCVPixelFormatType_DisparityFloat16))
      }
      #expect(found == times)
    }
  }

  @Test func disparitiesAreWhatTheTruthSays() throws {
    let track = try #require(asset.tracks(withMediaType: .auxiliaryPicture).first)
    try compare(track, kCVPixelFormatType_OneComponent10, tolerance: 1e-9, \.mean_code) {
      Double($0.load(fromByteOffset: $1 * 2, as: UInt16.self) >> 6)
    }
    // The truth averages doubles.
    try compare(track, kCVPixelFormatType_DisparityFloat32, tolerance: 1e-6, \.mean_disparity) {
      Double($0.load(fromByteOffset: $1 * 4, as: Float.self))
    }
    // Half precision has 11 bits.
    try compare(track, kCVPixelFormatType_DisparityFloat16, tolerance: 1e-3, \.mean_disparity) {
      Double($0.load(fromByteOffset: $1 * 2, as: Float16.self))
    }
  }

  private func compare(
    _ track: AVAssetTrack, _ format: OSType, tolerance: Double, _ expected: (CupTruth.Block) -> Double,
    _ value: (UnsafeMutableRawPointer, Int) -> Double
  ) throws {
    var index = 0
    var checked = 0
    _ = try decodedFrames(of: track, in: asset, format: format) { image in
      for block in truth.disparity_blocks where block.index == index {
        let mean = image.withPlane(0, readOnly: true) { base, pitch, _, _ in
          var sum = 0.0
          for row in block.y..<block.y + block.height {
            for column in block.x..<block.x + block.width { sum += value(base + row * pitch, column) }
          }
          return sum / Double(block.width * block.height)
        }
        #expect(abs(mean - expected(block)) <= tolerance * max(1, expected(block)))
        checked += 1
      }
      index += 1
    }
    #expect(checked == truth.disparity_blocks.count)
  }

  @Test func metadataGroupsHoldTheFiveKeys() throws {
    let reader = try AVAssetReader(asset: asset)
    let track = try #require(asset.tracks(withMediaType: .metadata).first)
    let output = AVAssetReaderTrackOutput(track: track, outputSettings: nil)
    let adaptor = AVAssetReaderOutputMetadataAdaptor(assetReaderTrackOutput: output)
    reader.add(output)
    #expect(reader.startReading())
    var count = 0
    while let group = adaptor.nextTimedMetadataGroup() {
      #expect(group.timeRange.start == CMTime(value: Int64(count), timescale: 30))
      #expect(
        group.items.map { $0.key ?? "" } == [
          "com.apple.quicktime.cinematic-video.cinematography", "com.apple.quicktime.cinematic-video.rendering",
          "com.apple.quicktime.cinematic-video.stabilization", "com.apple.quicktime.aperture-float",
          "com.apple.quicktime.disparity-float",
        ])
      #expect(group.items.last?.numberValue?.floatValue ?? 0 > 0)
      count += 1
    }
    #expect(count == 180 && adaptor.undecodableTimes.isEmpty && reader.status == .completed)
    #expect(track.associatedTracks(ofType: .metadataReferent).map(\.trackID) == [1])
  }
}
