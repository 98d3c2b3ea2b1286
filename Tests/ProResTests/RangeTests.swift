import ProRes
import ProResClips
import Testing

/// What others cut: the ends of the range, and the lower bits of alpha.
@Suite struct RangeTests {
  /// Codes from 0 to 1023, in steps a block long so that quantisation hardly changes them.
  private func ramp(_ x: Int) -> UInt16 { UInt16(min(1023, x / 8 * 33)) }

  @Test func theWholeRangeIsDecoded() throws {
    let clip = try ProResClip(ProResClip.Settings(.p4444XQ, 256, 16)) { _, component, x, _ in
      component == 0 ? ramp(x) : 512
    }
    let (planes, _) = try decodePlanes(clip.samples[0], depth: 10)
    for x in 0..<256 { #expect(abs(Int(planes[0][x]) - Int(ramp(x))) <= 1) }
    #expect(planes[0].min() == 0 && planes[0].max() == 1023)
  }

  /// The encoder is given 10 bits and repeats their upper ones below.
  @Test(arguments: [16, 8]) func alphaIsLossless(bits: Int) throws {
    var settings = ProResClip.Settings(.p4444, 272, 40)
    settings.alphaBits = bits
    func alpha(_ x: Int, _ y: Int) -> UInt16 { UInt16((x * x + y * 37 + (x / 40 % 2) * x * y) % 1024) }
    let clip = try ProResClip(settings) { _, component, x, y in component == 3 ? alpha(x, y) : 400 }
    let (planes, _) = try decodePlanes(clip.samples[0], depth: 16)
    for y in 0..<40 {
      for x in 0..<272 {
        let code = alpha(x, y)
        let expected = bits == 16 ? code << 6 | code >> 4 : (code >> 2) * 257
        #expect(planes[3][y * 272 + x] == expected)
      }
    }
  }

  @Test func alphaIsOpaqueWhereThereIsNone() throws {
    let texture = Texture()
    let clip = try ProResClip(ProResClip.Settings(.hq, 48, 16), texture.code)
    let (planes, _) = try decodePlanes(clip.samples[0], depth: 12, hasAlpha: true)
    #expect(planes[3].allSatisfy { $0 == 4095 })
  }
}
