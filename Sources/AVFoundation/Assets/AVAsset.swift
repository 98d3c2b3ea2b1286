public import Foundation
package import QuickTime

/// A movie: tracks with one timeline, and metadata.
///
/// Nothing is read until a property is asked for. The `load` forms read on another thread; the plain properties block the caller until the
/// head of the file has been read and, where it cannot be, give an empty value: use `load` to learn why. Safe to use from any thread.
open class AVAsset: NSObject, AVAsynchronousKeyValueLoading, @unchecked Sendable {
  final let opening: MovieOpening

  /// A movie in a QuickTime or MPEG-4 file.
  public convenience init(url: URL) { self.init(opening: MovieOpening { try FileSource(url) }) }

  /// A movie whose bytes come from anywhere, such as memory.
  package convenience init(source: any ByteSource) { self.init(opening: MovieOpening { source }) }

  init(opening: MovieOpening) { self.opening = opening }

  /// The container as it was read. Blocks; throws `AVError`.
  package final func openedMovie() throws -> Movie { try opening.content().movie }

  /// All tracks in the order of the file. Blocks; throws `AVError`.
  final func openedTracks() throws -> [AVAssetTrack] {
    let content = try opening.content()
    return content.tracks { AVAssetTrack(asset: self, movie: content.movie, track: $0) }
  }

  public final func loadingState() -> AVLoadingState { opening.state }
}

/// A movie at a URL.
open class AVURLAsset: AVAsset, @unchecked Sendable {
  /// Where the movie lies.
  public final let url: URL

  /// `options` are accepted for the sake of ported code; durations and times are always exact.
  public init(url: URL, options: [String: Any]? = nil) {
    self.url = url
    super.init(opening: MovieOpening { try FileSource(url) })
  }
}

/// Key of an asset's options; exact durations and times are always provided.
public let AVURLAssetPreferPreciseDurationAndTimingKey = "AVURLAssetPreferPreciseDurationAndTimingKey"

/// Opens a movie once, when it is first needed, and keeps the outcome.
final class MovieOpening: @unchecked Sendable {
  /// An opened movie and the tracks made for it.
  final class Content: @unchecked Sendable {
    let movie: Movie
    private let lock = NSLock()
    private var made: [AVAssetTrack]?

    init(_ movie: Movie) { self.movie = movie }

    func tracks(_ make: (MovieTrack) -> AVAssetTrack) -> [AVAssetTrack] {
      lock.withLock {
        if let made { return made }
        let tracks = movie.tracks.map(make)
        made = tracks
        return tracks
      }
    }
  }

  private let lock = NSLock()
  private let source: () throws -> any ByteSource
  private var outcome: Result<Content, any Error>?

  init(_ source: @escaping () throws -> any ByteSource) { self.source = source }

  /// Blocks while the head of the file is read the first time. Throws `AVError`.
  func content() throws -> Content {
    try lock.withLock {
      let result = outcome ?? Result { Content(try Movie.open(try source())) }.mapError { AVError(wrapping: $0) }
      outcome = result
      return try result.get()
    }
  }

  var state: AVLoadingState {
    lock.withLock {
      switch outcome {
      case nil: .notYetLoaded
      case .success: .loaded
      case .failure(let error): .failed(error)
      }
    }
  }
}
