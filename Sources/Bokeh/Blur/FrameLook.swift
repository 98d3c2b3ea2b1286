/// A look, ready for the pixels of one frame.
struct FrameLook: Sendable {
  /// Nil where discs are plain round ones.
  var discs: DiscShape?
  /// Nil where light is as it was recorded.
  var highlights: HighlightRecovery?

  static let plain = FrameLook()
}

/// Makes looks, and keeps the table of the last aperture until the next look is made.
final class LookStage {
  private let surroundings = Storage<Float>()
  private var table: (shape: ApertureShape, orientation: Orientation, table: ShapedDiscTable)?

  var byteCount: Int { surroundings.byteCount + (table?.table.byteCount ?? 0) }

  /// - Parameters:
  ///   - orientation: how the stored picture is shown.
  ///   - isClipped: whether what is brighter than white was lost.
  func make(_ look: BokehLook, _ orientation: Orientation, nearBins: Int, isClipped: Bool) -> FrameLook {
    var made = FrameLook.plain
    if !look.aperture.isRound || look.opticalVignetting > 0 {
      made.discs = DiscShape(
        table(look.aperture, orientation), vignetting: look.opticalVignetting, nearBins: nearBins)
    }
    if isClipped, look.highlights > 0 {
      made.highlights = HighlightRecovery(
        strength: look.highlights, surroundings: surroundings.reserve(HighlightRecovery.cells * HighlightRecovery.cells)
      )
    }
    return made
  }

  private func table(_ shape: ApertureShape, _ orientation: Orientation) -> ShapedDiscTable {
    if let table, table.shape == shape, table.orientation == orientation { return table.table }
    let made = ShapedDiscTable(shape, orientation)
    table = (shape, orientation, made)
    return made
  }
}
