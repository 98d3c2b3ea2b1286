import Bokeh
import Compositing
import Foundation
import Testing

/// Over against its formula in double precision, and what must hold of it whatever the numbers are.
@Suite struct OverTests {
  private static let colors: [SIMD4<Float>] = [
    SIMD4(0, 0, 0, 1), SIMD4(1, 1, 1, 1), SIMD4(0.2, 0.7, 0.05, 1), SIMD4(1.05, -0.03, 0.5, 1),
  ]
  private static let alphas: [Float] = [0, 1 / 65_535, 0.001, 0.25, 0.5, 0.731, 0.999, 65_534 / 65_535, 1]
  /// Half a code of 16 bits.
  private static let halfCode: Float = 0.5 / 65_535

  private func laid(
    _ foreground: [SIMD4<Float>], over background: [SIMD4<Float>], _ over: Over
  ) -> [SIMD4<Float>] {
    var result = foreground
    var room = [SIMD4<Float>](repeating: .zero, count: 2 * result.count)
    result.withUnsafeMutableBufferPointer { front in
      room.withUnsafeMutableBufferPointer { room in
        over(front.baseAddress!, background, count: front.count, room: room.baseAddress!)
      }
    }
    return result
  }

  /// Every pair of colours with every pair of alphas.
  private func pairs(backgroundAlphas: [Float]) -> [(SIMD4<Float>, SIMD4<Float>)] {
    Self.colors.flatMap { front in
      Self.colors.flatMap { behind in
        Self.alphas.flatMap { alpha in
          backgroundAlphas.map { (with(front, alpha), with(behind, $0)) }
        }
      }
    }
  }

  private func with(_ color: SIMD4<Float>, _ alpha: Float) -> SIMD4<Float> {
    SIMD4(color.x, color.y, color.z, alpha)
  }

  private func product(_ pixel: SIMD4<Float>, matte: Float) -> SIMD4<Float> {
    with(pixel * pixel.w + SIMD4(repeating: (1 - pixel.w) * matte), pixel.w)
  }

