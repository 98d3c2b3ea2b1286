import Bokeh
import CoreGeometry
import CoreVideo
import Testing

/// Pixel formats, orientation, and what the renderer refuses.
@Suite struct FormatTests {
  private static func name(_ code: OSType) -> String { fourCharacterString(code) }

  @Test("the usual formats are taken and given")
  func lists() {
    for name in ["420v", "420f", "x420", "xf20", "BGRA", "RGhA"] {
      #expect(BokehRenderer.sourcePixelFormats.contains(fourCharacterCode(name)))
      #expect(BokehRenderer.destinationPixelFormats.contains(fourCharacterCode(name)))
    }
    for name in ["hdis", "fdis", "L008", "L010", "L016"] {
      #expect(BokehRenderer.disparityFormats.contains(fourCharacterCode(name)))
    }
  }

  @Test("a picture in focus comes out bit for bit", arguments: BokehRenderer.sourcePixelFormats)
  func identity(format: OSType) throws {
    for (width, height) in [(20, 12), (17, 9), (1, 1)] {
      let source = try Picture(width, height, format)
      source.fillRandomly(seed: 5)
      let target = try Picture(width, height, format)
      for quality in [BokehQuality.preview, .export, .exportHigh] {
        try Picture.render(source, target, disparity: 0.7, focus: 0.7, fNumber: 1.4, quality: quality)
        #expect(target.bytes == source.bytes)
      }
    }
  }

  @Test("a uniform picture, blurred, keeps its codes", arguments: BokehRenderer.sourcePixelFormats)
  func uniform(format: OSType) throws {
    let source = try Picture(24, 16, format)
    let most = Double(1 << min(source.format.bitsPerComponent, 16) - 1)
    // A colour within range of each format: about (0.55, 0.46, 0.54), or as Y'CbCr; alpha 0.8.
    let numbers = [0.55, 0.46, 0.54, 0.8]
    if source.format.isFloat {
      source.fillValues { _, _, component in
        source.format.isYCbCr && (1...2).contains(component)
          ? Float(numbers[component]) - 0.5 : Float(numbers[component])
      }
    } else {
      source.fill { _, _, component in Int((numbers[component] * most).rounded()) }
    }
    for quality in BokehQuality.allCases {
      let target = try Picture(24, 16, format)
      try Picture.render(source, target, disparity: 0.1, focus: 3, fNumber: 0.2, quality: quality)
      for (before, after) in zip(source.bytes, target.bytes) {
        let error = zip(before, after).map { abs($0 - $1) }.max()!
        // One code up to 12 bits, as much for 16; a half has 11 bits of precision, a single float passes through
        // tables.
        let tolerance = source.format.sample == .float ? 1 << 10 : source.format.bitsPerComponent == 16 ? 6 : 1
        #expect(error <= tolerance, "\(Self.name(format)) \(quality)")
      }
    }
  }

