import Bokeh
import Testing

/// Colours of one description in another: fixed points of the standards, and ways there and back.
@Suite struct ColorConversionTests {
  private func color(
    _ transfer: TransferFunction, _ primaries: ColorDescription.Primaries = .bt709
  ) -> ColorDescription {
    ColorDescription(transfer: transfer, primaries: primaries, matrix: .bt709)
  }

  private func converted(
    _ pixel: SIMD4<Float>, _ source: ColorDescription, _ target: ColorDescription
  ) throws -> SIMD4<Float> {
    var row = [pixel]
    try ColorConversion(from: source, to: target)?.convert(&row, 1)
    return row[0]
  }

  private func difference(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> Float {
    max(abs(a.x - b.x), abs(a.y - b.y), abs(a.z - b.z), abs(a.w - b.w))
  }

  @Test func `what displays show alike is not converted`() throws {
    for (source, target) in [
      (TransferFunction.bt709, TransferFunction.bt709), (.sRGB, .bt709), (.bt709, .smpte240M), (.hlg, .hlg),
    ] {
      #expect(try ColorConversion(from: color(source), to: color(target)) == nil)
    }
    #expect(try ColorConversion(from: color(.linear), to: color(.bt709)) != nil)
    #expect(try ColorConversion(from: color(.bt709, .bt2020), to: color(.bt709)) != nil)
  }

  /// ITU-R BT.2408: reference white is 75 % of HLG, and 203 cd/m² of PQ, 58 %.
  @Test func `white is reference white everywhere`() throws {
    let white = SIMD4<Float>(1, 1, 1, 0.3)
    #expect(difference(try converted(white, color(.bt709), color(.hlg, .bt2020)), SIMD4(0.75, 0.75, 0.75, 0.3)) < 1e-3)
    #expect(
      difference(try converted(white, color(.sRGB), color(.pq, .bt2020)), SIMD4(0.5807, 0.5807, 0.5807, 0.3)) < 1e-3)
    let hlg = SIMD4<Float>(0.75, 0.75, 0.75, 1)
    #expect(
      difference(try converted(hlg, color(.hlg, .bt2020), color(.pq, .bt2020)), SIMD4(0.5807, 0.5807, 0.5807, 1)) < 1e-3
    )
    #expect(difference(try converted(white, color(.bt709, .bt2020), color(.bt709, .p3)), white) < 1e-3)
  }

  /// BT.2100: HLG of 1 shows 1000 cd/m², which is PQ's 0.7518.
  @Test func `HLG's peak is that of its display`() throws {
    let peak = try converted(SIMD4(1, 1, 1, 1), color(.hlg, .bt2020), color(.pq, .bt2020))
    #expect(abs(peak.x - 0.7518) < 1e-3)
  }

  @Test(arguments: [
    (TransferFunction.bt709, ColorDescription.Primaries.bt709, TransferFunction.bt709, ColorDescription.Primaries.p3),
    (.bt709, .bt709, .hlg, .bt2020), (.sRGB, .p3, .pq, .bt2020), (.hlg, .bt2020, .pq, .p3),
    (.linear, .bt709, .pq, .bt709),
  ])
  func `there and back is where it was`(
    from: TransferFunction, primaries: ColorDescription.Primaries, to: TransferFunction,
    others: ColorDescription.Primaries
  ) throws {
    let (source, target) = (color(from, primaries), color(to, others))
    // From HDR to SDR there is a tone map, which is no way back.
    let isMapped = (to == .hlg || to == .pq) && !(from == .hlg || from == .pq)
    for pixel in [
      SIMD4<Float>(0.2, 0.5, 0.7, 1), SIMD4(0.9, 0.1, 0.3, 0.5), SIMD4(0, 0, 0, 0), SIMD4(0.5, 0.5, 0.5, 1),
    ] {
      let there = try converted(pixel, source, target)
      #expect(there.w == pixel.w)
      if !isMapped { #expect(difference(try converted(there, target, source), pixel) < 2e-3, "\(pixel)") }
    }
  }

  @Test func `HDR becomes SDR by a tone map that rises and ends at 1`() throws {
    for source in [color(.hlg, .bt2020), color(.pq, .bt2020)] {
      let greys = try (0...20).map { step -> Float in
        let signal = Float(step) / 20
        return try converted(SIMD4(signal, signal, signal, 1), source, color(.bt709)).x
      }
      #expect(zip(greys, greys.dropFirst()).allSatisfy { $0 <= $1 + 1e-4 })
      #expect(abs(greys[0]) < 1e-3 && greys[20] <= 1.001 && greys[20] > 0.95)
    }
  }

  @Test func `primaries that are not known are refused, unless they stay`() throws {
    #expect(throws: UnknownPrimaries.self) { try ColorConversion(from: color(.bt709, .other), to: color(.bt709)) }
    #expect(try ColorConversion(from: color(.bt709, .other), to: color(.bt709, .other)) == nil)
  }
}
