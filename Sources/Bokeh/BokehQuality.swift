/// How much work a picture is worth.
public enum BokehQuality: Int, Hashable, Sendable, CaseIterable {
  /// A quarter of the resolution in both directions, brought back to full size.
  case thumbnail = 0
  /// Blur at half resolution, sharp regions at full resolution.
  case preview = 1
  /// Everything at full resolution, 8 depth bins.
  case export = 2
  /// Full resolution, 16 depth bins, the hidden layer, soft coverage at edges.
  case exportHigh = 3
}

/// What a quality means in numbers.
struct Effort: Hashable, Sendable {
  /// Depth bins, both sides of the focus together; at most `maximumBins`.
  let bins: Int
  /// The picture is reduced by this factor before anything else, and enlarged at the end.
  let reduction: Int
  /// The radii in pixels from which samples are blurred at half resolution: in part from the first, wholly from the
  /// second.
  let halfResolutionBand: ClosedRange<Float>
  /// Whether pixels on a depth edge are split into a near and a far part.
  let splitsEdges: Bool

  /// Pixels in each direction for one of the hidden layer.
  let hiddenScale: Int

  static let maximumBins = 16

  init(_ quality: BokehQuality) {
    bins = quality == .exportHigh ? 16 : 8
    reduction = quality == .thumbnail ? 4 : 1
    halfResolutionBand = quality == .preview ? 2...3 : DiscTable.maximumRadius - 8...DiscTable.maximumRadius
    splitsEdges = quality == .exportHigh
    hiddenScale = quality == .exportHigh ? 1 : 2
  }
}