  private func difference(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> Float {
    let d = a - b
    return max(abs(d.x), abs(d.y), abs(d.z), abs(d.w))
  }

  /// The operator in double precision, of straight colours.
  private func expected(_ front: SIMD4<Float>, _ behind: SIMD4<Float>, keepsAlpha: Bool) -> SIMD4<Float> {
    let (a, b) = (Double(front.w), Double(behind.w))
    let cover = a + b * (1 - a)
    let sum = SIMD4<Double>(front) * a + SIMD4<Double>(behind) * (b * (1 - a))
    guard keepsAlpha else { return with(SIMD4<Float>(sum), 1) }
    return cover > 0 ? with(SIMD4<Float>(sum / cover), Float(cover)) : with(front, 0)
  }

  @Test(arguments: [false, true])
  func `every pair of colours and alphas is the formula's`(keepsAlpha: Bool) {
    let pairs = pairs(backgroundAlphas: Self.alphas)
    let result = laid(pairs.map(\.0), over: pairs.map(\.1), Over(alpha: .straight, keepsAlpha: keepsAlpha))
    for (pair, pixel) in zip(pairs, result) {
      #expect(difference(pixel, expected(pair.0, pair.1, keepsAlpha: keepsAlpha)) < Self.halfCode, "\(pair)")
    }
  }

  @Test(arguments: [nil, TransferFunction.bt709, .hlg, .pq])
  func `where alpha is 0 or 1 nothing is changed`(function: TransferFunction?) {
    let over = Over(alpha: .straight, light: function.map(LightCurve.init))
    let fronts = Self.colors.flatMap { [with($0, 0), with($0, 1)] }
    let behinds = fronts.map { _ in SIMD4<Float>(0.3, 0.9, 0.123_456, 1) }
    let result = laid(fronts, over: behinds, over)
    for (index, front) in fronts.enumerated() { #expect(result[index] == (front.w == 1 ? front : behinds[index])) }
  }

  @Test(arguments: [AlphaMode.premultiplied, .premultipliedWhite], [nil, TransferFunction.bt709, .pq])
  func `colours that were multiplied give what straight ones do`(mode: AlphaMode, function: TransferFunction?) {
    // A 16-bit code that was multiplied by a tiny alpha says little: a thousandth and more is asked for.
    let pairs = pairs(backgroundAlphas: [1]).filter { $0.0.w == 0 || $0.0.w >= 0.001 }
    let light = function.map(LightCurve.init)
    let straight = laid(pairs.map(\.0), over: pairs.map(\.1), Over(alpha: .straight, light: light))
    let matte: Float = mode == .premultiplied ? 0 : 1
    let products = pairs.map { product($0.0, matte: matte) }
    let result = laid(products, over: pairs.map(\.1), Over(alpha: mode, light: light))
    for (index, pair) in pairs.enumerated() {
      #expect(difference(result[index], straight[index]) < 2 * Self.halfCode, "\(pair)")
    }
  }

  @Test(arguments: [TransferFunction.bt709, .sRGB, .hlg, .pq, .linear, .gamma(2.4)])
  func `light is mixed by the transfer function`(function: TransferFunction) {
    let pairs = pairs(backgroundAlphas: [1]).filter {
      $0.0.min() >= 0 && $0.0.max() <= 1 && $0.1.max() <= 1 && $0.1.min() >= 0
    }
    let over = Over(alpha: .straight, light: LightCurve(function))
    let result = laid(pairs.map(\.0), over: pairs.map(\.1), over)
    for (pair, pixel) in zip(pairs, result) {
      for component in 0..<3 {
        let a = pair.0.w
        let light = function.light(pair.0[component]) * a + function.light(pair.1[component]) * (1 - a)
        // The curves are tables; a code of 12 bits is far above what they leave.
        #expect(abs(pixel[component] - function.signal(light)) < 1.0 / 4095, "\(pair)")
      }
    }
  }

  @Test func `mixing light is brighter than mixing signals`() {
    let (front, behind) = ([SIMD4<Float>(1, 1, 1, 0.5)], [SIMD4<Float>(0, 0, 0, 1)])
    let signal = laid(front, over: behind, Over(alpha: .straight))[0].x
    let light = laid(front, over: behind, Over(alpha: .straight, light: LightCurve(.bt709)))[0].x
    #expect(signal == 0.5)
    // 1.099 · 0.5^0.45 − 0.099
    #expect(abs(light - 0.705_4) < 0.001)
  }

  @Test(arguments: [AlphaMode.straight, .premultiplied, .premultipliedWhite], [nil, TransferFunction.bt709])
  func `a soft edge over its own colour leaves no fringe`(mode: AlphaMode, function: TransferFunction?) {
    let color = SIMD4<Float>(0.8, 0.4, 0.1, 1)
    let edge = (0...1023).map { with(color, Float($0) / 1023) }
    let stored =
      switch mode {
      case .straight: edge
      case .premultiplied(let matte): edge.map { product($0, matte: matte) }
      }
    let result = laid(
      stored, over: edge.map { _ in color }, Over(alpha: mode, light: function.map(LightCurve.init)))
    for pixel in result { #expect(difference(pixel, color) < 1.0 / 4095) }
  }

  @Test func `three layers may be joined in either order`() {
    let over = Over(alpha: .straight, keepsAlpha: true)
    for (a, b) in pairs(backgroundAlphas: [0, 0.3, 1]) {
      let c = SIMD4<Float>(0.6, 0.1, 0.9, 0.4)
      let left = laid(laid([a], over: [b], over), over: [c], over)[0]
      let right = laid([a], over: laid([b], over: [c], over), over)[0]
      #expect(abs(left.w - right.w) < 1e-5)
      if left.w > 0.01 { #expect(difference(left, right) < 1e-4) }
    }
  }

  @Test func `light without alpha is added, as renderers mean it`() {
    let glow = SIMD4<Float>(0.2, 0.1, 0, 0)
    let result = laid([glow], over: [SIMD4(0.3, 0.3, 0.3, 1)], Over(alpha: .premultiplied))[0]
    #expect(difference(result, SIMD4(0.5, 0.4, 0.3, 1)) < 1e-6)
  }
}
