import Bokeh
import Testing

@Suite struct DiscTests {
  /// A grey far plane with one bright pixel in the middle, everything blurred by `radius`.
  private func spread(radius: Float, quality: BokehQuality? = nil, side: Int = 61) -> [Float] {
    var light = [SIMD4<Float>](repeating: SIMD4(0, 0, 0, 1), count: side * side)
    light[side / 2 * side + side / 2] = SIMD4(1000, 1000, 1000, 1)
    let planes = RenderPlanes(
      width: side, height: side, light: light, disparity: [Float](repeating: 0, count: side * side))
    let renderer = PlaneRenderer(quality: quality ?? (radius > 8 ? .exportHigh : .export), threads: 1)
    return renderer.render(planes, focus: 1, radiusPerDisparity: radius).light.map(\.x)
  }

  @Test(
    "a point becomes a disc of area πr² that holds all its light",
    arguments: [0.3, 0.5, 0.7, 1, 1.37, 2, 5.03, 11.9, 24] as [Float])
  func area(radius: Float) {
    let disc = spread(radius: radius)
    let sum = disc.reduce(0, +)
    #expect(abs(sum - 1000) < 1)
    // Spans are exact in length, so covered pixels hold 1000 / area, and the number of pixels by coverage is the area.
    // Radii are drawn in steps of 1/32 px; those of about a pixel a little smaller, for squares soften them by themselves.
    let smallest: Float = radius > 0.75 && radius < 1.75 ? 0.9 : 1
    let drawn = (radius * 32).rounded() / 32
    let area = max(1, Float.pi * drawn * drawn)
    let covered = disc.reduce(0) { $0 + min($1 / (1000 / area), 1) }
    #expect(covered / area > smallest * smallest - 0.02 && covered / area < 1.02)
    #expect(disc.max()! <= 1000 / (area * smallest * smallest) * 1.001)
  }

  @Test("no light lies outside the radius, all pixels well inside are lit alike", arguments: [4, 9.5, 20] as [Float])
  func shape(radius: Float) {
    let disc = spread(radius: radius)
    for y in 0..<61 {
      for x in 0..<61 {
        let distance = Float((x - 30) * (x - 30) + (y - 30) * (y - 30)).squareRoot()
        let value = disc[y * 61 + x] * Float.pi * radius * radius / 1000
        if distance > radius + 1 { #expect(abs(value) < 1e-3) }
        if distance < radius - 1 { #expect(abs(value - 1) < 2e-3) }
      }
    }
  }

  @Test("a disc grows without a jump")
  func continuity() {
    var before = spread(radius: 0.4, side: 31)
    for step in 1...60 {
      let now = spread(radius: 0.4 + Float(step) * 0.05, side: 31)
      let change = zip(before, now).map { abs($0 - $1) }.reduce(0, +)
      // Twice the growth of the area, as a share of the light; steps of 1/32 px and the corner of the first pixel come
      // on top.
      #expect(change < 420)
      before = now
    }
  }

  @Test("a large disc keeps its light at half resolution", arguments: [130, 300] as [Float])
  func large(radius: Float) {
    let side = 2 * Int(radius) + 61
    let disc = spread(radius: radius, side: side)
    #expect(abs(disc.reduce(0, +) - 1000) < 10)
    let middle = disc[side / 2 * side + side / 2]
    #expect(abs(middle * Float.pi * radius * radius / 1000 - 1) < 0.03)
  }

  @Test("a preview's disc is the export's", arguments: [2.5, 4, 9] as [Float])
  func preview(radius: Float) {
    let preview = spread(radius: radius, quality: .preview)
    #expect(abs(preview.reduce(0, +) - 1000) < 2)
    let second = preview.enumerated().reduce(Float(0)) { sum, pixel in
      let (x, y) = (Float(pixel.offset % 61 - 30), Float(pixel.offset / 61 - 30))
      return sum + pixel.element * (x * x + y * y)
    }
    // A disc's mean squared distance from its centre is r² / 2; the smallest are half resolution's own blur in good
    // part.
    #expect(abs(second / 1000 / (radius * radius / 2) - 1) < 0.16)
  }
}
