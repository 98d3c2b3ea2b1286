/// A layered scene through a thin lens: rays through points of a round aperture, front to back, in linear light.
package struct RayTruth: Sendable {
  /// The disparity in focus.
  package let focus: Float
  /// Pixels of radius for each unit of disparity.
  package let radiusPerDisparity: Float

  /// Rays a pixel at least; where discs are large as many as there are pixels in the largest, so that no light slips
  /// through between two rays.
  package static let leastRays = 256

  package init(focus: Float, radiusPerDisparity: Float) {
    (self.focus, self.radiusPerDisparity) = (focus, radiusPerDisparity)
  }

  package func render(_ scene: LayeredScene) -> LightImage {
    LightImage(width: scene.width, height: scene.height, filler: .zero) { y, row in
      for start in stride(from: 0, to: scene.width, by: RayTruth.tile) {
        let columns = start..<min(start + RayTruth.tile, scene.width)
        let seen = visible(scene, columns, y)
        for x in columns { row[x] = pixel(seen, x, y) }
      }
    }
  }

  private static let tile = 32
  /// Steps that spread evenly over a pixel (Roberts's sequence for two dimensions).
  private static let spread = SIMD2<Float>(0.754_877_67, 0.569_840_29)

  /// What rays from some pixels of a row may meet, and how many rays do.
  private func visible(_ scene: LayeredScene, _ columns: Range<Int>, _ y: Int) -> (layers: [Sheet], rays: Int) {
    var largest: Float = 0
    let sheets = scene.layers.compactMap { layer -> Sheet? in
      let ends = [columns.lowerBound, columns.upperBound].map { layer.disparity(SIMD2(Float($0), Float(y))) }
      // A slanted plane is met somewhere else than straight ahead; twice the radius is more than enough.
      let radius = ends.map { abs($0 - focus) * radiusPerDisparity }.max()! * 2 + 2
      let reach = radius
      guard Float(columns.upperBound) + reach >= layer.columns.lowerBound,
        Float(columns.lowerBound) - reach <= layer.columns.upperBound, Float(y) + reach >= layer.rows.lowerBound,
        Float(y) - reach <= layer.rows.upperBound
      else { return nil }
      largest = max(largest, radius / 2)
      return Sheet(layer, self)
    }
    return (sheets, max(RayTruth.leastRays, Int(Float.pi * largest * largest)))
  }

  private func pixel(_ seen: (layers: [Sheet], rays: Int), _ x: Int, _ y: Int) -> SIMD4<Float> {
    var sum = SIMD4<Float>.zero
    let middle = SIMD2(Float(x), Float(y))
    // A spiral of equal areas, turned by another angle at each pixel.
    let angle = SeededRandom.hash(x, y, seed: 7) * 2 * .pi
    var direction = SIMD2(Turn.cosine(angle), Turn.sine(angle))
    var part = SIMD2<Float>(angle, SeededRandom.hash(x, y, seed: 8))
    for ray in 0..<seen.rays {
      let radius = ((Float(ray) + 0.5) / Float(seen.rays)).squareRoot()
      let point = direction * radius
      direction = Turn.golden(direction)
      part += RayTruth.spread
      part -= part.rounded(.down)
      let place = middle + part - 0.5
      var light = SIMD4<Float>.zero
      for sheet in seen.layers {
        light += sheet.sample(place, point) * (1 - light.w)
        if light.w > 0.999 { break }
      }
      sum += light
    }
    return sum / Float(seen.rays)
  }
}

/// A layer as rays of one lens meet it.
private struct Sheet {
  private let layer: Layer
  private let radius: Float
  private let focus: Float

  init(_ layer: Layer, _ truth: RayTruth) {
    self.layer = layer
    radius = truth.radiusPerDisparity
    focus = truth.focus
  }

  /// What a ray from pixel `place` through `point` of the unit aperture meets: it passes the frame at
  /// place + K · (d − focus) · point, with d the plane's disparity there.
  @inline(__always)
  func sample(_ place: SIMD2<Float>, _ point: SIMD2<Float>) -> SIMD4<Float> {
    let slope = layer.slope
    let along = radius * (slope * point).sum()
    let disparity = (layer.offset + (slope * place).sum() - focus * along) / (1 - along)
    let position = place + point * (radius * (disparity - focus))
    return layer.nearest(position)
  }
}