  @Test(
    "colours pass from format to format",
    arguments: ["420v", "420f", "x420", "xf20", "x422", "444f", "sv44", "y416", "2vuy", "BGRA", "b64a", "RGhA", "RGfA"])
  func conversion(name: String) throws {
    let source = try Picture(16, 16, "RGfA")
    source.tag(transfer: kCVImageBufferTransferFunction_ITU_R_709_2)
    let color: [Float] = [0.7, 0.4, 0.2, 1]
    source.fillValues { _, _, component in color[component] }
    let middle = try Picture(16, 16, name)
    try Picture.render(source, middle, disparity: 0.1, focus: 3, fNumber: 0.3)
    #expect(middle.tag(kCVImageBufferTransferFunctionKey) == kCVImageBufferTransferFunction_ITU_R_709_2)
    let target = try Picture(16, 16, "RGfA")
    try Picture.render(middle, target, disparity: 0.1, focus: 3, fNumber: 0.3)
    // Twice half a code of 8 bits, with dither, and chroma's larger steps.
    for component in 0..<3 { #expect(abs(target.value(8, 8, component) - color[component]) < 0.015) }
  }

  @Test("known codes of a known colour")
  func knownCodes() throws {
    let source = try Picture(8, 8, "RGfA")
    source.tag(transfer: kCVImageBufferTransferFunction_ITU_R_709_2, matrix: kCVImageBufferYCbCrMatrix_ITU_R_709_2)
    source.fillValues { _, _, component in component == 0 || component == 3 ? 1 : 0 }
    let target = try Picture(8, 8, "x420")
    try Picture.render(source, target, disparity: 1, focus: 1, fNumber: 2)
    // Red in BT.709: Y' = 0.2126, Cb = −0.2126 / 1.8556, Cr = ½.
    #expect(target.code(4, 4, 0) == Int((64 + 876 * 0.2126).rounded()))
    #expect(target.code(2, 2, 1) == Int((512 - 896 * 0.2126 / 1.8556).rounded()))
    #expect(target.code(2, 2, 2) == 960)
  }

  @Test(
    "chroma has its place",
    arguments: [
      (kCVImageBufferChromaLocation_Left, 0.0, 0.5), (kCVImageBufferChromaLocation_Center, 0.5, 0.5),
      (kCVImageBufferChromaLocation_TopLeft, 0, 0), (kCVImageBufferChromaLocation_Bottom, 0.5, 1),
    ] as [(String, Double, Double)])
  func siting(name: String, x: Double, y: Double) throws {
    // A ramp of chroma in 4:2:0 becomes the ramp of its places in 4:4:4.
    let source = try Picture(32, 32, "xf20")
    source.tag(matrix: kCVImageBufferYCbCrMatrix_ITU_R_709_2, siting: name)
    source.fill { column, row, component in component == 0 ? 512 : component == 1 ? 400 + 8 * column : 400 + 6 * row }
    let target = try Picture(32, 32, "xf44")
    try Picture.render(source, target, disparity: 1, focus: 1, fNumber: 2)
    for place in [7, 12, 20] {
      #expect(abs(Double(target.code(place, 16, 1)) - (400 + 4 * (Double(place) - x))) <= 1)
      #expect(abs(Double(target.code(16, place, 2)) - (400 + 3 * (Double(place) - y))) <= 1)
    }
  }

  private static let turns: [(a: CGFloat, b: CGFloat, c: CGFloat, d: CGFloat)] = [
    (1, 0, 0, 1), (0, 1, -1, 0), (-1, 0, 0, -1), (0, -1, 1, 0), (-1, 0, 0, 1), (1, 0, 0, -1), (0, 1, 1, 0),
    (0, -1, -1, 0),
  ]

  @Test("every turn and mirror puts each pixel where the transform says", arguments: 0..<8)
  func orientation(number: Int) throws {
    let turn = Self.turns[number]
    for name in ["BGRA", "420v", "x422", "xf44"] {
      let (width, height) = (20, 12)
      let source = try Picture(width, height, name)
      source.fillRandomly(seed: 9)
      let isTransposed = turn.a == 0
      let target = try Picture(isTransposed ? height : width, isTransposed ? width : height, name)
      try Picture.render(source, target, disparity: 1, focus: 1, fNumber: 2) {
        // Any translation: a movie's is that of its track, not of the picture.
        $0.transform = CGAffineTransform(a: turn.a, b: turn.b, c: turn.c, d: turn.d, tx: 720, ty: 0)
      }
      let (luma, shown) = (source.bytes[0], target.bytes[0])
      for y in 0..<height {
        for x in 0..<width {
          let u = Int(turn.a) * x + Int(turn.c) * y + (turn.a + turn.c < 0 ? (isTransposed ? height : width) - 1 : 0)
          let v = Int(turn.b) * x + Int(turn.d) * y + (turn.b + turn.d < 0 ? (isTransposed ? width : height) - 1 : 0)
          #expect(shown[v * target.width + u] == luma[y * width + x])
        }
      }
    }
  }

  @Test(
    "a blurred picture turned is the turned picture, chroma too", arguments: ["420v", "x420", "422v"],
    [(21, 13), (20, 12)])
  func turnedBlur(name: String, size: (Int, Int)) throws {
    let source = try Picture(size.0, size.1, name)
    source.tag(siting: kCVImageBufferChromaLocation_Center)
    source.fill { x, y, component in component == 0 ? 60 + (x * 7 + y * 5) % 90 : 90 + (x * 3 + y * 2) % 50 }
    let depth = try Picture.disparity(size.0, size.1) { x, _ in Float(x) * 0.1 }
    let plain = try Picture(size.0, size.1, "RGfA")
    try Picture.render(source, plain, depth, focus: 1, fNumber: 0.4)
    let turned = try Picture(size.1, size.0, "RGfA")
    try Picture.render(source, turned, depth, focus: 1, fNumber: 0.4) {
      $0.transform = CGAffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 0, ty: 0)
    }
    let coded = try Picture(size.1, size.0, name)
    try Picture.render(source, coded, depth, focus: 1, fNumber: 0.4) {
      $0.transform = CGAffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 0, ty: 0)
    }
    let (before, after) = (plain.bytes[0], turned.bytes[0])
    for y in 0..<size.1 {
      for x in 0..<size.0 { #expect(after[x * size.1 + size.1 - 1 - y] == before[y * size.0 + x]) }
    }
    #expect(Set(coded.bytes[1]).count > 3)
  }

  @Test("halves are converted as the processor does")
  func halves() throws {
    let source = try Picture(256, 254, "L00h")
    source.fill { x, y, _ in y * 256 + x < 0x7C00 ? y * 256 + x : min(y * 256 + x - 0x7C00 + 0x8000, 0xFBFF) }
    source.tag(transfer: kCVImageBufferTransferFunction_Linear)
    let wide = try Picture(256, 254, "L00f")
    try Picture.render(source, wide, disparity: 1, focus: 1, fNumber: 2)
    for (half, float) in zip(source.bytes[0], wide.bytes[0]) {
      let expected = Float(Float16(bitPattern: UInt16(half)))
      #expect(abs(Float(bitPattern: UInt32(float)) - expected) <= abs(expected) * 1e-6)
    }
    let back = try Picture(256, 254, "L00h")
    try Picture.render(wide, back, disparity: 1, focus: 1, fNumber: 2)
    let changed = zip(back.bytes[0], source.bytes[0]).count { abs($0 - $1) > 1 }
    #expect(changed == 0)
  }

