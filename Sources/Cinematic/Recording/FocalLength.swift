package import QuickTime

/// The focal length of a movie's lens, in millimetres, as the equivalent on a sensor 36 mm wide.
enum FocalLength {
  /// That of a phone's main camera, which holds where a movie does not say.
  static let standard35mm: Float = 26
  private static let possible35mm: ClosedRange<Float> = 5...1000

  /// A stored value if a lens may have it; NaN, infinite and impossible ones count as not said.
  static func checked(_ stored: Float?) -> Float? {
    stored.flatMap { possible35mm.contains($0) ? $0 : nil }
  }
}

extension CinematicTracks {
  /// The 35 mm equivalent focal length in millimetres; nil where the movie does not say.
  ///
  /// A blob with `rend` major 1 says it for the whole movie. With major 2 each frame's rendering item does; the first one counts, since a
  /// lens that changed within a shot would change the blur of things that stand still.
  package func focalLength35mm(_ blob: CinematicMovieBlob?) -> Float? {
    if let stored = FocalLength.checked(blob?.focalLength35mm) { return stored }
    for entry in metadata.entries {
      guard let item = metadata.metadata(entry).rendering else { continue }
      return FocalLength.checked(item.focalLength35mm(movieMajor: blob?.renderingMajor))
    }
    return nil
  }
}
