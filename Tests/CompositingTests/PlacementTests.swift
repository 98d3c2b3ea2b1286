import Bokeh
import Compositing
import Testing

/// Where pictures go, and what becomes of them on the way.
@Suite struct PlacementTests {
  private let workers = Workers(2)

  @Test func `the kinds of fit are the formulas`() {
    let (wide, canvas) = ((width: 200, height: 100), (width: 100, height: 100))
    #expect(Placement(of: wide, on: canvas, .fill) == Placement(x: -50, y: 0, width: 200, height: 100))
    #expect(Placement(of: wide, on: canvas, .fit) == Placement(x: 0, y: 25, width: 100, height: 50))
    #expect(Placement(of: wide, on: canvas, .stretch) == Placement(x: 0, y: 0, width: 100, height: 100))
    #expect(Placement(of: wide, on: canvas, .none) == Placement(x: -50, y: 0, width: 200, height: 100))
    #expect(Placement(of: wide, on: canvas, .fit, position: (0, 1)) == Placement(x: 0, y: 50, width: 100, height: 50))
    #expect(
      Placement(of: (10, 10), on: canvas, .none, position: (1, 0)) == Placement(x: 90, y: 0, width: 10, height: 10))
    // Pixels twice as wide as the canvas's.
    #expect(
      Placement(of: (50, 100), on: canvas, .fit, pixelAspect: 2) == Placement(x: 0, y: 0, width: 100, height: 100))
  }

  private func raster(_ width: Int, _ height: Int, _ pixel: (Int, Int) -> SIMD4<Float>) -> Raster {
    let raster = Raster(width: width, height: height)
    for y in 0..<height { for x in 0..<width { raster[x, y] = pixel(x, y) } }
    return raster
  }

  private func placed(
    _ picture: Raster, _ placement: Placement, on canvas: (width: Int, height: Int), _ alpha: AlphaMode = .straight
  ) -> Raster {
    let target = Raster(width: canvas.width, height: canvas.height)
    Resampler(source: (picture.width, picture.height), canvas: canvas, placement: placement).place(
      picture, alpha: alpha, into: target, workers)
    return target
  }

  private func largest(_ pixel: SIMD4<Float>) -> Float { max(abs(pixel.x), abs(pixel.y), abs(pixel.z), abs(pixel.w)) }

  @Test(arguments: [(5, 7), (33, 17), (16, 16), (64, 3)])
  func `one colour stays one colour at every size`(width: Int, height: Int) {
    let color = SIMD4<Float>(0.9, 0.2, 0.4, 1)
    let picture = raster(width, height) { _, _ in color }
    for canvas in [(width: 9, height: 9), (width: 31, height: 50), (width: 128, height: 64)] {
      for fit in [Placement.Fit.fill, .stretch] {
        let result = placed(picture, Placement(of: (width, height), on: canvas, fit), on: canvas)
        for y in 0..<canvas.height {
          for x in 0..<canvas.width { #expect(largest(result[x, y] - color) < 1e-5 && result[x, y].w == 1) }
        }
      }
    }
  }

  @Test func `a picture of its own size is moved as it is`() {
    let picture = raster(7, 5) { x, y in SIMD4(Float(x), Float(y), 0.5, Float(x % 2)) }
    let result = placed(picture, Placement(x: 2, y: -1, width: 7, height: 5), on: (11, 6))
    for y in 0..<6 {
      for x in 0..<11 {
        let isInside = (2..<9).contains(x) && y < 4
        let expected = isInside && x % 2 == 1 ? picture[x - 2, y + 1] : SIMD4<Float>.zero
        #expect(result[x, y] == expected)
      }
    }
  }

  @Test func `a slope stays a slope`() {
    let picture = raster(20, 4) { x, _ in SIMD4(Float(x) / 20, 0, 0, 1) }
    let result = placed(picture, Placement(x: 0, y: 0, width: 60, height: 4), on: (60, 4))
    for x in 9..<51 { #expect(abs(result[x, 2].x - ((Float(x) + 0.5) / 3 - 0.5) / 20) < 1e-5) }
  }

  @Test func `what shrinks keeps its mean, and its mirror is the mirror's`() {
    let picture = raster(24, 12) { x, y in SIMD4(Float((x * 7 + y * 5) % 11) / 11, 0, 0, 1) }
    let mirrored = raster(24, 12) { x, y in picture[23 - x, y] }
    let whole = Placement(x: 0, y: 0, width: 8, height: 4)
    let (small, other) = (placed(picture, whole, on: (8, 4)), placed(mirrored, whole, on: (8, 4)))
    func mean(_ raster: Raster) -> Float {
      (0..<raster.width * raster.height).reduce(0) { $0 + raster.pixels[$1].x } / Float(raster.width * raster.height)
    }
    // The kernel meets the border, where the outermost pixels count more often.
    #expect(abs(mean(small) - mean(picture)) < 0.02)
    for y in 0..<4 { for x in 0..<8 { #expect(abs(small[x, y].x - other[7 - x, y].x) < 1e-5) } }
  }

  @Test(arguments: [AlphaMode.straight, .premultiplied, .premultipliedWhite])
  func `what is transparent leaves no trace in what is not`(alpha: AlphaMode) {
    // Red beside a green of which nothing is to be seen.
    let picture = raster(16, 8) { x, _ in
      if x < 8 { return SIMD4(1, 0, 0, 1) }
      return alpha == .straight ? SIMD4(0, 1, 0, 0) : alpha.nothing
    }
    for width in [9, 40, 77] {
      let result = placed(picture, Placement(x: 0, y: 0, width: width, height: 8), on: (width, 8), alpha)
      alpha.makeStraight(result.row(4), width)
      for x in 0..<width where result[x, 4].w > 0.001 {
        #expect(largest(result[x, 4] - SIMD4(1, 0, 0, result[x, 4].w)) < 1e-3)
        #expect(result[x, 4].w <= 1)
      }
    }
  }
}