  @Test("numbers that are none do no harm")
  func notNumbers() throws {
    let source = try Picture(16, 16, "RGfA")
    let odd: [Float] = [.nan, .infinity, -.infinity, -3, 1e30]
    source.fillValues { x, y, component in component == 3 ? 1 : x == 8 ? odd[y % odd.count] : 0.5 }
    for name in ["420v", "BGRA", "RGhA", "x420"] {
      for quality in BokehQuality.allCases {
        let target = try Picture(16, 16, name)
        try Picture.render(source, target, disparity: 0.3, focus: 1, fNumber: 1, quality: quality)
        if target.format.isFloat {
          for bits in target.bytes.joined() { #expect(Float16(bitPattern: UInt16(bits)).isFinite) }
        }
      }
    }
  }

  @Test("each coding of disparity gives the same picture")
  func disparityFormats() throws {
    let source = try Picture(32, 16, "420v")
    source.fillRandomly(seed: 2)
    func render(_ depth: Picture, _ codes: DisparityCodes = .linear(minimum: 0, maximum: 1)) throws -> [[Int]] {
      let target = try Picture(32, 16, "420v")
      try Picture.render(source, target, depth, focus: 0.25, fNumber: 0.2) { $0.disparityCodes = codes }
      return target.bytes
    }
    // 0.25 and 0.75 in every format, to its precision.
    let expected = try render(try Picture.disparity(32, 16) { x, _ in x < 16 ? 0.25 : 0.75 })
    let half = try Picture(32, 16, "hdis")
    half.fillValues { x, _, _ in x < 16 ? 0.25 : 0.75 }
    #expect(try render(half) == expected)
    let depth = try Picture(32, 16, "fdep")
    depth.fillValues { x, _, _ in x < 16 ? 4 : 1 / 0.75 }
    #expect(try render(depth) == expected)
    let log = try Picture(32, 16, "L010")
    log.fill { x, _, _ in x < 16 ? 81 : 202 }
    let coded = try render(log, .logarithmic(minimum: 0, maximum: 16))
    #expect(zip(coded[0], expected[0]).allSatisfy { abs($0 - $1) < 12 })
    let wide = try Picture(32, 16, "L016")
    wide.fill { x, _, _ in x < 16 ? 16_384 : 49_151 }
    let linear = try render(wide)
    #expect(zip(linear[0], expected[0]).allSatisfy { abs($0 - $1) <= 2 })
  }

  @Test("the same place in a picture is nearer with a larger L010 code, by the file's table")
  func logarithmicCodes() throws {
    // format.md 4: for (0, 16): 1 → 250, 4 → 581, 16 → 1023. A disparity equal to the focus leaves the picture as it
    // is.
    for (disparity, code) in [(Float(1), 250), (4, 581), (16, 1023), (0, 0)] {
      let source = try Picture(16, 16, "420v")
      source.fillRandomly(seed: 4)
      let depth = try Picture(8, 8, "L010")
      depth.fill { _, _, _ in code }
      let target = try Picture(16, 16, "420v")
      try Picture.render(source, target, depth, focus: disparity, fNumber: 2)
      #expect(target.bytes == source.bytes)
    }
  }

  @Test("requests that cannot be met are refused")
  func refusals() throws {
    let source = try Picture(16, 8, "420v")
    let target = try Picture(8, 16, "420v")
    #expect(throws: BokehError.destinationSize(width: 8, height: 16, expectedWidth: 16, expectedHeight: 8)) {
      try Picture.render(source, target, disparity: 1, focus: 1, fNumber: 2)
    }
    #expect(throws: BokehError.unsupportedTransform) {
      try Picture.render(source, source, disparity: 1, focus: 1, fNumber: 2) {
        $0.transform = CGAffineTransform(a: 0.7, b: 0.7, c: -0.7, d: 0.7, tx: 0, ty: 0)
      }
    }
    for fNumber in [0, -1, .infinity] as [Float] {
      #expect(throws: BokehError.invalidSetting(name: "f-number", value: fNumber)) {
        try Picture.render(source, source, disparity: 1, focus: 1, fNumber: fNumber)
      }
    }
    let packed = try Picture(16, 8, "v210")
    #expect(throws: BokehError.unsupportedFormat(role: "source", format: "v210")) {
      try Picture.render(packed, source, disparity: 1, focus: 1, fNumber: 2)
    }
    #expect(throws: BokehError.self) { try Picture.render(source, source, source, focus: 1, fNumber: 2) }
  }
}
