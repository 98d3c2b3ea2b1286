/// The scenes of the benchmark.
package enum SceneKind: String, CaseIterable, Sendable {
  /// Three layers, the nearest with strands of hair.
  case portrait
  /// The same with bright lights.
  case portraitLights = "portrait-lights"
  case bars, foliage, strands, mesh, crowd, floor, plates

  /// Scenes whose layers move, at a fixed pace.
  package static let moving: [SceneKind] = [.crowd, .foliage]

  /// Paints the scene. It is made for a width of 960 pixels; a larger picture shows it larger, a smaller one its middle.
  package func scene(width: Int, height: Int, seed: UInt64 = 1) -> LayeredScene {
    let whole = (width: max(width, 960), height: max(height, max(width, 960) * 9 / 16))
    let name = rawValue.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) }
    var maker = SceneMaker(width: whole.width, height: whole.height, seed: seed &* 1000 &+ name)
    let layers =
      switch self {
      case .portrait: maker.portrait(lights: false)
      case .portraitLights: maker.portrait(lights: true)
      case .bars: maker.bars()
      case .foliage: maker.foliage()
      case .strands: maker.strands()
      case .mesh: maker.mesh()
      case .crowd: maker.crowd()
      case .floor: maker.floor()
      case .plates: maker.plates()
      }
    let corner = ((whole.width - width) / 2, (whole.height - height) / 2)
    return LayeredScene(
      name: rawValue, width: width, height: height, layers: layers.map { $0.moved(by: (-corner.0, -corner.1)) })
  }
}

/// Paints the layers of one scene.
struct SceneMaker {
  let width: Float
  let height: Float
  /// Pixels for one at a width of 960.
  let unit: Float
  var random: SeededRandom

  init(width: Int, height: Int, seed: UInt64) {
    (self.width, self.height, unit) = (Float(width), Float(height), Float(width) / 960)
    random = SeededRandom(seed)
  }

  /// Content goes on this far beyond the frame.
  private var margin: Float { 40 * unit }
  private var whole: Box { Box(-margin, -margin, width + margin, height + margin) }

  private mutating func place() -> SIMD2<Float> { SIMD2(random.float(0..<width), random.float(0..<height)) }

  /// A layer that covers everything.
  private mutating func background(_ disparity: Float, slope: SIMD2<Float> = .zero, lights: Int = 0) -> Layer {
    var painter = Painter(whole)
    let middle = SIMD2(width, height) / 2
    painter.paint(.rectangle(middle, middle + 2 * margin, random.surface(14 * unit)))
    for _ in 0..<24 {
      let half = SIMD2(random.float(20..<90), random.float(20..<90)) * unit
      painter.paint(.rectangle(place(), half, turned: random.float(0..<3), random.surface(random.float(5..<14) * unit)))
    }
    paintLights(lights, into: &painter)
    return painter.layer(slope: slope, offset: disparity)
  }

  /// Small lights that are many times brighter than white.
  private mutating func paintLights(_ count: Int, into painter: inout Painter) {
    for _ in 0..<count {
      let color = SIMD4(random.float(0.5..<1), random.float(0.5..<1), random.float(0.4..<1), 0) * random.float(10..<50)
      painter.paint(.disc(place(), random.float(1.2..<3) * unit, Pattern.plain(color)))
    }
  }

  /// A bent line of decreasing width.
  private mutating func strand(
    from start: SIMD2<Float>, angle: Float, length: Float, width: Float, into painter: inout Painter
  ) {
    let (color, steps) = (random.color(0.1..<0.7), 12)
    var (place, angle) = (start, angle)
    let bend = random.float(-0.12..<0.12)
    for step in 0..<steps {
      let next = place + SIMD2(Turn.cosine(angle), Turn.sine(angle)) * (length / Float(steps))
      let radius = width / 2 * (1 - 0.6 * Float(step) / Float(steps))
      painter.paint(.capsule(place, next, radius, Pattern.clouds(color, size: 4 * unit, depth: 0.5, seed: 3)))
      (place, angle) = (next, angle + bend)
    }
  }

