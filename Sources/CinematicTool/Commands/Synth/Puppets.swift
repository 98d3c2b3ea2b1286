import Foundation

/// The subjects of the sample movie, each drawn in its own units with its feet at the origin, y down.
enum Puppet {
  struct Wardrobe: Sendable {
    var skin: SIMD4<Float>
    var hair: SIMD4<Float>
    var coat: SIMD4<Float>
    var scarf: SIMD4<Float>
    var trousers: SIMD4<Float>
    var hasLongHair: Bool
  }

  static let maria = Wardrobe(
    skin: .opaque(0.62, 0.36, 0.25), hair: .opaque(0.10, 0.035, 0.015), coat: .opaque(0.42, 0.05, 0.05),
    scarf: .opaque(0.75, 0.55, 0.18), trousers: .opaque(0.03, 0.04, 0.09), hasLongHair: true)
  static let tom = Wardrobe(
    skin: .opaque(0.40, 0.21, 0.13), hair: .opaque(0.015, 0.012, 0.012), coat: .opaque(0.05, 0.14, 0.22),
    scarf: .opaque(0.55, 0.58, 0.60), trousers: .opaque(0.10, 0.08, 0.05), hasLongHair: false)

  // MARK: People: 6 heads tall; the head's centre at (0, -5.4), its half axes 0.40 x 0.52

  static let personHead = (center: Point(0, -5.38), radii: Point(0.40, 0.52))
  /// Left, top, right, bottom of what the drawing covers.
  static let personBounds = (Point(-1.35, -6.15), Point(1.35, 0.05))
  static let personFace = (Point(-0.42, -5.75), Point(0.42, -4.85))
  static let personTorso = (Point(-1.0, -4.85), Point(1.0, -2.2))

  static func person(_ p: Point, _ wardrobe: Wardrobe) -> SIMD4<Float> {
    hairFront(p, wardrobe) ?? face(p, wardrobe) ?? clothes(p, wardrobe) ?? hairBack(p, wardrobe) ?? .zero
  }

  private static func hairFront(_ p: Point, _ wardrobe: Wardrobe) -> SIMD4<Float>? {
    let cap = Shape.ellipse(p, center: Point(0, -5.50), radii: Point(0.47, 0.52))
    let hairline = -5.55 - 0.16 * cos(p.x * 5) + 0.25 * p.x
    guard (cap && p.y < hairline) || strand(p) else { return nil }
    return wardrobe.hair.lit(0.6 + 1.6 * Pattern.noise(Point(p.x * 42 + p.y * 4, p.y * 2)))
  }

  /// Single hairs that stand off the head.
  private static func strand(_ p: Point) -> Bool {
    let q = p - Point(0, -5.50)
    let angle = atan2(q.x, -q.y)
    guard abs(angle) < 1.5 else { return false }
    let index = (angle * 14).rounded()
    let reach = 1 + 0.16 * Pattern.random(Int(index), 7)
    let radius = (q / Point(0.47, 0.52) * (q / Point(0.47, 0.52))).sum().squareRoot()
    let bend = 0.05 * sin(radius * 9 + index)
    return radius > 0.95 && radius < reach && abs(angle * 14 - index + bend * 3) < 0.16
  }

  private static func hairBack(_ p: Point, _ wardrobe: Wardrobe) -> SIMD4<Float>? {
    guard wardrobe.hasLongHair else { return nil }
    let falls = abs(p.x) < 0.52 - 0.03 * sin(p.y * 9) && p.y > -5.5 && p.y < -4.25 + 0.12 * sin(p.x * 50)
    return falls ? wardrobe.hair.lit(0.5 + 1.4 * Pattern.noise(Point(p.x * 40, p.y * 2.5))) : nil
  }

