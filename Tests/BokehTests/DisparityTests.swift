import Bokeh
import BokehScenes
import Testing

/// Coarse disparity brought to the picture's resolution.
@Suite struct DisparityTests {
  /// A disc, darker than what is behind it, in a picture of 120 x 80; disparity at a quarter of the size whose edge is
  /// a ramp, moved by `shift` samples.
  private func scene(shift: Int, noise: Float = 0) -> (planes: RenderPlanes, isNear: [Bool]) {
    var random = SeededRandom(3)
    var light: [SIMD4<Float>] = []
    var isNear: [Bool] = []
    for y in 0..<80 {
      for x in 0..<120 {
        let isInside = (x - 60) * (x - 60) + (y - 40) * (y - 40) < 25 * 25
        let grain = 0.9 + 0.2 * random.float(0..<1)
        let grey = (isInside ? 0.1 : 0.6) * grain
        light.append(SIMD4(grey, grey, grey, 1))
        isNear.append(isInside)
      }
    }
    let disparity = (0..<30 * 20).map { i -> Float in
      let (x, y) = (Float((i % 30 - shift) * 4 + 2 - 60), Float(i / 30 * 4 + 2 - 40))
      let outside = ((x * x + y * y).squareRoot() - 25) / 8
      return 0.5 + 2 * min(max(0.5 - outside, 0), 1) + noise * (random.float(0..<1) - 0.5)
    }
    let planes = RenderPlanes(width: 120, height: 80, light: light, disparity: disparity, disparitySize: (30, 20))
    return (planes, isNear)
  }

  @Test("an edge lies where the picture has it, with nothing between its sides", arguments: [0, 1, -1])
  func edge(shift: Int) {
    let (planes, isNear) = scene(shift: shift, noise: 0.02)
    let output = PlaneRenderer(quality: .export, threads: 1).render(planes, focus: 2.5, radiusPerDisparity: 8)
    var (wrong, between) = (0, 0)
    for (disparity, isNear) in zip(output.disparity, isNear) {
      if (disparity > 1.5) != isNear { wrong += 1 }
      if disparity > 0.8 && disparity < 2.2 { between += 1 }
    }
    // The near side is a pixel larger on purpose: the disc's rim is 157 pixels long.
    #expect(wrong < 260)
    // Where the coarse edge is a whole sample off, parts of the rim see samples of the ramp only.
    #expect(between < (shift == 0 ? 20 : 100))
  }

  @Test("a slanted surface without edges stays smooth")
  func slant() {
    let disparity = (0..<30 * 20).map { Float($0 % 30) * 0.1 }
    let planes = RenderPlanes(
      width: 120, height: 80, light: [SIMD4<Float>](repeating: SIMD4(0.5, 0.5, 0.5, 1), count: 9600),
      disparity: disparity, disparitySize: (30, 20))
    let full = PlaneRenderer(quality: .export, threads: 1).render(planes, focus: 1, radiusPerDisparity: 8).disparity
    for x in 12..<108 {
      let value = full[40 * 120 + x]
      #expect(abs(value - (Float(x) - 1.5) / 40) < 0.05)
      #expect(value - full[40 * 120 + x - 1] >= -1e-3)
    }
  }

  @Test("disparity of the picture's size is taken as it is")
  func exact() {
    let planes = PaintedScene(.crowd, width: 64, height: 48).planes
    let output = PlaneRenderer(quality: .export, threads: 1).render(planes, focus: 0.5, radiusPerDisparity: 8)
    #expect(output.disparity == planes.disparity)
  }

  @Test(
    "disparities that differ by next to nothing are one", arguments: [.leastNonzeroMagnitude, 1e-36, 1e-31] as [Float])
  func tinyRange(difference: Float) {
    let light = [SIMD4<Float>](repeating: SIMD4(0.2, 0.4, 0.6, 1), count: 32 * 16)
    let disparity = (0..<32 * 16).map { $0 % 32 < 16 ? 0 : difference }
    let planes = RenderPlanes(width: 32, height: 16, light: light, disparity: disparity)
    for quality in BokehQuality.allCases {
      let output = PlaneRenderer(quality: quality, threads: 1).render(planes, focus: 0, radiusPerDisparity: 20)
      #expect(output.light == light)
    }
  }

  @Test("noise is steadied over time, and a real change is taken at once")
  func history() {
    let renderer = PlaneRenderer(quality: .export, threads: 1)
    func noisy(_ seed: UInt64, _ base: Float) -> RenderPlanes {
      var random = SeededRandom(seed)
      return RenderPlanes(
        width: 60, height: 40, light: [SIMD4<Float>](repeating: SIMD4(0.5, 0.5, 0.5, 1), count: 2400),
        disparity: (0..<15 * 10).map { base + ($0 % 15 > 12 ? 2 : 0) + 0.02 * random.float(0..<1) },
        disparitySize: (15, 10))
    }
    func flicker(_ isSteady: Bool) -> Float {
      var sum: Float = 0
      var before: [Float] = []
      for frame in 0..<6 {
        let planes = noisy(UInt64(frame), 1)
        let now = renderer.render(planes, focus: 2, radiusPerDisparity: 8, continuesHistory: isSteady && frame > 0)
          .disparity
        sum += zip(before, now).reduce(0) { $0 + abs($1.0 - $1.1) }
        before = now
      }
      return sum
    }
    #expect(flicker(true) < 0.6 * flicker(false))
    _ = renderer.render(noisy(1, 1), focus: 2, radiusPerDisparity: 8, continuesHistory: true)
    let moved = renderer.render(noisy(2, 0.5), focus: 2, radiusPerDisparity: 8, continuesHistory: true).disparity
    #expect(abs(moved[20 * 60 + 20] - 0.51) < 0.02)
  }

  @Test(
    "the rim of a lamp has the lamp's disparity, nothing else has another",
    arguments: [BokehQuality.export, .exportHigh])
  func lampRims(quality: BokehQuality) {
    // A lamp of 3 x 3 pixels with a rim, before a wall whose brightest part is white.
    let size = 24
    var planes = RenderPlanes(
      width: size, height: size, light: (0..<size * size).map { SIMD4(repeating: $0 % size < 12 ? 0.2 : 1) },
      disparity: [Float](repeating: 0.1, count: size * size))
    for y in 9...13 {
      for x in 9...13 {
        let isRim = max(abs(x - 11), abs(y - 11)) == 2
        planes.light[y * size + x] = SIMD4(repeating: isRim ? 4 : 50)
        if !isRim { planes.disparity[y * size + x] = 0.7 }
      }
    }
    let output = PlaneRenderer(quality: quality, threads: 1).render(planes, focus: 0.1, radiusPerDisparity: 6)
    for y in 0..<size {
      for x in 0..<size {
        let isLamp = max(abs(x - 11), abs(y - 11)) <= 2
        #expect(output.disparity[y * size + x] == (isLamp ? 0.7 : 0.1))
      }
    }
  }
}
