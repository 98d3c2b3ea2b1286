import Bokeh
import CoreVideo
import Testing

/// Colour as the renderer sees it: what comes out of a blurred flat picture tells what was averaged.
@Suite struct ColorTests {
  /// Renders `pairs` of columns of two greys, far out of focus, and returns the code in the middle.
  private func mean(_ dark: Int, _ bright: Int, transfer: String, format: String = "x444") throws -> Int {
    let source = try Picture(64, 64, format)
    source.tag(transfer: transfer)
    source.fill { x, _, component in component == 0 ? (x % 2 == 0 ? dark : bright) : 512 }
    let target = try Picture(64, 64, format)
    try Picture.render(source, target, disparity: 0, focus: 3, fNumber: 0.05)
    return target.code(32, 32, 0)
  }

  /// The signal of the mean light of two signals, by each curve's definition.
  @Test(
    "light is averaged, not signals",
    arguments: [
      // BT.709: signals 0 and 1 have the mean light 0.5, whose signal is 1.099 · 0.5^0.45 − 0.099 = 0.7055.
      (64, 940, kCVImageBufferTransferFunction_ITU_R_709_2, 0.7055),
      // sRGB: 1.055 · 0.5^(1/2.4) − 0.055 = 0.7354.
      (64, 940, kCVImageBufferTransferFunction_sRGB, 0.7354),
      // HLG: signal 0.5 is light 1/12, so 0 and 0.5 give 1/24, whose signal is √(3/24) = 0.3536.
      (64, 502, kCVImageBufferTransferFunction_ITU_R_2100_HLG, 0.3536),
      // PQ: signal 0.5081 is 100 cd/m², so 0 and that give 50 cd/m², whose signal is 0.4403.
      (64, 509, kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ, 0.4403),
      (64, 940, kCVImageBufferTransferFunction_Linear, 0.5),
    ] as [(Int, Int, String, Double)])
  func linearLight(dark: Int, bright: Int, transfer: String, signal: Double) throws {
    let code = try mean(dark, bright, transfer: transfer)
    // Beyond the border one of the two columns goes on, which shifts the mean a little.
    #expect(abs(Double(code - 64) / 876 - signal) < 0.006)
  }

  @Test(
    "codes survive every transfer function",
    arguments: [
      kCVImageBufferTransferFunction_ITU_R_709_2, kCVImageBufferTransferFunction_SMPTE_240M_1995,
      kCVImageBufferTransferFunction_sRGB, kCVImageBufferTransferFunction_ITU_R_2100_HLG,
      kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ, kCVImageBufferTransferFunction_Linear,
      kCVImageBufferTransferFunction_SMPTE_ST_428_1, kCVImageBufferTransferFunction_UseGamma,
    ])
  func roundTrip(transfer: String) throws {
    // A blurred uniform picture is computed, not copied.
    for code in stride(from: 64, through: 940, by: 73) {
      let result = try mean(code, code, transfer: transfer)
      #expect(abs(result - code) <= 1)
    }
  }

  @Test("HDR becomes SDR that rises with the signal and is tagged", arguments: [ToneMap.bt2446A, .bt2390])
  func toneMap(curve: ToneMap) throws {
    for transfer in [kCVImageBufferTransferFunction_ITU_R_2100_HLG, kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ] {
      var before = -1
      for code in stride(from: 64, through: 940, by: 73) {
        let source = try Picture(8, 8, "x420")
        source.tag(
          transfer: transfer, primaries: kCVImageBufferColorPrimaries_ITU_R_2020,
          matrix: kCVImageBufferYCbCrMatrix_ITU_R_2020)
        source.fill { _, _, component in component == 0 ? code : 512 }
        let target = try Picture(8, 8, "420v")
        try Picture.render(source, target, disparity: 0, focus: 3, fNumber: 1) { $0.toneMap = curve }
        let luma = target.code(4, 4, 0)
        #expect(luma >= before)
        #expect(abs(target.code(2, 2, 1) - 128) <= 1 && abs(target.code(2, 2, 2) - 128) <= 1)
        before = luma
        #expect(target.tag(kCVImageBufferTransferFunctionKey) == kCVImageBufferTransferFunction_ITU_R_709_2)
        #expect(target.tag(kCVImageBufferColorPrimariesKey) == kCVImageBufferColorPrimaries_ITU_R_709_2)
      }
      #expect(before >= 234)
    }
  }

  /// BT.2446-1 method A takes reference white, 203 of 1000 cd/m², to 0.7 of the SDR signal; BT.2390 leaves it near the
  /// top.
  @Test(arguments: [(ToneMap.bt2446A, 0.68...0.82), (.bt2390, 0.75...0.95)] as [(ToneMap, ClosedRange<Double>)])
  func referenceWhite(curve: ToneMap, signal: ClosedRange<Double>) throws {
    let source = try Picture(8, 8, "x420")
    source.tag(
      transfer: kCVImageBufferTransferFunction_ITU_R_2100_HLG, primaries: kCVImageBufferColorPrimaries_ITU_R_2020,
      matrix: kCVImageBufferYCbCrMatrix_ITU_R_2020)
    source.fill { _, _, component in component == 0 ? 721 : 512 }
    let target = try Picture(8, 8, "x420")
    try Picture.render(source, target, disparity: 0, focus: 3, fNumber: 1) { $0.toneMap = curve }
    #expect(signal.contains(Double(target.code(4, 4, 0) - 64) / 876))
  }

  @Test("an SDR picture is not tone mapped")
  func sdrStays() throws {
    let source = try Picture(16, 16, "420v")
    source.fillRandomly(seed: 1)
    let target = try Picture(16, 16, "420v")
    try Picture.render(source, target, disparity: 1, focus: 1, fNumber: 2) { $0.toneMap = .bt2446A }
    #expect(target.bytes == source.bytes)
  }

  @Test("a red of BT.2020 stays inside BT.709")
  func gamut() throws {
    let source = try Picture(8, 8, "RGfA")
    source.tag(
      transfer: kCVImageBufferTransferFunction_ITU_R_2100_HLG, primaries: kCVImageBufferColorPrimaries_ITU_R_2020)
    source.fillValues { _, _, component in component == 0 || component == 3 ? 0.75 : 0 }
    let target = try Picture(8, 8, "RGfA")
    try Picture.render(source, target, disparity: 0, focus: 3, fNumber: 1) { $0.toneMap = .bt2446A }
    for component in 0..<3 { #expect((0...1).contains(target.value(4, 4, component))) }
    #expect(target.value(4, 4, 0) > target.value(4, 4, 1) + 0.3)
  }
}
