import Bokeh
import BokehScenes
import Testing

/// Invariants of the blur on planes.
@Suite struct BlurTests {
  private static let scene = PaintedScene(.crowd, width: 96, height: 64).planes

  @Test("a uniform picture stays uniform whatever its disparity", arguments: BokehQuality.allCases)
  func uniform(quality: BokehQuality) {
    var planes = Self.scene
    planes.light = planes.light.map { _ in SIMD4(0.25, 0.5, 1, 0.75) }
    let renderer = PlaneRenderer(quality: quality, threads: 2)
    for focus in [0, 0.5, 1] as [Float] {
      let light = renderer.render(planes, focus: focus, radiusPerDisparity: 20).light
      let error = light.map { difference($0, SIMD4(0.25, 0.5, 1, 0.75)) }.max()!
      #expect(error < 1e-4)
    }
  }

  @Test("a flat scene keeps its light", arguments: [.preview, .export, .exportHigh] as [BokehQuality])
  func energy(quality: BokehQuality) {
    var planes = Self.scene
    planes.disparity = planes.disparity.map { _ in 0.3 }
    for i in planes.light.indices where min(i % 96, 95 - i % 96, i / 96, 63 - i / 96) < 16 {
      planes.light[i] = SIMD4(0, 0, 0, 1)
    }
    let light = PlaneRenderer(quality: quality, threads: 1).render(planes, focus: 0.8, radiusPerDisparity: 20).light
    let (before, after) = (planes.light.reduce(.zero, +), light.reduce(.zero, +))
    #expect(((before - after) / before).x.magnitude < 2e-3)
    #expect(((before - after) / before).z.magnitude < 2e-3)
  }

