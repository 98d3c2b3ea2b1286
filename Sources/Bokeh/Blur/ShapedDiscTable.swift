/// The left and right ends of the rows of an aperture's discs; as `DiscTable` for discs of any convex form.
///
/// A row's span is as long as the disc's area in that row and lies around the middle of that area, so the spans of a disc
/// add up to π r², whatever the form, and everything is continuous in r.
final class ShapedDiscTable: @unchecked Sendable {
  /// How far a disc of radius 1 reaches.
  let stretch: Float
  private let ends: UnsafeMutablePointer<SIMD2<Float>>
  /// The last row.
  let farthest: Int

  /// - Parameters:
  ///   - orientation: how the stored picture is shown.
  ///   - indices: how many radius indices, from 0 on, are asked for; others stay empty.
  init(_ shape: ApertureShape, _ orientation: Orientation, indices: Int = DiscTable.indexCount) {
    let outline = ApertureOutline(shape, orientation)
    stretch = Float(outline?.reach ?? 1)
    farthest = Int((DiscTable.maximumRadius * stretch).rounded(.up))
    let count = (2 * farthest + 1) * DiscTable.indexCount
    ends = .allocate(capacity: count)
    ends.initialize(repeating: .zero, count: count)
    for index in 0..<indices {
      if let outline, index > Int(DiscTable.sharpIndex) {
        fill(index, outline)
      } else {
        fillRound(index)
      }
    }
  }

  var byteCount: Int { (2 * farthest + 1) * DiscTable.indexCount * MemoryLayout<SIMD2<Float>>.stride }

  deinit { ends.deallocate() }

  /// The ends, seen from the centre of a disc of what lies behind the focus, in the row `dy` below it, by radius index;
  /// equal where the disc does not reach that row. Discs before the focus are this turned by 180 degrees.
  ///
  /// - Parameter dy: at most `reach` of any index.
  func row(_ dy: Int) -> UnsafePointer<SIMD2<Float>> {
    UnsafePointer(ends + (dy &+ farthest) &* DiscTable.indexCount)
  }

  private func set(_ dy: Int, _ index: Int, _ left: Double, _ right: Double) {
    ends[(dy + farthest) * DiscTable.indexCount + index] = SIMD2(Float(left), Float(right))
  }

  private func fill(_ index: Int, _ outline: ApertureOutline) {
    let radius = DiscTable.drawnRadius(Double(index) / Double(DiscTable.stepsPerPixel))
    let reach = min(Int((radius * outline.reach).rounded(.up)) + 1, farthest)
    var upper = outline.above((Double(-reach) - 0.5) / radius)
    for dy in -reach...reach {
      let lower = outline.above((Double(dy) + 0.5) / radius)
      let area = (lower.area - upper.area) * radius * radius
      let moment = (lower.moment - upper.moment) * radius * radius * radius
      upper = lower
      guard area > 1e-9 else { continue }
      set(dy, index, moment / area - area / 2, moment / area + area / 2)
    }
    endInPoints(index, -reach...reach)
  }

  /// Gives the first empty row on both sides the place where the disc ends, so that what lies between two rows can be
  /// taken from both.
  private func endInPoints(_ index: Int, _ touched: ClosedRange<Int>) {
    let rows = touched.filter { row($0)[index].x < row($0)[index].y }
    guard let first = rows.first, let last = rows.last else { return }
    for (end, beyond) in [(first, first - 1), (last, last + 1)] where abs(beyond) <= farthest {
      let middle = Double(row(end)[index].x + row(end)[index].y) / 2
      set(beyond, index, middle, middle)
    }
  }

  private func fillRound(_ index: Int) {
    for dy in -DiscTable.reach(UInt32(index))...DiscTable.reach(UInt32(index)) {
      let half = Double(DiscTable.shared.row(abs(dy))[index])
      set(dy, index, -half, half)
    }
  }
}
