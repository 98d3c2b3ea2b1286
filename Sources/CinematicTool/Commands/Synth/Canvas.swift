/// A picture in linear light: premultiplied RGBA, rows from the top.
struct Canvas: Sendable {
  let width: Int
  let height: Int
  var pixels: [SIMD4<Float>]

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
    pixels = [SIMD4<Float>](repeating: .zero, count: width * height)
  }

  /// Evaluates `paint` on a grid of `samples` x `samples` points in each pixel; `paint` takes pixel coordinates.
  init(width: Int, height: Int, samples: Int, paint: (Float, Float) -> SIMD4<Float>) {
    self.init(width: width, height: height)
    let step = 1 / Float(samples)
    for y in 0..<height {
      for x in 0..<width {
        var sum = SIMD4<Float>.zero
        for j in 0..<samples {
          for i in 0..<samples {
            sum += paint(Float(x) + (Float(i) + 0.5) * step, Float(y) + (Float(j) + 0.5) * step)
          }
        }
        pixels[y * width + x] = sum * (step * step)
      }
    }
  }

  /// The colour at a point in pixels, bilinear between pixel centres, transparent outside.
  func sample(_ x: Float, _ y: Float) -> SIMD4<Float> {
    let left = (x - 0.5).rounded(.down)
    let top = (y - 0.5).rounded(.down)
    let u = x - 0.5 - left
    let v = y - 0.5 - top
    let upper = at(Int(left), Int(top)) * (1 - u) + at(Int(left) + 1, Int(top)) * u
    let lower = at(Int(left), Int(top) + 1) * (1 - u) + at(Int(left) + 1, Int(top) + 1) * u
    return upper * (1 - v) + lower * v
  }

  private func at(_ x: Int, _ y: Int) -> SIMD4<Float> {
    guard x >= 0, y >= 0, x < width, y < height else { return .zero }
    return pixels[y * width + x]
  }
}

extension SIMD4<Float> {
  /// Premultiplied `self` over premultiplied `background`.
  func over(_ background: SIMD4<Float>) -> SIMD4<Float> { self + background * (1 - w) }

  static func opaque(_ red: Float, _ green: Float, _ blue: Float) -> SIMD4<Float> { SIMD4(red, green, blue, 1) }

  /// The same paint, `light` times as bright; coverage stays.
  func lit(_ light: Float) -> SIMD4<Float> { SIMD4(x * light, y * light, z * light, w) }
}