  private static func face(_ p: Point, _ wardrobe: Wardrobe) -> SIMD4<Float>? {
    let q = (p - personHead.center) / personHead.radii
    let ear =
      Shape.ellipse(p, center: Point(0.40, -5.35), radii: Point(0.07, 0.13))
      || Shape.ellipse(p, center: Point(-0.40, -5.35), radii: Point(0.07, 0.13))
    guard (q * q).sum() <= 1 || ear else { return nil }
    let depth = max(0, 1 - (q * q).sum()).squareRoot()
    let light = 0.42 + 0.75 * max(0, -0.45 * q.x - 0.40 * q.y + 0.80 * depth)
    let freckles = 1 - 0.10 * Pattern.noise(p * 38)
    return features(p, wardrobe) ?? wardrobe.skin.lit(light * freckles)
  }

  private static func features(_ p: Point, _ wardrobe: Wardrobe) -> SIMD4<Float>? {
    let m = Point(abs(p.x), p.y)
    if Shape.ellipse(m, center: Point(0.145, -5.415), radii: Point(0.018, 0.018)) { return .opaque(0.9, 0.9, 0.9) }
    if Shape.ellipse(m, center: Point(0.155, -5.40), radii: Point(0.038, 0.044)) { return .opaque(0.02, 0.015, 0.01) }
    if Shape.ellipse(m, center: Point(0.155, -5.40), radii: Point(0.078, 0.048)) { return .opaque(0.75, 0.73, 0.70) }
    if Shape.capsule(m, from: Point(0.08, -5.525), to: Point(0.23, -5.515), radius: 0.018) { return wardrobe.hair }
    if Shape.capsule(p, from: Point(-0.02, -5.22), to: Point(0.05, -5.20), radius: 0.022) {
      return wardrobe.skin.lit(0.55)
    }
    let smile = -5.045 + 0.9 * p.x * p.x * -1
    if abs(p.x) < 0.15, abs(p.y - smile) < 0.026 { return .opaque(0.40, 0.08, 0.08) }
    return nil
  }

  private static func clothes(_ p: Point, _ wardrobe: Wardrobe) -> SIMD4<Float>? {
    if Shape.capsule(p, from: Point(-0.22, -4.72), to: Point(0.22, -4.72), radius: 0.17)
      || Shape.capsule(p, from: Point(0.18, -4.7), to: Point(0.30, -3.7), radius: 0.12)
    {
      return wardrobe.scarf.lit(0.35 + 0.85 * Pattern.knit(Point(p.x * 18, p.y * 14)))
    }
    let side = abs(p.x)
    let arm = Shape.capsule(Point(side, p.y), from: Point(0.72, -4.30), to: Point(0.98, -2.55), radius: 0.21)
    let hand = Shape.ellipse(Point(side, p.y), center: Point(1.01, -2.22), radii: Point(0.14, 0.18))
    let shoulder = Shape.capsule(Point(side, p.y), from: Point(0, -4.28), to: Point(0.62, -4.22), radius: 0.34)
    let waist = 0.62 + 0.10 * (p.y + 4.2)
    let coat = p.y > -4.3 && p.y < -1.75 && side < waist + 0.1
    if arm || shoulder || coat { return coatPaint(p, wardrobe, isArm: arm && !coat) }
    if hand { return wardrobe.skin.lit(0.7) }
    return legs(Point(side, p.y), wardrobe)
  }

  private static func coatPaint(_ p: Point, _ wardrobe: Wardrobe, isArm: Bool) -> SIMD4<Float> {
    let roundness = 1 - 0.45 * min(1, abs(p.x) / 0.95)
    let cloth = 0.55 + 0.6 * Pattern.knit(p * 13)
    let button = (p.y + 4.1) / 0.45
    let isButton =
      !isArm && Shape.ellipse(Point(p.x, (button - button.rounded()) * 0.45), center: .zero, radii: Point(0.05, 0.05))
    return isButton ? .opaque(0.55, 0.45, 0.25) : wardrobe.coat.lit(roundness * cloth * (isArm ? 0.85 : 1.1))
  }

  private static func legs(_ p: Point, _ wardrobe: Wardrobe) -> SIMD4<Float>? {
    if Shape.capsule(p, from: Point(0.30, -0.10), to: Point(0.46, -0.08), radius: 0.12) {
      return .opaque(0.03, 0.02, 0.02)
    }
    guard Shape.capsule(p, from: Point(0.30, -1.9), to: Point(0.30, -0.2), radius: 0.22) else { return nil }
    return wardrobe.trousers.lit(0.7 + 0.6 * Pattern.noise(p * 30))
  }

