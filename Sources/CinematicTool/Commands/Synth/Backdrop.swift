import Foundation

/// What stands still in the sample movie: a town at night behind a wooden floor, under strings of lights.
///
/// Points are in frame heights: x from the middle of the frame, y from its top.
struct Backdrop: Sendable {
  let stage: Stage

  private static let townDisparity: Float = 0.22
  private static let lightsDisparity: Float = 0.55

  /// Colour in linear light (lamps above 1) and disparity of the nearest thing at a point.
  func look(at p: Point) -> (color: SIMD4<Float>, disparity: Float) {
    if let lamp = lamp(p) { return (lamp, Self.lightsDisparity) }
    if wire(p) { return (.opaque(0.012, 0.012, 0.014), Self.lightsDisparity) }
    let floorDisparity = stage.floorDisparity(y: p.y)
    if floorDisparity > Self.townDisparity { return (floor(p, floorDisparity), floorDisparity) }
    return (town(p), Self.townDisparity)
  }

  // MARK: Strings of lights

  private static let strings: [(left: Float, right: Float, sag: Float)] = [
    (0.02, 0.16, 0.16), (0.20, 0.03, 0.17), (0.10, 0.26, 0.10),
  ]

  private func height(of string: Int, x: Float) -> Float {
    let (left, right, sag) = Self.strings[string]
    let t = x / 2 + 0.5
    return left + (right - left) * t + sag * (1 - x * x)
  }

  private func wire(_ p: Point) -> Bool {
    Self.strings.indices.contains { abs(p.y - height(of: $0, x: p.x)) < 0.0016 }
  }

  private func lamp(_ p: Point) -> SIMD4<Float>? {
    for string in Self.strings.indices {
      let pitch: Float = 0.118
      let index = ((p.x + Float(string) * 0.041) / pitch).rounded()
      let x = index * pitch - Float(string) * 0.041
      let center = Point(x, height(of: string, x: x) + 0.011)
      guard Shape.ellipse(p, center: center, radii: Point(0.0062, 0.0085)) else { continue }
      let kind = Pattern.random(Int(index), string)
      return kind < 0.6 ? .opaque(9, 5.0, 1.9) : kind < 0.8 ? .opaque(2.2, 5.0, 8.5) : .opaque(8.5, 1.9, 2.6)
    }
    return nil
  }

  // MARK: The town

  private func town(_ p: Point) -> SIMD4<Float> {
    let sky = SIMD4<Float>.opaque(0.012 + 0.07 * p.y, 0.016 + 0.035 * p.y, 0.055 + 0.08 * p.y)
    let column = (p.x / 0.16).rounded(.down)
    let roof = 0.06 + 0.22 * Pattern.random(Int(column), 3)
    guard p.y > roof else { return sky }
    let tone = 0.5 + 0.8 * Pattern.random(Int(column), 5)
    let wall = SIMD4<Float>.opaque(0.030, 0.026, 0.030).lit(tone * (0.85 + 0.3 * Pattern.noise(p * 90)))
    return window(p, column: column, roof: roof) ?? wall
  }

  private func window(_ p: Point, column: Float, roof: Float) -> SIMD4<Float>? {
    let u = (p.x - column * 0.16 - 0.012) / 0.034
    let v = (p.y - roof - 0.018) / 0.042
    guard u > 0, u < 4, v > 0 else { return nil }
    let cell = (Int(u), Int(v))
    let inside = u - u.rounded(.down) < 0.55 && v - v.rounded(.down) < 0.6
    guard inside else { return nil }
    let kind = Pattern.random(Int(column) * 7 + cell.0, cell.1 * 3 + 11)
    guard kind > 0.5 else { return .opaque(0.012, 0.015, 0.022) }
    return SIMD4<Float>.opaque(1.5, 0.85, 0.32).lit(0.3 + 1.4 * (kind - 0.5))
  }

  // MARK: The floor

  private func floor(_ p: Point, _ disparity: Float) -> SIMD4<Float> {
    let across = p.x / (disparity * stage.focal) * 18
    let along = 1 / disparity * 9
    let plank = across.rounded(.down)
    let board = ((along + 7 * Pattern.random(Int(plank), 1)) / 6).rounded(.down)
    let grain =
      Pattern.noise(Point(across * 26, along * 1.6 + plank * 13)) * 0.5
      + Pattern.noise(Point(across * 7, along * 0.5 + plank * 5)) * 0.5
    let gap = across - plank < 0.035 ? Float(0.25) : 1
    let tone = (0.55 + 0.5 * Pattern.random(Int(plank), Int(board))) * (0.45 + 0.9 * grain) * gap
    let lampLight = 0.5 + 0.55 * min(1, disparity / 1.6)
    return SIMD4<Float>.opaque(0.34, 0.185, 0.085).lit(tone * lampLight)
  }
}
