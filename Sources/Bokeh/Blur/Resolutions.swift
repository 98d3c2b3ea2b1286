/// Which samples are drawn at which resolution: small discs at full resolution, larger ones at a half, a quarter, …
///
/// Between two resolutions there is a band of radii of which both draw a share, so that no line shows where one takes
/// over.
struct Resolutions: Hashable, Sendable {
  /// The band between full and half resolution, as radius indices.
  let firstBand: ClosedRange<UInt32>
  /// The radius index of the largest disc that a lower resolution draws, in its own pixels.
  let reducedLimit: UInt32
  /// How many halvings the largest disc needs.
  let coarsest: Int
  /// The resolution of what is known everywhere, 1 being half; finer ones know what they draw.
  let finest: Int

  /// - Parameters:
  ///   - firstBand: the radii in pixels of which full and half resolution draw a share each.
  ///   - reducedLimit: the largest radius in pixels of a lower resolution that it draws.
  ///   - largest: the largest radius index of the frame.
  ///   - finest: the resolution of what is known everywhere.
  init(firstBand: ClosedRange<Float>, reducedLimit: Float, largest: UInt32, finest: Int = 0) {
    let band =
      UInt32(firstBand.lowerBound * DiscTable.stepsPerPixel)...UInt32(firstBand.upperBound * DiscTable.stepsPerPixel)
    let limit = UInt32(reducedLimit * DiscTable.stepsPerPixel)
    self.firstBand = band
    self.reducedLimit = limit
    var level = 0
    while largest > (level == 0 ? band : Resolutions.laterBand(level, limit)).lowerBound { level += 1 }
    coarsest = max(level, finest)
    self.finest = finest
  }

  /// The band between `level` and the next coarser one.
  private func band(_ level: Int) -> ClosedRange<UInt32> {
    level == 0 ? firstBand : Resolutions.laterBand(level, reducedLimit)
  }

  private static func laterBand(_ level: Int, _ limit: UInt32) -> ClosedRange<UInt32> {
    let most = limit << UInt32(level)
    return most / 16 * 15...most
  }

  /// The radius indices of which `level` draws a share, level 0 being full resolution.
  func indices(_ level: Int) -> ClosedRange<UInt32> {
    start(level)...(level == coarsest ? UInt32.max : band(level).upperBound - 1)
  }

  /// The radius indices that `level` alone draws.
  func ownIndices(_ level: Int) -> Range<UInt32> {
    let first = sharedEnd(level)
    return first..<max(first, level == coarsest ? UInt32.max : band(level).lowerBound &+ 1)
  }

  /// The smallest radius index that `level` draws.
  func start(_ level: Int) -> UInt32 { level == 0 ? 0 : band(level - 1).lowerBound + 1 }

  /// The smallest radius index above those that `level` shares with the next finer resolution.
  func sharedEnd(_ level: Int) -> UInt32 { level == 0 ? 0 : band(level - 1).upperBound }

  /// The share of a radius index that `level` draws; the shares of all levels add up to 1.
  @inline(__always)
  func share(_ level: Int, _ index: UInt32) -> Float {
    let rising = level == 0 ? 1 : Resolutions.progress(index, band(level - 1))
    return level == coarsest ? rising : rising - Resolutions.progress(index, band(level))
  }

  /// From 0 at a band's start to 1 at its end.
  @inline(__always)
  private static func progress(_ index: UInt32, _ band: ClosedRange<UInt32>) -> Float {
    let way = (Float(index) - Float(band.lowerBound)) / Float(band.upperBound - band.lowerBound)
    return min(max(way, 0), 1)
  }
}
