/// The keys of a Cinematic movie, all of namespace `mdta`.
package enum CinematicKey: String, CaseIterable, Sendable {
  /// Raw: the atom `frme`.
  case cinematography = "com.apple.quicktime.cinematic-video.cinematography"
  /// Raw: the pairs `rend`.
  case rendering = "com.apple.quicktime.cinematic-video.rendering"
  /// Raw: the pairs `stab`.
  case stabilization = "com.apple.quicktime.cinematic-video.stabilization"
  /// f32: the f-number of the frame.
  case aperture = "com.apple.quicktime.aperture-float"
  /// f32: the focus disparity of the frame.
  case disparity = "com.apple.quicktime.disparity-float"

  /// The movie-level key of the blob `cvid`, raw.
  package static let movie = "com.apple.quicktime.cinematic-video"
  /// The movie-level key of later capture apps, a signed integer; 1: treat the movie as Cinematic.
  package static let intent = "com.apple.quicktime.cinematic-video-intent"

  /// The well-known number of the value's type.
  package var dataType: UInt32 {
    switch self {
    case .cinematography, .rendering, .stabilization: 0
    case .aperture, .disparity: 23
    }
  }

  /// The local id in a table that is written here: 1, 2, 3 … in the order of the cases.
  package var writtenLocalID: UInt32 {
    switch self {
    case .cinematography: 1
    case .rendering: 2
    case .stabilization: 3
    case .aperture: 4
    case .disparity: 5
    }
  }

  /// The key table of a metadata track that is written here: all five keys in their order.
  package static var writtenKeyTable: MetadataKeyTable {
    MetadataKeyTable(
      entries: allCases.map {
        MetadataKeyTable.Entry(localID: $0.writtenLocalID, key: $0.rawValue, dataType: $0.dataType)
      })
  }
}
