import Foundation

/// A point in the plane of a drawing: x to the right, y down.
typealias Point = SIMD2<Float>

/// Shapes as predicates and distances, in the units of the drawing that uses them.
enum Shape {
  static func ellipse(_ p: Point, center: Point, radii: Point) -> Bool {
    let q = (p - center) / radii
    return (q * q).sum() <= 1
  }

  /// Distance to the segment from `a` to `b`.
  static func distance(_ p: Point, from a: Point, to b: Point) -> Float {
    let along = b - a
    let t = min(max(((p - a) * along).sum() / max((along * along).sum(), 1e-9), 0), 1)
    let d = p - a - along * t
    return (d * d).sum().squareRoot()
  }

  static func capsule(_ p: Point, from a: Point, to b: Point, radius: Float) -> Bool {
    distance(p, from: a, to: b) <= radius
  }

  static func triangle(_ p: Point, _ a: Point, _ b: Point, _ c: Point) -> Bool {
    func side(_ u: Point, _ v: Point) -> Float { (v.x - u.x) * (p.y - u.y) - (v.y - u.y) * (p.x - u.x) }
    let s = (side(a, b), side(b, c), side(c, a))
    return (s.0 >= 0 && s.1 >= 0 && s.2 >= 0) || (s.0 <= 0 && s.1 <= 0 && s.2 <= 0)
  }
}

/// Fixed pseudo-random patterns: the same on every machine and in every frame.
enum Pattern {
  /// 0…1, different for each pair of integers.
  static func random(_ x: Int, _ y: Int) -> Float {
    var h =
      UInt64(bitPattern: Int64(x)) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: Int64(y)) &* 0xC2B2_AE3D_27D4_EB4F
    h ^= h >> 29
    h = h &* 0xBF58_476D_1CE4_E5B9
    h ^= h >> 32
    return Float(h & 0xFFFF) / 65535
  }

  /// Smooth noise with a period of one unit, 0…1.
  static func noise(_ p: Point) -> Float {
    let x = p.x.rounded(.down)
    let y = p.y.rounded(.down)
    let u = ease(p.x - x)
    let v = ease(p.y - y)
    let (i, j) = (Int(x), Int(y))
    let upper = random(i, j) * (1 - u) + random(i + 1, j) * u
    let lower = random(i, j + 1) * (1 - u) + random(i + 1, j + 1) * u
    return upper * (1 - v) + lower * v
  }

  /// A knitted cloth: rows of slanted stitches, 0…1.
  static func knit(_ p: Point) -> Float {
    let column = (p.x).rounded(.down)
    let slant = abs(p.x - column - 0.5)
    let row = p.y + slant * 0.9
    let stitch = row - row.rounded(.down)
    return (0.25 + 0.75 * stitch) * (slant > 0.46 ? 0.5 : 1)
  }

  static func ease(_ t: Float) -> Float { t * t * (3 - 2 * t) }
}
