import Bokeh
import CoreGeometry
import CoreVideo
import Testing

/// Pictures as numbers, without a lens.
@Suite struct DevelopmentTests {
  private let developer = PictureDeveloper(threads: 2)

  @Test("HDR and SDR look as the renderer makes them", arguments: ["x420", "420f", "v216", "y416", "b64a", "RGhA"])
  func rendition(name: String) throws {
    for (transfer, primaries) in [
      (kCVImageBufferTransferFunction_ITU_R_2100_HLG, kCVImageBufferColorPrimaries_ITU_R_2020),
      (kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ, kCVImageBufferColorPrimaries_ITU_R_2020),
      (kCVImageBufferTransferFunction_ITU_R_709_2, kCVImageBufferColorPrimaries_ITU_R_709_2),
    ] {
      let source = try Picture(22, 14, name)
      source.fillRandomly(seed: 11)
      source.tag(transfer: transfer, primaries: primaries)
      let target = try Picture(22, 14, "l64r")
      try Picture.render(source, target, disparity: 0.7, focus: 0.7, fNumber: 1.4) { $0.toneMap = .bt2390 }
      let shown = Picture(buffer: try developer.display(source.buffer).sixteenBits())
      // Both round once; the renderer passes SDR through tables and back, which costs up to 8 codes of 16 bits.
      let differences = zip(shown.bytes, target.bytes).flatMap { one, other in
        zip(one, other).map { abs($0 - $1) }
      }
      #expect(differences.max() ?? .max <= 8)
    }
  }

  @Test("linear light has white at 1, whatever codes it")
  func light() throws {
    let codes = [
      (kCVImageBufferTransferFunction_ITU_R_709_2, 940), (kCVImageBufferTransferFunction_ITU_R_2100_HLG, 64 + 657),
      (kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ, 64 + 509),
    ]
    for (transfer, code) in codes {
      let source = try Picture(4, 2, "x444")
      source.fill { _, _, component in component == 0 ? code : 512 }
      source.tag(transfer: transfer, primaries: kCVImageBufferColorPrimaries_ITU_R_2020)
      for pixel in try developer.light(of: source.buffer).pixels {
        // Half a code of 876 is 0.5 % of light at most, where PQ is steep.
        for component in 0..<3 { #expect(abs(pixel[component] - 1) < 0.01) }
        #expect(pixel.w == 1)
      }
    }
  }

  @Test("wide primaries become narrow ones, white stays white, and no component leaves 0 to 1")
  func gamut() throws {
    let source = try Picture(3, 1, "RGhA")
    source.fillValues { x, _, component in component == 3 || x == 0 || component == x - 1 ? 1 : 0 }
    source.tag(
      transfer: kCVImageBufferTransferFunction_ITU_R_709_2, primaries: kCVImageBufferColorPrimaries_P3_D65)
    let shown = try developer.display(source.buffer)
    for component in 0..<3 { #expect(abs(shown[0, 0][component] - 1) < 0.01) }
    for x in 1..<3 {
      for component in 0..<3 { #expect((0...1.001).contains(shown[x, 0][component])) }
      #expect(shown[x, 0][x - 1] > 0.9)
    }
  }

  @Test("a smaller picture has the means of areas, and transparent pixels do not count")
  func resizing() {
    let pixels = (0..<24).map { SIMD4<Float>(Float($0 % 6), Float($0 / 6), 3, 1) }
    let picture = FloatPicture(width: 6, height: 4, pixels: pixels)
    let half = picture.resized(width: 3, height: 2, threads: 2)
    for y in 0..<2 {
      for x in 0..<3 {
        #expect(abs(half[x, y].x - (2 * Float(x) + 0.5)) < 1e-5 && abs(half[x, y].y - (2 * Float(y) + 0.5)) < 1e-5)
      }
    }
    // Of six columns in four the second has a half of column 1 and all of column 2.
    let uneven = picture.resized(width: 4, height: 4, threads: 1)
    #expect(abs(uneven[1, 0].x - (0.5 * 1 + 2) / 1.5) < 1e-5)
    let larger = picture.resized(width: 12, height: 8, threads: 1)
    #expect(larger[3, 5].x == 1 && larger[3, 5].y == 2)
    var clear = picture
    for index in 0..<24 where index % 2 == 1 { clear.pixels[index].w = 0 }
    let kept = clear.resized(width: 3, height: 2, threads: 1)
    #expect(abs(kept[1, 0].x - 2) < 1e-5 && abs(kept[1, 0].w - 0.5) < 1e-5)
  }

  @Test("turns are those of the renderer")
  func turning() throws {
    let pixels = (0..<6).map { SIMD4<Float>(Float($0), 0, 0, 1) }
    let picture = FloatPicture(width: 3, height: 2, pixels: pixels)
    let turned = try #require(picture.turned(by: CGAffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 2, ty: 0)))
    #expect(turned.width == 2 && turned.height == 3)
    #expect(turned.component(0) == [3, 0, 4, 1, 5, 2])
    #expect(picture.turned(by: CGAffineTransform(a: 0.7, b: 0.7, c: -0.7, d: 0.7, tx: 0, ty: 0)) == nil)
  }

  @Test("a picture lies over its ground where it reaches into it")
  func laying() throws {
    let ground = try Picture(4, 3, "BGRA")
    ground.fill { _, _, component in component == 3 ? 255 : 100 }
    let picture = FloatPicture(width: 3, height: 3, pixels: .init(repeating: SIMD4(1, 0, .nan, 0.5), count: 9))
    picture.lay(over: ground.buffer, x: 2, y: -1)
    // Red, green, blue; (255 + 100) / 2 is 177.5.
    #expect([0, 1, 2].map { ground.code(2, 0, $0) } == [178, 50, 50] && ground.code(3, 1, 0) == 178)
    #expect(ground.code(1, 0, 0) == 100 && ground.code(2, 2, 0) == 100)
    picture.lay(over: ground.buffer, x: 40, y: 40)
  }

  @Test("formats without whole samples are refused")
  func refusals() throws {
    let packed = try CVBuffer.make(width: 6, height: 2, format: kCVPixelFormatType_422YpCbCr10)
    #expect(throws: BokehError.self) { try developer.light(of: packed) }
    #expect(throws: BokehError.self) { try developer.display(packed) }
  }
}
