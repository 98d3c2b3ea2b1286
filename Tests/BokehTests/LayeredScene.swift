import Bokeh
import Foundation

/// A scene of flat layers, of which the true blur is known by sampling rays through the aperture.
///
/// Each layer is a bitmap of `detail` texels a pixel in both directions with a slanted disparity; a texel is opaque or
/// absent.
struct LayeredScene {
  struct Layer {
    /// Linear light of each texel, or nil where the layer is absent.
    let texels: [SIMD3<Float>?]
    /// Disparity at the middle of the picture, and its change a pixel to the right and down.
    let disparity: Float
    let slope: SIMD2<Float>
  }

  let width: Int
  let height: Int
  let detail: Int
  let margin: Int
  /// Near to far; the last one is opaque everywhere.
  let layers: [Layer]

  private var rowLength: Int { (width + 2 * margin) * detail }

  /// Near to far: strands, blobs, a wall with lights.
  static func standard(width: Int, height: Int, lights: Float, seed: UInt64 = 1) -> LayeredScene {
    var builder = SceneBuilder(width: width, height: height, seed: seed)
    return builder.standard(lights: lights)
  }

  func disparity(_ layer: Layer, _ x: Float, _ y: Float) -> Float {
    layer.disparity + layer.slope.x * (x - Float(width) / 2) + layer.slope.y * (y - Float(height) / 2)
  }

  private func texel(_ layer: Layer, _ x: Float, _ y: Float) -> SIMD3<Float>? {
    let column = min(max(Int((x + Float(margin)) * Float(detail)), 0), rowLength - 1)
    let row = min(max(Int((y + Float(margin)) * Float(detail)), 0), (height + 2 * margin) * detail - 1)
    return layer.texels[row * rowLength + column]
  }

  /// Everything in focus, with the disparity of the layer that covers the most of each pixel.
  func planes() -> RenderPlanes {
    var light: [SIMD4<Float>] = []
    var disparities: [Float] = []
    for y in 0..<height {
      for x in 0..<width {
        var sum = SIMD3<Float>.zero
        var counts = [Int](repeating: 0, count: layers.count)
        for j in 0..<detail {
          for i in 0..<detail {
            let px = Float(x) + (Float(i) + 0.5) / Float(detail)
            let py = Float(y) + (Float(j) + 0.5) / Float(detail)
            for (index, layer) in layers.enumerated() {
              guard let texel = texel(layer, px, py) else { continue }
              sum += texel
              counts[index] += 1
              break
            }
          }
        }
        let front = counts.indices.max { counts[$0] < counts[$1] }!
        light.append(SIMD4(sum / Float(detail * detail), 1))
        disparities.append(disparity(layers[front], Float(x) + 0.5, Float(y) + 0.5))
      }
    }
    return RenderPlanes(width: width, height: height, light: light, disparity: disparities)
  }

  /// The true picture, from `rays` rays a pixel through a round aperture.
  func truth(focus: Float, radiusPerDisparity: Float, rays: Int) -> [SIMD4<Float>] {
    var out = [SIMD4<Float>](repeating: .zero, count: width * height)
    out.withUnsafeMutableBufferPointer { buffer in
      nonisolated(unsafe) let buffer = buffer
      DispatchQueue.concurrentPerform(iterations: height) { y in
        for x in 0..<width {
          buffer[y * width + x] = trace(x, y, focus, radiusPerDisparity, rays)
        }
      }
    }
    return out
  }

  private func trace(_ x: Int, _ y: Int, _ focus: Float, _ scale: Float, _ rays: Int) -> SIMD4<Float> {
    var sum = SIMD3<Float>.zero
    let turn = Float(x &* 7919 &+ y &* 104_729) * 0.618_034
    for ray in 0..<rays {
      let share = (Float(ray) + 0.5) / Float(rays)
      let angle = 2.399_963 * Float(ray) + turn
      let aperture = SIMD2(cos(angle), sin(angle)) * share.squareRoot()
      let inPixel = SIMD2(Float(ray * 12_664_745 & 0xFFFF) / 65536, Float(ray * 9_560_333 & 0xFFFF) / 65536)
      sum += light(SIMD2(Float(x), Float(y)) + inPixel, aperture, focus, scale)
    }
    return SIMD4(sum / Float(rays), 1)
  }

  private func light(_ point: SIMD2<Float>, _ aperture: SIMD2<Float>, _ focus: Float, _ scale: Float) -> SIMD3<Float> {
    for layer in layers {
      var hit = point
      for _ in 0..<(layer.slope == .zero ? 1 : 4) {
        hit = point + aperture * (scale * (disparity(layer, hit.x, hit.y) - focus))
      }
      if let texel = texel(layer, hit.x, hit.y) { return texel }
    }
    return .zero
  }
}

/// Draws the layers of a scene from a seed.
private struct SceneBuilder {
  let width: Int
  let height: Int
  let detail = 3
  let margin = 40
  var random: SplitMix

  init(width: Int, height: Int, seed: UInt64) {
    self.width = width
    self.height = height
    random = SplitMix(state: seed)
  }

  private var columns: Int { (width + 2 * margin) * detail }
  private var rows: Int { (height + 2 * margin) * detail }

