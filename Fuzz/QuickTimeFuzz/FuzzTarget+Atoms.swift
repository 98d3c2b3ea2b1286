import CoreMedia
import Foundation
import QuickTime

extension FuzzTarget {
  /// Whole movies: opened, looked at, rewritten.
  public static let atoms = FuzzTarget(
    name: "atoms",
    seeds: {
      [
        try SmallMovie.data(), try SmallMovie.data(.init(moovFirst: true)), try SmallMovie.data(.init(brand: "mp42")),
        try SmallMovie.fragmented(),
      ]
    },
    run: { data in
      guard let movie = try? Movie.open(DataSource(data)) else { return }
      look(at: movie)
      rewrite(movie, data)
    })

  /// Asks everything a movie can be asked, of at most this many samples a track.
  private static let samplesLookedAt = 64

  private static func look(at movie: Movie) {
    for item in movie.metadata { _ = (item.string, item.integer, item.number) }
    for track in movie.tracks {
      for description in track.sampleDescriptions { look(at: description) }
      let samples = track.samples
      for index in some(samples.count) { look(at: index, of: track, in: movie) }
      let times = [.min, -1, 0, 1, samples.totalDuration, .max] as [Int64]
      for time in times { _ = (samples.index(atDecodeTime: time), samples.index(atPresentationTime: time)) }
      look(at: track.timeline)
    }
  }

  /// The first, the last and some between.
  private static func some(_ count: Int) -> [Int] {
    guard count > samplesLookedAt else { return Array(0..<count) }
    return (0..<samplesLookedAt).map { $0 * (count / samplesLookedAt) } + [count - 1]
  }

  private static func look(at index: Int, of track: MovieTrack, in movie: Movie) {
    let sample = track.samples[index]
    expect(sample.index == index && sample.size >= 0 && sample.offset >= 0, "a sample is somewhere")
    expect(sample.descriptionIndex < track.sampleDescriptions.count, "a sample has a description")
    expect(sample.presentationTime == track.samples.presentationTime(index), "both ways give one time")
    if let sync = track.samples.syncSample(atOrBefore: index) {
      expect(track.samples.isSync(sync), "a sync sample is one")
    }
    let order = track.samples.presentationOrder
    expect(order[order.position(of: index)] == index, "a sample has a place in presentation order")
    _ = (track.decodingStarts.isPartialSync(index), track.decodingStarts.rollDistance(at: index))
    _ = track.samples.hasSample(before: index, shownAfter: sample.presentationTime)
    _ = track.samples.hasSample(after: index, shownBefore: sample.presentationTime)
    if let data = try? movie.data(of: sample, in: track) { expect(data.count == sample.size, "all bytes are there") }
  }

  private static func look(at description: SampleDescription) {
    _ = try? description.child("colr", as: ColourAtom.self)
    _ = try? description.child("clap", as: CleanApertureAtom.self)
    _ = try? description.child("esds", as: ElementaryStreamAtom.self)
    _ = try? description.child("chan", as: ChannelLayoutAtom.self)
    if let keys = description.child("keys") { _ = try? MetadataKeyTable(payload: keys) }
    _ = description.uncompressedFrameBytes
  }

  private static func look(at timeline: EditTimeline) {
    var last: RationalTime?
    for position in some(timeline.shownCount) {
      let shown = timeline.shown(position)
      _ = (timeline.presentationTime(shown), timeline.duration(shown))
      expect(last.map { $0 <= shown.time } ?? true, "samples are shown in order")
      last = shown.time
    }
    for seconds in [-1e18, -1, 0, 0.1, 1e18] as [Double] {
      let time = CMTime(seconds: seconds, preferredTimescale: 600)
      _ = (timeline.mediaTime(forMovie: time), timeline.movieTime(forMedia: time))
    }
    _ = timeline.timeRange
  }

  /// Without changes a movie stays byte for byte; with changes a sound one can still be opened.
  private static func rewrite(_ movie: Movie, _ data: Data) {
    guard let folder = try? TemporaryFolder() else { return }
    let same = folder.file("same.mov")
    // An index that goes to the end of the file gets its true size.
    let isSized = movie.layout.first("moov")?.statedByteCount != nil
    if (try? MovieRewriter.rewrite(movie, to: same, .init())) != nil, isSized {
      expect((try? Data(contentsOf: same)) == data, "without changes nothing changes")
    }
    var changes = MovieRewriter.Changes()
    changes.metadata = SmallMovie.metadata
    if let id = movie.tracks.last?.id { changes.removedTracks = [id] }
    if let id = movie.tracks.first?.id { changes.edits = [id: [Edit(segmentDuration: 10, mediaTime: 0)]] }
    let other = folder.file("other.mov")
    if (try? MovieRewriter.rewrite(movie, to: other, changes)) != nil, isSound(movie) {
      let opened = Result { try Movie.open(other) }
      if case .failure(let error) = opened { fatalError("broken promise: a rewritten movie opens, but \(error)") }
    }
  }

  /// Whether nothing is odd and all samples lie in media atoms; those in an index would move away with it.
  private static func isSound(_ movie: Movie) -> Bool {
    let media = movie.boxes.filter { $0.type == "mdat" }
    return movie.warnings.isEmpty
      && movie.tracks.allSatisfy { track in
        track.samples.count <= samplesLookedAt
          && (0..<track.samples.count).map { track.samples[$0] }.allSatisfy { sample in
            media.contains { $0.offset <= sample.offset && sample.offset + Int64(sample.size) <= $0.end }
          }
      }
  }
}
