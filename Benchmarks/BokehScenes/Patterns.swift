/// Colours of surfaces.
enum Pattern {
  typealias Color = Shape.Color

  static func plain(_ color: SIMD4<Float>) -> Color { { _ in color } }

  /// Cloudy variation of a colour, a few sizes of clouds over each other.
  static func clouds(_ color: SIMD4<Float>, size: Float, depth: Float, seed: UInt64) -> Color {
    { place in color * (1 - depth + 2 * depth * noise(place / size, seed)) }
  }

  /// Stripes of two colours, with clouds.
  static func stripes(
    _ a: SIMD4<Float>, _ b: SIMD4<Float>, width: Float, turned angle: Float, seed: UInt64
  ) -> Color {
    let (c, s) = (Turn.cosine(angle), Turn.sine(angle))
    return { place in
      let way = (place.x * c + place.y * s) / width
      let part = edge(way - (way / 2).rounded(.down) * 2, width)
      return (a + (b - a) * part) * (0.8 + 0.4 * noise(place / (3 * width), seed))
    }
  }

  /// Squares of two colours, with clouds.
  static func checker(_ a: SIMD4<Float>, _ b: SIMD4<Float>, width: Float, seed: UInt64) -> Color {
    { place in
      let cell = place / width
      let column = edge(cell.x - (cell.x / 2).rounded(.down) * 2, width)
      let row = edge(cell.y - (cell.y / 2).rounded(.down) * 2, width)
      let part = column + row - 2 * column * row
      return (a + (b - a) * part) * (0.8 + 0.4 * noise(place / (2 * width), seed))
    }
  }

  /// Rows of small marks like writing.
  static func writing(_ paper: SIMD4<Float>, _ ink: SIMD4<Float>, size: Float, seed: UInt64) -> Color {
    { place in
      let cell = SIMD2(place.x / (size * 0.6), place.y / (size * 1.6))
      let (column, line) = (Int(cell.x.rounded(.down)), Int(cell.y.rounded(.down)))
      let inside = SIMD2(cell.x - Float(column), cell.y - Float(line))
      guard SeededRandom.hash(column, line, seed: seed) > 0.18, inside.y > 0.25, inside.y < 0.85 else { return paper }
      let (i, j) = (Int(inside.x * 3), Int((inside.y - 0.25) * 8))
      let isInk = SeededRandom.hash(column * 3 + i, line * 5 + j, seed: seed &+ 1) > 0.5
      return isInk ? ink : paper
    }
  }

  /// From 0 (in 0…1) to 1 (in 1…2), over a pixel at the steps.
  private static func edge(_ way: Float, _ width: Float) -> Float {
    let up = min(max((way - 1) * width + 0.5, 0), 1)
    let down = min(max((way - 2) * width + 0.5, 0), 1)
    let start = min(max(0.5 - way * width, 0), 1)
    return max(up - down, start)
  }

  /// From 0 to 1.
  static func noise(_ place: SIMD2<Float>, _ seed: UInt64) -> Float {
    var (sum, share) = (Float(0), Float(0.5))
    var position = place
    for octave in 0..<4 {
      sum += share * smooth(position, seed &+ UInt64(octave))
      share *= 0.5
      position *= 2
    }
    return sum / (1 - share * 2)
  }

  private static func smooth(_ place: SIMD2<Float>, _ seed: UInt64) -> Float {
    let corner = place.rounded(.down)
    var part = place - corner
    part = part * part * (3 - 2 * part)
    let (x, y) = (Int(corner.x), Int(corner.y))
    let top = SeededRandom.hash(x, y, seed: seed) * (1 - part.x) + SeededRandom.hash(x + 1, y, seed: seed) * part.x
    let bottom =
      SeededRandom.hash(x, y + 1, seed: seed) * (1 - part.x) + SeededRandom.hash(x + 1, y + 1, seed: seed) * part.x
    return top * (1 - part.y) + bottom * part.y
  }
}

extension SeededRandom {
  /// A colour of linear light, neither black nor white.
  mutating func color(_ brightness: Range<Float> = 0.15..<0.8) -> SIMD4<Float> {
    let light = float(brightness)
    return SIMD4(float(0.35..<1), float(0.35..<1), float(0.35..<1), 0) * light
  }

  /// A surface of any kind, with detail of about `size` pixels.
  mutating func surface(_ size: Float) -> Shape.Color {
    let (a, b, seed) = (color(), color(0.05..<0.4), next())
    switch next() % 4 {
    case 0: return Pattern.clouds(a, size: size * 2, depth: 0.6, seed: seed)
    case 1: return Pattern.stripes(a, b, width: size, turned: float(0..<3.1), seed: seed)
    case 2: return Pattern.checker(a, b, width: size * 1.3, seed: seed)
    default: return Pattern.writing(a, b * 0.3, size: size * 1.6, seed: seed)
    }
  }
}