  mutating func standard(lights: Float) -> LayeredScene {
    var wall = texture(SIMD3(0.35, 0.3, 0.25), cell: 5)
    for _ in 0..<12 {
      let spot = place()
      paintDisc(&wall, spot, 1.2, SIMD3(1, 0.9, 0.7) * lights)
    }
    var blobs = [SIMD3<Float>?](repeating: nil, count: columns * rows)
    let cloth = texture(SIMD3(0.2, 0.35, 0.5), cell: 3)
    for _ in 0..<5 {
      let centre = place()
      paintDisc(&blobs, centre, Float(height) * 0.12, cloth)
    }
    var strands = [SIMD3<Float>?](repeating: nil, count: columns * rows)
    for _ in 0..<14 {
      paintStrand(&strands, place(), 0.7 + random.unit(), SIMD3(0.5, 0.3, 0.1) * (0.3 + random.unit()))
    }
    paintDisc(
      &strands, SIMD2(Float(width) * 0.75, Float(height) * 0.7), Float(height) * 0.2,
      texture(SIMD3(0.5, 0.2, 0.2), cell: 4))
    return LayeredScene(
      width: width, height: height, detail: detail, margin: margin,
      layers: [
        .init(texels: strands, disparity: 0.9, slope: .zero),
        .init(texels: blobs, disparity: 0.5, slope: SIMD2(0.1 / Float(width), 0)),
        .init(texels: wall, disparity: 0.1, slope: SIMD2(0, 0.05 / Float(height))),
      ])
  }

  private mutating func place() -> SIMD2<Float> {
    SIMD2(random.unit() * Float(width), random.unit() * Float(height))
  }

  private mutating func texture(_ base: SIMD3<Float>, cell: Int) -> [SIMD3<Float>?] {
    let across = columns / (cell * detail) + 2
    let down = rows / (cell * detail) + 2
    let values = (0..<across * down).map { _ in 0.15 + 1.7 * random.unit() }
    return (0..<columns * rows).map { i in
      let (x, y) = (i % columns, i / columns)
      return base * values[y / (cell * detail) * across + x / (cell * detail)]
    }
  }

  private func paintDisc(
    _ texels: inout [SIMD3<Float>?], _ centre: SIMD2<Float>, _ radius: Float, _ color: SIMD3<Float>
  ) {
    paint(&texels, around: centre, radius) { _ in color }
  }

  private func paintDisc(
    _ texels: inout [SIMD3<Float>?], _ centre: SIMD2<Float>, _ radius: Float, _ cloth: [SIMD3<Float>?]
  ) {
    paint(&texels, around: centre, radius) { cloth[$0] }
  }

  private func paint(
    _ texels: inout [SIMD3<Float>?], around centre: SIMD2<Float>, _ radius: Float, _ color: (Int) -> SIMD3<Float>?
  ) {
    let middle = (centre + Float(margin)) * Float(detail)
    let reach = radius * Float(detail)
    for y in clamped(middle.y - reach, rows)...clamped(middle.y + reach, rows) {
      for x in clamped(middle.x - reach, columns)...clamped(middle.x + reach, columns) {
        let offset = SIMD2(Float(x) + 0.5, Float(y) + 0.5) - middle
        if (offset * offset).sum() <= reach * reach { texels[y * columns + x] = color(y * columns + x) }
      }
    }
  }

  private func clamped(_ position: Float, _ count: Int) -> Int { min(max(Int(position), 0), count - 1) }

  private mutating func paintStrand(
    _ texels: inout [SIMD3<Float>?], _ start: SIMD2<Float>, _ thickness: Float, _ color: SIMD3<Float>
  ) {
    var point = start
    var angle = random.unit() * 6.283
    for _ in 0..<Int(Float(height) * 0.8 * 2) {
      paintDisc(&texels, point, thickness / 2, color)
      angle += (random.unit() - 0.5) * 0.1
      point += SIMD2(cos(angle), sin(angle)) * 0.5
    }
  }
}

/// Numbers that are the same on every machine.
struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// From 0 up to, not including, 1.
  mutating func unit() -> Float { Float(next() >> 40) / 16_777_216 }
}

/// The renderers and measures that results are compared with.
enum Baseline {
  /// Normalised scatter with a soft disc: weight (½ + ½ tanh(4 (r − distance))) / (r² + 0.2).
  static func scatter(_ planes: RenderPlanes, focus: Float, radiusPerDisparity: Float) -> [SIMD4<Float>] {
    let (width, height) = (planes.width, planes.height)
    var sums = [SIMD4<Float>](repeating: .zero, count: width * height)
    for y in 0..<height {
      for x in 0..<width {
        let i = y * width + x
        let r = abs(planes.disparity[i] - focus) * radiusPerDisparity
        let reach = Int(r + 1)
        for v in max(0, y - reach)...min(height - 1, y + reach) {
          for u in max(0, x - reach)...min(width - 1, x + reach) {
            let distance = Float((u - x) * (u - x) + (v - y) * (v - y)).squareRoot()
            let weight = (0.5 + 0.5 * tanh(4 * (r - distance))) / (r * r + 0.2)
            sums[v * width + u] += planes.light[i] * weight
          }
        }
      }
    }
    return sums.map { $0 / $0.w }
  }

  /// Peak signal to noise ratio in dB after a gamma of 2.2 and clipping to 0…1.
  static func psnr(_ a: [SIMD4<Float>], _ b: [SIMD4<Float>], where isCounted: (Int) -> Bool = { _ in true }) -> Double {
    var error = 0.0
    var count = 0
    for i in a.indices where isCounted(i) {
      for c in 0..<3 {
        let difference = encoded(a[i][c]) - encoded(b[i][c])
        error += difference * difference
        count += 1
      }
    }
    return -10 * log10(max(error / Double(count), 1e-12))
  }

  private static func encoded(_ value: Float) -> Double { pow(Double(min(max(value, 0), 1)), 1 / 2.2) }
}
