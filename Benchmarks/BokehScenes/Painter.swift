/// Where something is painted, in pixels of the frame.
struct Box {
  var left: Float
  var top: Float
  var right: Float
  var bottom: Float

  init(_ left: Float, _ top: Float, _ right: Float, _ bottom: Float) {
    (self.left, self.top, self.right, self.bottom) = (left, top, right, bottom)
  }

  init(around middle: SIMD2<Float>, _ reach: Float) {
    self.init(middle.x - reach, middle.y - reach, middle.x + reach, middle.y + reach)
  }
}

/// A shape with a colour at each of its places.
struct Shape {
  let box: Box
  /// Pixels to the outline, negative inside.
  let distance: @Sendable (SIMD2<Float>) -> Float
  let color: @Sendable (SIMD2<Float>) -> SIMD4<Float>
}

/// Paints shapes over each other into a texture of 2 x 2 texels a pixel, with outlines that are a texel wide.
struct Painter {
  private(set) var texture: LightImage
  let origin: (x: Int, y: Int)

  /// A transparent texture for `box`.
  init(_ box: Box) {
    origin = (Int(box.left.rounded(.down)), Int(box.top.rounded(.down)))
    let width = 2 * max(1, Int(box.right.rounded(.up)) - origin.x + 1)
    let height = 2 * max(1, Int(box.bottom.rounded(.up)) - origin.y + 1)
    texture = LightImage(width: width, height: height, values: Array(repeating: .zero, count: width * height))
  }

  mutating func paint(_ shape: Shape) {
    let left = max(0, 2 * (Int(shape.box.left) - 1 - origin.x))
    let right = min(texture.width - 1, 2 * (Int(shape.box.right) + 2 - origin.x))
    let top = max(0, 2 * (Int(shape.box.top) - 1 - origin.y))
    let bottom = min(texture.height - 1, 2 * (Int(shape.box.bottom) + 2 - origin.y))
    guard left <= right, top <= bottom else { return }
    for y in top...bottom {
      for x in left...right {
        let place = SIMD2(Float(x) / 2 - 0.25 + Float(origin.x), Float(y) / 2 - 0.25 + Float(origin.y))
        let coverage = min(max(0.5 - 2 * shape.distance(place), 0), 1)
        guard coverage > 0 else { continue }
        var color = shape.color(place)
        color.w = 1
        texture[x, y] = texture[x, y] * (1 - coverage) + color * coverage
      }
    }
  }

  func layer(slope: SIMD2<Float> = .zero, offset: Float, velocity: SIMD2<Float> = .zero) -> Layer {
    Layer(texture: texture, origin: origin, slope: slope, offset: offset, velocity: velocity)
  }
}

extension Shape {
  typealias Color = @Sendable (SIMD2<Float>) -> SIMD4<Float>

  static func disc(_ middle: SIMD2<Float>, _ radius: Float, _ color: @escaping Color) -> Shape {
    Shape(
      box: Box(around: middle, radius),
      distance: { place in
        let way = place - middle
        return (way * way).sum().squareRoot() - radius
      }, color: color)
  }

  /// An ellipse turned by an angle, its outline as good as a pixel.
  static func ellipse(
    _ middle: SIMD2<Float>, _ radii: SIMD2<Float>, turned angle: Float, _ color: @escaping Color
  ) -> Shape {
    let (c, s) = (Turn.cosine(angle), Turn.sine(angle))
    return Shape(
      box: Box(around: middle, radii.max()),
      distance: { place in
        let way = place - middle
        let unit = SIMD2(way.x * c + way.y * s, way.y * c - way.x * s) / radii
        let length = (unit * unit).sum().squareRoot()
        let slope = unit / radii
        return length == 0 ? -radii.min() : (length - 1) * length / (slope * slope).sum().squareRoot()
      }, color: color)
  }

  static func rectangle(
    _ middle: SIMD2<Float>, _ half: SIMD2<Float>, turned angle: Float = 0, _ color: @escaping Color
  ) -> Shape {
    let (c, s) = (Turn.cosine(angle), Turn.sine(angle))
    return Shape(
      box: Box(around: middle, (half * half).sum().squareRoot()),
      distance: { place in
        let way = place - middle
        let turned = SIMD2(abs(way.x * c + way.y * s), abs(way.y * c - way.x * s)) - half
        return max(turned.x, turned.y)
      }, color: color)
  }

  /// A straight piece of a strand.
  static func capsule(
    _ from: SIMD2<Float>, _ to: SIMD2<Float>, _ radius: Float, _ color: @escaping Color
  ) -> Shape {
    let way = to - from
    let squares = max((way * way).sum(), 1e-6)
    let box = Box(
      min(from.x, to.x) - radius, min(from.y, to.y) - radius, max(from.x, to.x) + radius, max(from.y, to.y) + radius)
    return Shape(
      box: box,
      distance: { place in
        let part = min(max(((place - from) * way).sum() / squares, 0), 1)
        let rest = place - from - way * part
        return (rest * rest).sum().squareRoot() - radius
      }, color: color)
  }
}