  @Test(
    "pixels in focus that no disc reaches are unchanged", arguments: [.preview, .export, .exportHigh] as [BokehQuality])
  func inFocus(quality: BokehQuality) {
    // The left half lies far, in focus; the right half near, blurred by 6 pixels.
    var planes = Self.scene
    for i in planes.disparity.indices { planes.disparity[i] = i % 96 < 48 ? 0.2 : 0.8 }
    let output = PlaneRenderer(quality: quality, threads: 1).render(planes, focus: 0.2, radiusPerDisparity: 10)
    for i in planes.light.indices where i % 96 < 38 {
      #expect(output.isUntouched[i])
      #expect(output.light[i] == planes.light[i])
    }
    for i in planes.light.indices where i % 96 >= 48 { #expect(!output.isUntouched[i]) }
    #expect(zip(output.light, planes.light).contains { $0 != $1 })
  }

  @Test(
    "nothing shines through where a surface goes out of focus",
    arguments: [.preview, .export, .exportHigh] as [BokehQuality])
  func unbroken(quality: BokehQuality) {
    // A dark surface, in focus but for a column of a radius of 0.9 pixels, beside a bright wall with discs of 20.
    var planes = Self.scene
    for i in planes.disparity.indices {
      let x = i % 96
      planes.light[i] = x < 40 ? SIMD4(1, 1, 1, 1) : SIMD4(0.01, 0.01, 0.01, 1)
      planes.disparity[i] = x < 40 ? 0 : x == 50 ? 1.045 : 1.015
    }
    let light = PlaneRenderer(quality: quality, threads: 1).render(planes, focus: 1, radiusPerDisparity: 20).light
    for i in light.indices where i % 96 == 50 { #expect(light[i].y < 0.03) }
  }

  @Test(
    "nothing shines through where noise makes pixels of a surface more blurred than those around",
    arguments: [.preview, .export, .exportHigh] as [BokehQuality])
  func noise(quality: BokehQuality) {
    let (width, height, border) = (96, 64, 48)
    var (light, disparity): ([SIMD4<Float>], [Float]) = ([], [])
    for y in 0..<height {
      for x in 0..<width {
        let isNear = x < border
        light.append(isNear ? SIMD4(0.1, 0.1, 0.1, 1) : SIMD4(10, 10, 10, 1))
        // Radii of 0.6 px, every few pixels one of 1.55, before a background of 20 px.
        disparity.append(!isNear ? 0 : 1 + (x % 5 == 2 && y % 4 == 1 ? 1.55 : 0.6) / 20)
      }
    }
    let planes = RenderPlanes(width: width, height: height, light: light, disparity: disparity)
    let result = PlaneRenderer(quality: quality, threads: 2).render(planes, focus: 1, radiusPerDisparity: 20)
    for y in 8..<height - 8 {
      for x in 8..<border - 4 {
        let value = result.light[y * width + x].x
        #expect(value < 0.12, "\(value) at (\(x), \(y))")
      }
    }
  }

  @Test("nothing shines through where a surface goes from one bin, and one resolution, to the next")
  func seams() {
    // A dark slat that leans away, radii of 6 to 16 pixels, before a bright wall with discs of 24.
    var planes = Self.scene
    for i in planes.disparity.indices {
      let (x, y) = (i % 96, i / 96)
      let isSlat = (36..<60).contains(x)
      planes.light[i] = isSlat ? SIMD4(0.05, 0.05, 0.05, 1) : SIMD4(1, 1, 1, 1)
      planes.disparity[i] = 1.2 - (isSlat ? 6 + 10 * Float(y) / 63 : 24) / 20
    }
    let results = [BokehQuality.export, .exportHigh].map {
      PlaneRenderer(quality: $0, threads: 1).render(planes, focus: 1.2, radiusPerDisparity: 20).light
    }
    let differences = planes.light.indices.filter { (46..<50).contains($0 % 96) }.map {
      abs(results[0][$0].y - results[1][$0].y)
    }
    // Half as many bins are not the same picture; a seam is twice as much.
    #expect(differences.max()! < 0.15)
  }

  @Test("the blur grows with the radius")
  func monotone() {
    let renderer = PlaneRenderer(quality: .export, threads: 1)
    var before = Float.infinity
    for scale in [0, 2, 4, 8, 16, 32] as [Float] {
      let light = renderer.render(Self.scene, focus: 0.9, radiusPerDisparity: scale).light
      // What neighbours in the far background differ by.
      var roughness: Float = 0
      for i in 1..<light.count where Self.scene.disparity[i] < 0.2 && Self.scene.disparity[i - 1] < 0.2 {
        roughness += abs(light[i].y - light[i - 1].y)
      }
      #expect(roughness < before)
      before = roughness
    }
  }

  @Test("a mirrored scene gives the mirrored picture", arguments: [.preview, .export, .exportHigh] as [BokehQuality])
  func mirror(quality: BokehQuality) {
    let (width, height) = (Self.scene.width, Self.scene.height)
    func mirrored<T>(_ values: [T]) -> [T] {
      values.indices.map { values[$0 / width * width + width - 1 - $0 % width] }
    }
    func upended<T>(_ values: [T]) -> [T] {
      values.indices.map { values[(height - 1 - $0 / width) * width + $0 % width] }
    }
    let renderer = PlaneRenderer(quality: quality, threads: 1)
    let plain = renderer.render(Self.scene, focus: 0.5, radiusPerDisparity: 12).light
    var other = Self.scene
    other.light = upended(mirrored(other.light))
    other.disparity = upended(mirrored(other.disparity))
    let turned = upended(mirrored(renderer.render(other, focus: 0.5, radiusPerDisparity: 12).light))
    // Sums along a row run in the other direction and round differently; beside edges, of pixels that are as near, others
    // may be looked at first.
    let errors = zip(plain, turned).map { difference($0, $1) }
    #expect(errors.reduce(0, +) / Float(errors.count) < 1e-3)
    #expect(errors.count { $0 > 2e-3 } < errors.count / 20)
  }

  @Test("results do not depend on the number of threads", arguments: BokehQuality.allCases)
  func threads(quality: BokehQuality) {
    let outputs = [1, 2, 5].map {
      PlaneRenderer(quality: quality, threads: $0).render(Self.scene, focus: 0.5, radiusPerDisparity: 12).light
    }
    #expect(outputs[0] == outputs[1])
    #expect(outputs[0] == outputs[2])
  }

  @Test("a renderer gives the same again, after larger and smaller pictures")
  func reuse() {
    let renderer = PlaneRenderer(quality: .exportHigh, threads: 2)
    let first = renderer.render(Self.scene, focus: 0.5, radiusPerDisparity: 12).light
    let small = RenderPlanes(width: 1, height: 1, light: [SIMD4(0.5, 0.25, 0, 1)], disparity: [0.3])
    #expect(renderer.render(small, focus: 0.9, radiusPerDisparity: 200).light.map(\.x) == [0.5])
    #expect(renderer.render(Self.scene, focus: 0.5, radiusPerDisparity: 12).light == first)
  }

  @Test(
    "any size and radius gives finite light between the darkest and the brightest",
    arguments: [(1, 1), (2, 1), (1, 7), (3, 3), (17, 5), (33, 31)] as [(Int, Int)], BokehQuality.allCases)
  func sizes(size: (Int, Int), quality: BokehQuality) {
    var random = SeededRandom(7)
    let count = size.0 * size.1
    let planes = RenderPlanes(
      width: size.0, height: size.1,
      light: (0..<count).map { _ in SIMD4(random.float(0..<1), 0.5, random.float(0..<1), 1) },
      disparity: (0..<count).map { _ in random.float(0..<1) * 4 })
    let renderer = PlaneRenderer(quality: quality, threads: 2)
    for scale in [0, 1, 10, 100, 900, 1e9] as [Float] {
      for pixel in renderer.render(planes, focus: 1.5, radiusPerDisparity: scale).light {
        #expect(pixel.x >= -1e-3 && pixel.x < 1.001 && abs(pixel.y - 0.5) < 1e-3, "\(pixel) at scale \(scale)")
      }
    }
  }

  @Test("disparities that are not valid take their surroundings' value")
  func invalidDisparity() {
    let bad: [Float] = [.nan, .infinity, -.infinity, -1, 10_001, -.nan]
    var planes = Self.scene
    planes.disparity = planes.disparity.map { _ in 0.4 }
    let renderer = PlaneRenderer(quality: .export, threads: 1)
    let whole = renderer.render(planes, focus: 0.8, radiusPerDisparity: 10).light
    for i in stride(from: 5, to: planes.disparity.count, by: 11) { planes.disparity[i] = bad[i % bad.count] }
    #expect(renderer.render(planes, focus: 0.8, radiusPerDisparity: 10).light == whole)
    planes.disparity = planes.disparity.indices.map { bad[$0 % bad.count] }
    // Nothing is known, so everything is in focus.
    #expect(renderer.render(planes, focus: 0.8, radiusPerDisparity: 10).light == planes.light)
  }
}

/// The largest difference of two pixels' components.
func difference(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> Float {
  let d = a - b
  return max(d.max(), -d.min())
}
