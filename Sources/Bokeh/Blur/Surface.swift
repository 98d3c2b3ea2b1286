/// A pixel as a part of a surface.
///
/// Pixels in focus spread nothing. Where a surface goes out of focus, those that spread a little find next to them some
/// that give nothing back, and what lies far behind would shine through as specks and lines; likewise where noise of
/// disparity makes a single pixel more blurred than those around. So a pixel of next to no blur closes its own gap, and
/// one of a little more beside such, unless the surface ends there.
struct Surface {
  let key: DepthKey
  private let keys: Plane<DepthKey>
  private let x: Int
  private let y: Int
  private let nearBins: UInt32

  /// Neighbours of one surface differ by no more than this, in steps of the radius.
  private static let mostStep: Int32 = 32

  /// - Parameter nearBins: bins that are nearer than the focus.
  @inline(__always)
  init(_ keys: Plane<DepthKey>, _ x: Int, _ y: Int, _ nearBins: Int) {
    key = keys[x, y]
    self.keys = keys
    (self.x, self.y, self.nearBins) = (x, y, UInt32(truncatingIfNeeded: nearBins))
  }

  /// Whether the pixels around are of the same surface, and some of them, or this one, of next to no blur.
  var closesGap: Bool {
    let own = radius(key)
    var least = key.index
    for row in max(y &- 1, 0)...min(y &+ 1, keys.height &- 1) {
      for column in max(x &- 1, 0)...min(x &+ 1, keys.width &- 1) {
        let other = keys[column, row]
        if other.isSplit || abs(radius(other) &- own) > Surface.mostStep { return false }
        least = min(least, other.index)
      }
    }
    return least <= DiscTable.tightIndex
  }

  /// In steps, negative for what lies beyond the focus.
  @inline(__always)
  private func radius(_ key: DepthKey) -> Int32 {
    let index = Int32(truncatingIfNeeded: key.index)
    return key.bin < nearBins ? index : 0 &- index
  }
}
