/// One part of a pixel on a depth edge.
struct EdgePart {
  let key: DepthKey
  /// Premultiplied light; `w` is the part's share of the pixel.
  let color: SIMD4<Float>
}

/// Divides pixels on depth edges into a near and a far part, by how far their colour is on the way from the far side's
/// to the near side's.
///
/// The two sides' colours and disparities are means of the pixels two and three away; nearer ones may themselves be
/// mixed.
struct EdgeSplitter {
  let linear: Plane<SIMD4<Float>>
  let disparity: Plane<Float>
  let circle: CircleOfConfusion
  /// Discs larger than this (radius index) are not drawn at full resolution, so their pixels stay whole.
  let largestIndex: UInt32

  /// What becomes of a pixel.
  enum Verdict {
    case whole(DepthKey)
    case split
  }

  /// Shares nearer to nothing than this are nothing.
  private static let leastShare: Float = 0.08

  /// Judges pixel (x, y), which has the key `key`.
  func judge(_ x: Int, _ y: Int, _ key: DepthKey) -> Verdict {
    guard let (near, far) = parts(x, y) else { return .whole(key) }
    if near.color.w == 0 { return .whole(far.key) }
    return far.color.w == 0 ? .whole(near.key) : .split
  }

  /// The two parts of pixel (x, y), one of which may be empty, or nil if it is not on an edge or cannot be divided.
  func parts(_ x: Int, _ y: Int) -> (near: EdgePart, far: EdgePart)? {
    guard let middle = edge(x, y) else { return nil }
    guard let sides = Sides(linear, disparity, x, y, middle) else { return nil }
    let (nearKey, farKey) = (circle.key(sides.near.disparity), circle.key(sides.far.disparity))
    guard nearKey.index > farKey.index, nearKey.index <= largestIndex, let share = share(linear[x, y], sides) else {
      return nil
    }
    let own = linear[x, y]
    let rest = own - sides.near.light * share - sides.far.light * (1 - share)
    return (
      EdgePart(key: nearKey, color: part(sides.near.light + rest, share)),
      EdgePart(key: farKey, color: part(sides.far.light + rest, 1 - share))
    )
  }

  private func part(_ light: SIMD4<Float>, _ share: Float) -> SIMD4<Float> {
    SIMD4(pointwiseMax(light, .zero), weight: 1) * share
  }

  /// The disparity between the two sides of an edge that touches pixel (x, y), or nil where there is none.
  private func edge(_ x: Int, _ y: Int) -> Float? {
    var (least, most) = (Float.infinity, -Float.infinity)
    for line in y &- 1...y &+ 1 {
      let row = disparity.clampedRow(line)
      for column in x &- 1...x &+ 1 {
        let value = row[min(max(column, 0), disparity.width &- 1)]
        least = min(least, value)
        most = max(most, value)
      }
    }
    guard (most - least) * circle.radiusPerDisparity > EdgeSplitter.leastRadius else { return nil }
    return (least + most) / 2
  }

  /// An edge's sides differ in radius by more pixels than this.
  private static let leastRadius: Float = 1.5

  /// The near side's share of a colour, or nil where the sides' colours hardly differ.
  private func share(_ light: SIMD4<Float>, _ sides: Sides) -> Float? {
    let contrast = GuideStage.color(sides.near.light) - GuideStage.color(sides.far.light)
    guard (contrast * contrast).sum() > max(EdgeSplitter.leastContrast, 4 * (sides.near.variance + sides.far.variance))
    else { return nil }
    var way = sides.near.light - sides.far.light
    way.w = 0
    let along = ((light - sides.far.light) * way).sum() / (way * way).sum()
    let share = min(max(along, 0), 1)
    return share < EdgeSplitter.leastShare ? 0 : share > 1 - EdgeSplitter.leastShare ? 1 : share
  }

  /// Square of the least difference of the sides' colours, as square roots of light.
  private static let leastContrast: Float = 0.01
}

/// The means of the two sides around a pixel.
private struct Sides {
  struct Side {
    var light = SIMD4<Float>.zero
    var disparity: Float = 0
    var count: Float = 0
    var squares = SIMD4<Float>.zero
    var colors = SIMD4<Float>.zero

    mutating func add(_ light: SIMD4<Float>, _ disparity: Float) {
      self.light += light
      self.disparity += disparity
      count += 1
      let color = GuideStage.color(light)
      colors += color
      squares += color * color
    }

    var mean: Side {
      Side(
        light: light / count, disparity: disparity / count, count: count, squares: squares / count,
        colors: colors / count)
    }
    /// Of a mean's colours.
    var variance: Float { max((squares - colors * colors).sum(), 0) }
  }

  let near: Side
  let far: Side

  /// Returns nil where one side has too few pixels.
  init?(_ linear: Plane<SIMD4<Float>>, _ disparity: Plane<Float>, _ x: Int, _ y: Int, _ middle: Float) {
    var (near, far) = (Side(), Side())
    for dy in -3...3 {
      for dx in -3...3 where max(abs(dx), abs(dy)) > 1 {
        let (column, row) = (x &+ dx, y &+ dy)
        guard column >= 0, row >= 0, column < linear.width, row < linear.height else { continue }
        let value = disparity[column, row]
        if value > middle { near.add(linear[column, row], value) } else { far.add(linear[column, row], value) }
      }
    }
    guard near.count >= 4, far.count >= 4 else { return nil }
    self.near = near.mean
    self.far = far.mean
  }
}
