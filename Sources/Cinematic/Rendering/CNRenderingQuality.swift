package import Bokeh

/// How much time a rendered picture may take.
public enum CNRenderingQuality: Int, Hashable, Sendable {
  /// A quarter of the resolution, enlarged.
  case thumbnail = 0
  /// Blur at half resolution, sharp regions at full resolution: for playback.
  case preview = 1
  /// Everything at full resolution.
  case export = 2
  /// Full resolution, finer depths, soft edges.
  case exportHigh = 3

  package var bokeh: BokehQuality {
    switch self {
    case .thumbnail: .thumbnail
    case .preview: .preview
    case .export: .export
    case .exportHigh: .exportHigh
    }
  }
}
