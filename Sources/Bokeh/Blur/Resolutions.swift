/// Which samples are drawn at which resolution: small discs at full resolution, larger ones at a half, a quarter, …
struct Resolutions: Hashable, Sendable {
  /// The largest radius index of full resolution.
  let fullIndex: UInt32
  /// How many halvings the largest disc needs.
  let coarsest: Int

  /// - Parameters:
  ///   - fullRadius: the largest radius in pixels that full resolution draws.
  ///   - largest: the largest radius index of the frame.
  init(fullRadius: Float, largest: UInt32) {
    fullIndex = UInt32(fullRadius * DiscTable.stepsPerPixel)
    var level = 0
    while Resolutions.largestIndex(level, fullIndex) < largest { level += 1 }
    coarsest = level
  }

  private static func largestIndex(_ level: Int, _ fullIndex: UInt32) -> UInt32 {
    level == 0 ? fullIndex : UInt32(DiscTable.indexCount - 1) << UInt32(level)
  }

  /// The radius indices that `level` draws, level 0 being full resolution.
  func indices(_ level: Int) -> ClosedRange<UInt32> {
    let lower = level == 0 ? 0 : Resolutions.largestIndex(level - 1, fullIndex) + 1
    return lower...Resolutions.largestIndex(level, fullIndex)
  }
}