  mutating func portrait(lights: Bool) -> [Layer] {
    var near = Painter(whole)
    let head = SIMD2(width * 0.34, height * 0.62)
    for _ in 0..<70 {
      strand(
        from: head + SIMD2(random.float(-70..<70), random.float(-90..<0)) * unit, angle: random.float(-2.9 ..< -0.2),
        length: random.float(60..<190) * unit, width: random.float(1..<2.4) * unit, into: &near)
    }
    near.paint(.ellipse(head, SIMD2(110, 150) * unit, turned: 0.1, random.surface(9 * unit)))
    near.paint(.rectangle(head + SIMD2(0, 240) * unit, SIMD2(200, 130) * unit, random.surface(12 * unit)))
    if lights { paintLights(6, into: &near) }
    var middle = Painter(whole)
    for _ in 0..<7 {
      middle.paint(.disc(place(), random.float(25..<75) * unit, random.surface(8 * unit)))
    }
    if lights { paintLights(6, into: &middle) }
    return [
      near.layer(offset: 0.85), middle.layer(slope: SIMD2(0.1 / width, 0), offset: 0.45),
      background(0.1, lights: lights ? 16 : 0),
    ]
  }

  mutating func bars() -> [Layer] {
    var layers: [Layer] = []
    for (disparity, count) in [(Float(0.9), 4), (0.6, 6), (0.35, 8)] {
      var painter = Painter(whole)
      for _ in 0..<count {
        let half = SIMD2(random.float(4..<16) * unit, height)
        painter.paint(
          .rectangle(place(), half, turned: random.float(-0.35..<0.35), random.surface(random.float(5..<12) * unit)))
      }
      layers.append(painter.layer(slope: SIMD2(random.float(-0.08..<0.08) / width, 0), offset: disparity))
    }
    return layers + [background(0.08, lights: 10)]
  }

  mutating func foliage() -> [Layer] {
    var layers: [Layer] = []
    for (number, disparity) in [Float(0.95), 0.7, 0.5, 0.3].enumerated() {
      var painter = Painter(whole)
      for _ in 0..<140 {
        let size = random.float(5..<14) * unit * (0.6 + disparity)
        let green = SIMD4(random.float(0.05..<0.4), random.float(0.2..<0.7), random.float(0.03..<0.2), 0)
        painter.paint(
          .ellipse(
            place(), SIMD2(size, size * 0.4), turned: random.float(0..<3.1),
            Pattern.clouds(green, size: 6 * unit, depth: 0.4, seed: random.next())))
      }
      layers.append(painter.layer(offset: disparity, velocity: SIMD2(Float(number) - 1, Float(number % 2))))
    }
    return layers + [background(0.05, lights: 14)]
  }

  mutating func strands() -> [Layer] {
    var layers: [Layer] = []
    for disparity in [Float(0.9), 0.55] {
      var painter = Painter(whole)
      for _ in 0..<110 {
        strand(
          from: SIMD2(random.float(0..<width), height + 10), angle: random.float(-1.9 ..< -1.2),
          length: random.float(150..<500) * unit, width: random.float(1..<3.2) * unit, into: &painter)
      }
      layers.append(painter.layer(offset: disparity))
    }
    return layers + [background(0.15)]
  }

  mutating func mesh() -> [Layer] {
    var painter = Painter(whole)
    let (color, step) = (random.color(0.2..<0.6), 26 * unit)
    for line in 0..<Int((width + height) / step) + 4 {
      let start = Float(line) * step - height
      let shade = Pattern.clouds(color, size: 9 * unit, depth: 0.5, seed: 5)
      painter.paint(.capsule(SIMD2(start, -margin), SIMD2(start + height, height), 1.1 * unit, shade))
      painter.paint(.capsule(SIMD2(start + height, -margin), SIMD2(start, height), 1.1 * unit, shade))
    }
    var middle = Painter(whole)
    for _ in 0..<6 { middle.paint(.disc(place(), random.float(30..<80) * unit, random.surface(9 * unit))) }
    paintLights(5, into: &middle)
    return [painter.layer(offset: 0.85), middle.layer(offset: 0.4), background(0.1, lights: 6)]
  }

