/// A painted, partly transparent sheet of a scene: a rectangle of texture on a slanted plane of disparity.
package struct Layer: Sendable {
  /// disparity = slope · position + offset, position in pixels of the frame.
  package let slope: SIMD2<Float>
  package let offset: Float
  /// Pixels a frame, to the right and down.
  package let velocity: SIMD2<Float>
  /// Premultiplied linear light and coverage, 2 x 2 texels a pixel; the first four lie in frame pixel `origin`.
  let texture: LightImage
  let origin: (x: Int, y: Int)

  package init(
    texture: LightImage, origin: (x: Int, y: Int), slope: SIMD2<Float>, offset: Float,
    velocity: SIMD2<Float> = .zero
  ) {
    (self.texture, self.origin, self.slope, self.offset, self.velocity) = (texture, origin, slope, offset, velocity)
  }

  /// The disparity at a place of the frame.
  package func disparity(_ place: SIMD2<Float>) -> Float { (slope * place).sum() + offset }

  /// The layer `frames` later.
  func later(_ frames: Int) -> Layer {
    let way = velocity * Float(frames)
    return moved(by: (Int(way.x), Int(way.y)))
  }

  /// The layer elsewhere in the frame.
  func moved(by way: (x: Int, y: Int)) -> Layer {
    Layer(
      texture: texture, origin: (origin.x + way.x, origin.y + way.y), slope: slope,
      offset: offset - (slope * SIMD2(Float(way.x), Float(way.y))).sum(), velocity: velocity)
  }

  /// The part of the frame that the texture covers.
  var columns: ClosedRange<Float> { Float(origin.x)...Float(origin.x + texture.width / 2 - 1) }
  var rows: ClosedRange<Float> { Float(origin.y)...Float(origin.y + texture.height / 2 - 1) }
}

/// A scene of layers, the nearest first; the last covers everything.
package struct LayeredScene: Sendable {
  package let name: String
  package let width: Int
  package let height: Int
  package let layers: [Layer]

  package init(name: String, width: Int, height: Int, layers: [Layer]) {
    (self.name, self.width, self.height, self.layers) = (name, width, height, layers)
  }

  package func frame(_ number: Int) -> LayeredScene {
    LayeredScene(name: name, width: width, height: height, layers: layers.map { $0.later(number) })
  }

  /// The picture with everything in focus: the mean of four texels a pixel.
  package var picture: LightImage {
    LightImage(width: width, height: height, filler: .zero) { y, row in
      for x in row.indices { row[x] = Layer.corners.reduce(SIMD4.zero) { $0 + light(x, y, $1) } / 4 }
    }
  }

  private func light(_ x: Int, _ y: Int, _ corner: SIMD2<Float>) -> SIMD4<Float> {
    var light = SIMD4<Float>.zero
    let place = SIMD2(Float(x), Float(y)) + corner
    for layer in layers {
      light += layer.nearest(place) * (1 - light.w)
      if light.w >= 1 { break }
    }
    return light
  }

  /// The disparity of the layer in front.
  package var disparity: ScalarImage {
    ScalarImage(width: width, height: height, filler: 0) { y, row in
      for x in row.indices { row[x] = front(x, y).disparity(SIMD2(Float(x), Float(y))) }
    }
  }

  /// How far what a pixel shows moves to the next frame.
  package var flow: Image<SIMD2<Float>> {
    Image(width: width, height: height, filler: .zero) { y, row in
      for x in row.indices { row[x] = front(x, y).velocity }
    }
  }

  /// The nearest layer that covers more than half of a pixel.
  private func front(_ x: Int, _ y: Int) -> Layer {
    layers.first { $0.coverage(x, y) > 0.5 } ?? layers[layers.count - 1]
  }
}

extension Layer {
  /// From the middle of a pixel to the middles of its texels.
  fileprivate static let corners = [-0.25, 0.25].flatMap { y in [-0.25, 0.25].map { x in SIMD2<Float>(x, y) } }

  /// The texel at a place of the frame, nothing outside.
  @inline(__always)
  func nearest(_ place: SIMD2<Float>) -> SIMD4<Float> {
    let column = (place.x - Float(origin.x)) * 2 + 1
    let row = (place.y - Float(origin.y)) * 2 + 1
    guard column >= 0, row >= 0, column < Float(texture.width), row < Float(texture.height) else { return .zero }
    return texture.values.withUnsafeBufferPointer { $0[Int(row) &* texture.width &+ Int(column)] }
  }

  fileprivate func coverage(_ x: Int, _ y: Int) -> Float {
    Layer.corners.reduce(0) { $0 + nearest(SIMD2(Float(x), Float(y)) + $1).w } / 4
  }
}
