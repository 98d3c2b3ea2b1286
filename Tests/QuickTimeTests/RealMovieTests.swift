import Foundation
import QuickTime
import Testing

@Suite(.enabled(if: SharedMedia.isThere, "the shared media folder is absent"))
struct RealMovieTests {
  /// What an independent program says about `cup.mov`.
  private struct Truth: Decodable {
    struct Movie: Decodable {
      let timescale: Int32
      let duration: Int64
    }

    struct Track: Decodable {
      let number: Int
      let id: UInt32
      let handler: String
      let entry: String
      let enabled: Bool
      let width: Double
      let height: Double
      let matrix: [Double]
      let timescale: Int32
      let sample_count: Int
      let media_duration: Int64
      let duration_in_movie_units: Int64
      let edits: [[Int64]]
      let has_composition_offsets: Bool
      let sync_samples: Int
      let bytes_of_samples: Int64
      let shown: Int
      let first_shown: String
      let last_shown: String
    }

    let movie: Movie
    let tracks: [Track]
  }

  @Test func agreesWithTheTruthAboutTheCup() throws {
    let truth = try JSONDecoder().decode(Truth.self, from: Data(contentsOf: SharedMedia.url("cinematic/cup.json")))
    let movie = try Movie.open(SharedMedia.url("cinematic/cup.mov"))
    #expect(movie.warnings == [])
    #expect(movie.brand == "qt  ")
    #expect(movie.timescale == truth.movie.timescale && movie.duration == truth.movie.duration)
    #expect(movie.tracks.count == truth.tracks.count)
    for (track, truth) in zip(movie.tracks, truth.tracks) { expect(track, truth) }
  }

  private func expect(_ track: MovieTrack, _ truth: Truth.Track) {
    #expect(track.number == truth.number && track.id == truth.id)
    #expect(track.handler.description == truth.handler)
    #expect(track.sampleDescriptions.map(\.type.description) == [truth.entry])
    #expect(track.isEnabled == truth.enabled)
    #expect(track.width == truth.width && track.height == truth.height)
    let matrix = track.matrix
    #expect([matrix.a, matrix.b, matrix.c, matrix.d, matrix.x, matrix.y] == truth.matrix)
    #expect(track.timescale == truth.timescale && track.mediaDuration == truth.media_duration)
    #expect(track.duration == truth.duration_in_movie_units)
    #expect(track.edits.map { [$0.segmentDuration, $0.mediaTime] } == truth.edits)
    #expect(track.samples.count == truth.sample_count)
    #expect(track.samples.hasCompositionOffsets == truth.has_composition_offsets)
    #expect(track.samples.syncSampleCount == truth.sync_samples)
    #expect(track.samples.totalBytes == truth.bytes_of_samples)
    #expect(track.timeline.shownCount == truth.shown)
    #expect(text(track.timeline.shownSamples.first?.time) == truth.first_shown)
    #expect(text(track.timeline.shownSamples.last?.time) == truth.last_shown)
  }

  private func text(_ time: RationalTime?) -> String? { time.map { "\($0.numerator)/\($0.denominator)" } }

  @Test func readsTheMetadataOfTheCup() throws {
    let movie = try Movie.open(SharedMedia.url("cinematic/cup.mov"))
    let keys = movie.metadata.map(\.key)
    #expect(keys.contains("com.apple.quicktime.cinematic-video"))
    #expect(movie.metadata.allSatisfy { $0.space == .quickTimeMetadata && $0.namespace == "mdta" && !$0.value.isEmpty })
    let track = movie.tracks[1]
    #expect(track.references["auxl"] == [1])
    #expect(track.sampleDescriptions[0].child("disc")?.count == 13)
    #expect(movie.tracks[3].references == ["cdsc": [1]])
  }

  @Test(arguments: SharedMedia.movies) func opensAndReadsEverySample(_ path: String) throws {
    let movie = try Movie.open(SharedMedia.url(path))
    #expect(movie.warnings == [])
    #expect(!movie.tracks.isEmpty)
    for track in movie.tracks {
      for index in 0..<track.samples.count {
        let sample = track.samples[index]
        #expect(try movie.data(of: sample, in: track).count == sample.size)
      }
      #expect(track.timeline.shownCount > 0)
    }
  }
}
