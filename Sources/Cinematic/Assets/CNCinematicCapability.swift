/// What can be done with the focus of a movie.
public enum CNCinematicCapability: Int, Sendable, Hashable {
  /// It is not a Cinematic movie, or lacks what is needed.
  case none = 0
  case renderable = 1
  /// The focus was recorded; the disparity has to be computed before the movie can be rendered.
  case needsPreprocessing = 2

  init(_ capability: CinematicTracks.Capability) {
    self =
      switch capability {
      case .none: .none
      case .renderable: .renderable
      case .needsPreprocessing: .needsPreprocessing
      }
  }
}