  // MARK: The cat: 1 unit tall at the back, walking to the left

  static let catBounds = (Point(-1.25, -1.75), Point(1.55, 0.05))
  static let catHead = (Point(-1.15, -1.60), Point(-0.35, -0.80))
  static let catBody = (Point(-0.75, -1.10), Point(0.95, -0.30))

  static func cat(_ p: Point) -> SIMD4<Float> {
    catFace(p) ?? catCoat(p) ?? .zero
  }

  private static func catFace(_ p: Point) -> SIMD4<Float>? {
    let m = Point(abs(p.x + 0.75), p.y)
    if Shape.ellipse(m, center: Point(0.14, -1.17), radii: Point(0.022, 0.052)) { return .opaque(0.01, 0.01, 0.01) }
    if Shape.ellipse(m, center: Point(0.14, -1.17), radii: Point(0.065, 0.060)) { return .opaque(0.35, 0.55, 0.10) }
    if Shape.triangle(m, Point(0, -1.02), Point(0.05, -1.07), Point(-0.05, -1.07)) { return .opaque(0.5, 0.2, 0.2) }
    let whisker =
      Shape.distance(m, from: Point(0.10, -1.03), to: Point(0.52, -1.08)) < 0.008
      || Shape.distance(m, from: Point(0.10, -1.00), to: Point(0.50, -0.97)) < 0.008
    return whisker ? .opaque(0.8, 0.8, 0.8) : nil
  }

  private static func catCoat(_ p: Point) -> SIMD4<Float>? {
    let m = Point(abs(p.x + 0.75), p.y)
    let head = Shape.ellipse(p, center: Point(-0.75, -1.10), radii: Point(0.36, 0.30))
    let ear = Shape.triangle(m, Point(0.10, -1.34), Point(0.34, -1.22), Point(0.27, -1.62))
    let body = Shape.capsule(p, from: Point(-0.40, -0.72), to: Point(0.62, -0.74), radius: 0.30)
    let tail =
      Shape.capsule(p, from: Point(0.85, -0.85), to: Point(1.25, -1.45), radius: 0.08)
      || Shape.capsule(p, from: Point(1.25, -1.45), to: Point(1.42, -1.60), radius: 0.075)
    let leg = [Float(-0.48), -0.28, 0.45, 0.70].contains {
      Shape.capsule(p, from: Point($0, -0.6), to: Point($0 - 0.05, -0.08), radius: 0.085)
    }
    guard head || ear || body || tail || leg else { return nil }
    let stripe = sin(p.x * 16 + 2.5 * Pattern.noise(p * 5)) > 0.35 && p.y < -0.45
    let fur = 0.55 + 0.8 * Pattern.noise(Point(p.x * 60, p.y * 24))
    let chest = p.y > -0.62 && !leg ? Float(1.4) : 1
    return (stripe ? SIMD4<Float>.opaque(0.16, 0.06, 0.02) : .opaque(0.52, 0.24, 0.07)).lit(fur * chest)
  }

  // MARK: The ball: radius 1 about (0, -1)

  static let ballBounds = (Point(-1.05, -2.05), Point(1.05, 0.05))

  static func ball(_ p: Point) -> SIMD4<Float> {
    let q = p - Point(0, -1)
    let r2 = (q * q).sum()
    guard r2 <= 1 else { return .zero }
    let depth = (1 - r2).squareRoot()
    let light = 0.3 + 0.9 * max(0, -0.4 * q.x - 0.55 * q.y + 0.7 * depth)
    let band = abs(q.y + 0.25 * q.x) < 0.22 || abs(q.x - 0.2 * q.y) < 0.10
    let grain = 0.9 + 0.2 * Pattern.noise(p * 40)
    return (band ? SIMD4<Float>.opaque(0.75, 0.72, 0.66) : .opaque(0.08, 0.30, 0.55)).lit(light * grain)
  }
}
