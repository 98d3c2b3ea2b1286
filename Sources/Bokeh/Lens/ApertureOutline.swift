import Foundation

/// An aperture's outline for a disc of radius 1, cut at each height where its sides bend, so that between two cuts both
/// sides are straight. y grows downwards, in stored orientation.
struct ApertureOutline {
  /// A cut from side to side.
  private struct Cut {
    let y: Double
    let left: Double
    let right: Double
    /// Of what lies above: its area, and the integral of x over it.
    var area: Double
    var moment: Double
  }

  private let cuts: [Cut]
  /// How far the outline reaches from its centre; 1 for a circle.
  let reach: Double

  /// Straight pieces that an arc is made of; from the arc they are not farther than 1/5000 of the radius.
  private static let piecesPerBlade = 32

  /// Nil for a circle.
  init?(_ shape: ApertureShape, _ orientation: Orientation) {
    guard !shape.isRound, case .polygon(let blades, let rotation, let curvature) = shape else { return nil }
    let corners = ApertureOutline.corners(
      blades: blades, rotation: Double(rotation) * .pi / 180, curvature: Double(curvature))
    let area = ApertureOutline.area(corners)
    let scale = (Double.pi / abs(area)).squareRoot()
    let turned = corners.map { corner in
      SIMD2(
        Double(orientation.a) * corner.x + Double(orientation.b) * corner.y,
        Double(orientation.c) * corner.x + Double(orientation.d) * corner.y) * scale
    }
    cuts = ApertureOutline.cuts(turned)
    reach = scale
  }

  /// The area above height `y`, and the integral of x over it.
  func above(_ y: Double) -> (area: Double, moment: Double) {
    guard y > cuts[0].y else { return (0, 0) }
    guard y < cuts[cuts.count - 1].y else { return (cuts[cuts.count - 1].area, cuts[cuts.count - 1].moment) }
    var (first, last) = (0, cuts.count - 1)
    while last - first > 1 {
      let middle = (first + last) / 2
      if cuts[middle].y <= y { first = middle } else { last = middle }
    }
    let (upper, lower) = (cuts[first], cuts[last])
    let part = (y - upper.y) / (lower.y - upper.y)
    let cut = Cut(
      y: y, left: upper.left + (lower.left - upper.left) * part,
      right: upper.right + (lower.right - upper.right) * part,
      area: 0, moment: 0)
    let slab = ApertureOutline.slab(upper, cut)
    return (upper.area + slab.area, upper.moment + slab.moment)
  }

  /// The outline in a circle of radius 1 as points, clockwise as shown.
  private static func corners(blades: Int, rotation: Double, curvature: Double) -> [SIMD2<Double>] {
    let half = Double.pi / Double(blades)
    // How far an arc rises above the straight blade.
    let rise = curvature * (1 - cos(half))
    return (0..<blades).flatMap { blade -> [SIMD2<Double>] in
      let middle = rotation - .pi / 2 + (2 * Double(blade) + 1) * half
      guard rise > 1e-6 else { return [SIMD2(cos(middle - half), sin(middle - half))] }
      let radius = (sin(half) * sin(half) + rise * rise) / (2 * rise)
      let centre = SIMD2(cos(middle), sin(middle)) * (cos(half) + rise - radius)
      let wide = asin(min(sin(half) / radius, 1))
      return (0..<piecesPerBlade).map { piece in
        let angle = middle + wide * (2 * Double(piece) / Double(piecesPerBlade) - 1)
        return centre + SIMD2(cos(angle), sin(angle)) * radius
      }
    }
  }

  private static func area(_ corners: [SIMD2<Double>]) -> Double {
    corners.indices.reduce(0) { sum, i in
      let (a, b) = (corners[i], corners[(i + 1) % corners.count])
      return sum + (a.x * b.y - b.x * a.y) / 2
    }
  }

  private static func cuts(_ corners: [SIMD2<Double>]) -> [Cut] {
    var heights: [Double] = []
    for y in corners.map(\.y).sorted() where y - (heights.last ?? -.infinity) > 1e-9 { heights.append(y) }
    var cuts: [Cut] = []
    for y in heights {
      let (left, right) = sides(corners, y)
      var cut = Cut(y: y, left: left, right: right, area: 0, moment: 0)
      if let before = cuts.last {
        let slab = slab(before, cut)
        (cut.area, cut.moment) = (before.area + slab.area, before.moment + slab.moment)
      }
      cuts.append(cut)
    }
    return cuts
  }

  /// Where the outline's sides are at height `y`.
  private static func sides(_ corners: [SIMD2<Double>], _ y: Double) -> (left: Double, right: Double) {
    var (left, right) = (Double.infinity, -Double.infinity)
    for i in corners.indices {
      let (a, b) = (corners[i], corners[(i + 1) % corners.count])
      guard min(a.y, b.y) <= y + 1e-9, max(a.y, b.y) >= y - 1e-9 else { continue }
      if abs(a.y - b.y) < 1e-9 {
        (left, right) = (min(left, a.x, b.x), max(right, a.x, b.x))
      } else {
        let x = a.x + (b.x - a.x) * min(max((y - a.y) / (b.y - a.y), 0), 1)
        (left, right) = (min(left, x), max(right, x))
      }
    }
    return (left, right)
  }

  /// The area between two cuts, and the integral of x over it.
  private static func slab(_ upper: Cut, _ lower: Cut) -> (area: Double, moment: Double) {
    let height = lower.y - upper.y
    // Exact, as the integrand is a parabola.
    let (left, right) = ((upper.left + lower.left) / 2, (upper.right + lower.right) / 2)
    let ends = upper.right * upper.right - upper.left * upper.left + lower.right * lower.right - lower.left * lower.left
    return (height * (right - left), height * (ends + 4 * (right * right - left * left)) / 12)
  }
}
