public import Foundation
package import QuickTime

/// One track of an asset: samples of one kind of media, and when each is shown.
///
/// A track comes from an opened asset, so that its plain properties do not block; the `load` forms are offered for ported code.
open class AVAssetTrack: NSObject, AVAsynchronousKeyValueLoading, @unchecked Sendable {
  /// The asset that the track belongs to; nil once nobody else holds it.
  public final private(set) weak var asset: AVAsset?
  /// The track in the container.
  package final let movieTrack: MovieTrack
  /// Keeps the samples readable as long as the track is held.
  final let movie: Movie
  /// The edits as exact stretches.
  final let timeline: TrackTimeline
  private let formats = NSLock()
  private var madeFormats: [CMFormatDescription]?

  init(asset: AVAsset, movie: Movie, track: MovieTrack) {
    self.asset = asset
    self.movie = movie
    movieTrack = track
    timeline = TrackTimeline(track)
  }

  public final func loadingState() -> AVLoadingState { .loaded }

  /// One description for each sample entry, in the order of the file; they carry the entry verbatim.
  public final var formatDescriptions: [CMFormatDescription] {
    formats.withLock {
      if let madeFormats { return madeFormats }
      let made = movieTrack.sampleDescriptions.map { $0.formatDescription(handler: movieTrack.handler) }
      madeFormats = made
      return made
    }
  }
}