  mutating func crowd() -> [Layer] {
    var layers: [Layer] = []
    for _ in 0..<46 {
      let disparity = random.float(0.12..<1)
      let size = (14 + 60 * disparity) * unit
      let middle = place()
      let tilt = SIMD2(random.float(-0.06..<0.06), random.float(-0.06..<0.06)) / (2 * size)
      var painter = Painter(Box(around: middle, size * 1.5))
      painter.paint(.disc(middle - SIMD2(0, size * 0.7), size * 0.36, random.surface(6 * unit)))
      painter.paint(
        .ellipse(middle + SIMD2(0, size * 0.3), SIMD2(size * 0.6, size * 0.75), turned: 0, random.surface(7 * unit)))
      if random.next() % 6 == 0 { paintOwnLight(middle, into: &painter) }
      let offset = disparity - (tilt * middle).sum()
      let velocity = SIMD2((random.float(-2..<2)).rounded(), (random.float(-1..<1)).rounded())
      layers.append(painter.layer(slope: tilt, offset: offset, velocity: velocity))
    }
    let near = { (layer: Layer) in layer.disparity(layer.middle) }
    return layers.sorted { near($0) > near($1) } + [background(0.05, lights: 10)]
  }

  private mutating func paintOwnLight(_ middle: SIMD2<Float>, into painter: inout Painter) {
    let color = SIMD4(1, random.float(0.6..<1), random.float(0.3..<0.9), 0) * random.float(10..<40)
    painter.paint(.disc(middle, random.float(1.5..<3) * unit, Pattern.plain(color)))
  }

  mutating func floor() -> [Layer] {
    let horizon = height * 0.35
    var painter = Painter(Box(-margin, horizon, width + margin, height + margin))
    painter.paint(
      .rectangle(
        SIMD2(width / 2, horizon + height), SIMD2(width, height), random.surface(12 * unit)))
    let slope = 0.9 / (height - horizon)
    var layers: [Layer] = []
    for _ in 0..<9 {
      let disparity = random.float(0.2..<0.9)
      let foot = SIMD2(random.float(0..<width), horizon + (disparity - 0.1) / slope)
      let size = 90 * disparity * unit
      var post = Painter(Box(foot.x - size, foot.y - 3 * size, foot.x + size, foot.y))
      post.paint(
        .rectangle(foot - SIMD2(0, size * 1.2), SIMD2(size * 0.35, size * 1.2), random.surface(7 * unit)))
      layers.append(post.layer(offset: disparity))
    }
    layers.sort { $0.offset > $1.offset }
    return layers + [painter.layer(slope: SIMD2(0, slope), offset: 0.1 - slope * horizon), background(0.1, lights: 6)]
  }

  mutating func plates() -> [Layer] {
    var layers: [Layer] = []
    for _ in 0..<12 {
      let (disparity, middle) = (random.float(0.2..<0.95), place())
      let half = SIMD2(random.float(40..<110), random.float(30..<80)) * unit
      let tilt = SIMD2(random.float(-0.15..<0.15), random.float(-0.15..<0.15)) / (2 * half)
      var painter = Painter(Box(around: middle, (half * half).sum().squareRoot()))
      let angle = random.float(-0.4..<0.4)
      painter.paint(.rectangle(middle, half, turned: angle, random.surface(random.float(5..<10) * unit)))
      layers.append(painter.layer(slope: tilt, offset: disparity - (tilt * middle).sum()))
    }
    let near = { (layer: Layer) in layer.disparity(layer.middle) }
    return layers.sorted { near($0) > near($1) } + [background(0.1, lights: 8)]
  }
}

extension Layer {
  /// The middle of its texture in the frame.
  var middle: SIMD2<Float> {
    SIMD2(Float(origin.x) + Float(texture.width) / 4, Float(origin.y) + Float(texture.height) / 4)
  }
}
