/// How much work a picture is worth.
public enum BokehQuality: Int, Hashable, Sendable, CaseIterable {
  /// A quarter of the resolution in both directions, brought back to full size.
  case thumbnail = 0
  /// Blur at half resolution, sharp regions at full resolution.
  case preview = 1
  /// Discs of a radius up to 8 pixels at full resolution, larger ones at lower; 8 depth bins.
  case export = 2
  /// Discs of a radius up to 24 pixels at full resolution, 16 depth bins, soft coverage at edges.
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
  /// The largest radius that half and lower resolutions draw, in their own pixels; larger discs go one lower. The fewer
  /// pixels a disc has the cheaper it is, and the less round its rim.
  let reducedLimit: Float
  /// Whether pixels are looked at one by one only where full resolution draws something.
  let startsAtHalf: Bool
  /// Whether pixels on a depth edge are split into a near and a far part.
  let splitsEdges: Bool

  /// Pixels in each direction for one of the hidden layer.
  let hiddenScale: Int
  /// How many steps lines through a pixel are looked along in each direction for what lies behind it.
  let hiddenSteps: Int

  static let maximumBins = 16

  init(_ quality: BokehQuality) {
    bins = quality == .exportHigh ? 16 : 8
    reduction = quality == .thumbnail ? 4 : 1
    switch quality {
    case .preview: (halfResolutionBand, reducedLimit) = (2...3, 8)
    case .export: (halfResolutionBand, reducedLimit) = (8...10, 8)
    case .exportHigh: (halfResolutionBand, reducedLimit) = (24...28, 24)
    case .thumbnail:
      (halfResolutionBand, reducedLimit) = (
        DiscTable.maximumRadius - 8...DiscTable.maximumRadius, DiscTable.maximumRadius
      )
    }
    startsAtHalf = quality == .preview
    splitsEdges = quality == .exportHigh
    hiddenScale = quality == .exportHigh ? 1 : 2
    hiddenSteps = quality == .exportHigh ? 32 : 16
  }
}
