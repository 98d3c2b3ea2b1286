package import QuickTime

/// The tracks that make a movie Cinematic. Only enabled ones count.
///
///     picture  vide  ──auxl──  disparity  auxv dish
///        └──────cdsc──────  metadata  meta mebx, one or several
package struct CinematicTracks: Sendable {
  /// What can be done with a movie's focus.
  package enum Capability: String, Sendable {
    case none
    case renderable
    /// The focus was recorded, but the disparity has to be computed first.
    case needsPreprocessing
  }

  package let movie: Movie
  package let picture: MovieTrack?
  package let disparity: MovieTrack?
  package let metadata: MetadataTimeline
  /// Whether any metadata sample holds something, decodable or not.
  package let hasMetadataContent: Bool

  /// The first of picture and disparity that is there and shows nothing.
  private let frameless: String?

  /// Finds the tracks; reads metadata samples until one holds something.
  package init(_ movie: Movie) {
    self.movie = movie
    let timeline = MetadataTimeline(movie)
    metadata = timeline
    hasMetadataContent = timeline.entries.contains { entry in
      let metadata = timeline.metadata(entry)
      return !metadata.isEmpty || !metadata.problems.isEmpty
    }
    let pictures = movie.tracks.filter { $0.isEnabled && $0.handler == "vide" }
    let disparity = Self.disparity(movie, pictures)
    self.disparity = disparity
    let picture = Self.picture(pictures, disparity, timeline.tracks)
    self.picture = picture
    let tracks = [(picture, "picture track (vide)"), (disparity, "disparity track (auxv)")]
    frameless = tracks.first { track, _ in track.map { $0.timeline.shownCount == 0 } ?? false }?.1
  }

  /// A track that a reference joins to a picture, rather with a `dish` entry than without; else the first with a `dish` entry.
  private static func disparity(_ movie: Movie, _ pictures: [MovieTrack]) -> MovieTrack? {
    let auxiliary = movie.tracks.filter { $0.isEnabled && $0.handler == "auxv" }
    let isDisparity = { (track: MovieTrack) in track.sampleDescriptions.first?.type == "dish" }
    let joined = auxiliary.filter { track in pictures.contains { $0.isJoined(to: track) } }
    return joined.first(where: isDisparity) ?? auxiliary.first(where: isDisparity) ?? joined.first
  }

  /// The picture that a reference joins to the disparity, else the one that metadata describes, else the first.
  private static func picture(
    _ pictures: [MovieTrack], _ disparity: MovieTrack?, _ metadata: [MovieTrack]
  ) -> MovieTrack? {
    let joined = disparity.flatMap { track in pictures.first { $0.isJoined(to: track) } }
    return joined ?? pictures.first { track in metadata.contains { track.isJoined(to: $0) } } ?? pictures.first
  }

  /// All of them, in the order picture, disparity, metadata.
  package var all: [MovieTrack] { [picture, disparity].compactMap { $0 } + metadata.tracks }

  package var capability: Capability {
    guard picture != nil, hasMetadataContent, frameless == nil else { return .none }
    return disparity == nil ? .needsPreprocessing : .renderable
  }

  /// Why the movie has no capability; nil where it has one.
  package var objection: CNCinematicError? {
    if let track = metadata.tooLong { return RecordedScript.tooLong(track) }
    guard capability == .none else { return nil }
    let remedy = "get the original (on the phone: Share, Options, “All Photos Data”)."
    if picture == nil { return CNCinematicError(.incomplete, "The movie has no picture track (vide); \(remedy)") }
    if let frameless, hasMetadataContent {
      return CNCinematicError(.incomplete, "The \(frameless) of the movie shows no frames; \(remedy)")
    }
    guard !metadata.tracks.isEmpty || disparity != nil else {
      return CNCinematicError(
        .incomplete,
        "The movie has neither a disparity track (auxv, dish) nor Cinematic metadata (meta, mebx): it was not shot in "
          + "Cinematic mode, or is a rendered copy; \(remedy)")
    }
    if disparity != nil {
      return CNCinematicError(
        .incomplete, "The movie has no Cinematic metadata track (meta, mebx) with content; \(remedy)")
    }
    return CNCinematicError(
      .incomplete,
      "The movie was flattened when it was shared: the disparity track (auxv, dish) is missing and the Cinematic metadata "
        + "is empty; \(remedy)")
  }
}

extension CinematicTracks {
  /// The range of movie time in which all of picture, disparity and metadata are shown; nil without a picture or where it is empty.
  package var timeRange: Range<RationalTime>? {
    guard let picture else { return nil }
    var start = picture.shownRange.lowerBound, end = picture.shownRange.upperBound
    for range in [disparity?.shownRange, metadataRange].compactMap({ $0 }) {
      start = max(start, range.lowerBound)
      end = min(end, range.upperBound)
    }
    return start < end ? start..<end : nil
  }

  /// From where the first metadata track starts to where the last ends.
  private var metadataRange: Range<RationalTime>? {
    let ranges = metadata.tracks.map(\.shownRange)
    guard let start = ranges.map(\.lowerBound).min(), let end = ranges.map(\.upperBound).max() else { return nil }
    return start..<end
  }
}

extension MovieTrack {
  /// Whether either of the two refers to the other.
  fileprivate func isJoined(to other: MovieTrack) -> Bool {
    trackReferences.contains { $0.trackIDs.contains(other.id) }
      || other.trackReferences.contains { $0.trackIDs.contains(id) }
  }

  /// From the first edit that shows something to the end of the last.
  fileprivate var shownRange: Range<RationalTime> {
    let first = timeline.segments.first { $0.mediaTime != nil }
    let start = first.map { RationalTime($0.start, timeline.movieTimescale) } ?? .zero
    return start..<max(start, timeline.end)
  }
}

extension CNCinematicError {
  /// What keeps a movie from being opened, in terms of this stage.
  package init(_ error: QuickTimeError) {
    self.init(error.kind == .unsupported ? .unsupported : .unreadable, error.message)
  }
}

extension CinematicTracks {
  /// How the disparity track codes disparities: nil without the box `disc`, then (0, 16) holds.
  ///
  /// Throws `.malformed` for an impossible range, and for a box that is too short.
  package func storedDisparityCoding() throws(CNCinematicError) -> DisparityCoding? {
    guard let disparity, let payload = disparity.sampleDescriptions.first?.child("disc") else { return nil }
    do throws(QuickTimeError) {
      return try DisparityCoding(payload: payload)
    } catch {
      throw CNCinematicError(
        .malformed, "The disparity coding (disc) of track \(disparity.number) cannot be used: \(error.message)")
    }
  }
}
