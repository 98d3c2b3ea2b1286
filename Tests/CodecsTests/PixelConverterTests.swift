import Codecs
import CoreMedia
import CoreVideo
import Foundation
import Testing

@Suite struct PixelConverterTests {
  /// A flat picture of one colour, from R'G'B' shares by the matrix's own formula.
  private func flat(
    _ rgb: (r: Double, g: Double, b: Double), _ format: OSType, kr: Double, kb: Double, matrix: String
  ) throws -> CVPixelBuffer {
    let luma = kr * rgb.r + (1 - kr - kb) * rgb.g + kb * rgb.b
    let blue = (rgb.b - luma) / (2 * (1 - kb))
    let red = (rgb.r - luma) / (2 * (1 - kr))
    let buffer = try CVBuffer.make(width: 32, height: 32, format: format)
    let description = try #require(PixelFormat.description(of: format))
    let isFull = description.isFullRange
    let codes = [
      isFull ? luma * 255 : 16 + luma * 219, (isFull ? blue * 255 : blue * 224) + 128,
      (isFull ? red * 255 : red * 224) + 128,
    ]
    let isDeep = description.bitsPerComponent == 10
    for plane in 0..<2 {
      buffer.withPlane(plane, readOnly: false) { base, pitch, width, height in
        for y in 0..<height {
          for x in 0..<width * (plane + 1) {
            let code = codes[plane == 0 ? 0 : 1 + x % 2]
            if isDeep {
              base.storeBytes(of: UInt16((code * 4).rounded()) << 6, toByteOffset: y * pitch + x * 2, as: UInt16.self)
            } else {
              base.storeBytes(of: UInt8(code.rounded()), toByteOffset: y * pitch + x, as: UInt8.self)
            }
          }
        }
      }
    }
    CVBufferSetAttachment(buffer, kCVImageBufferYCbCrMatrixKey, matrix, .shouldPropagate)
    return buffer
  }

  private static let matrices: [(String, Double, Double)] = [
    (kCVImageBufferYCbCrMatrix_ITU_R_601_4, 0.299, 0.114), (kCVImageBufferYCbCrMatrix_ITU_R_709_2, 0.2126, 0.0722),
    (kCVImageBufferYCbCrMatrix_ITU_R_2020, 0.2627, 0.0593),
  ]

  /// Rounding of Y', Cb and Cr to their codes moves each of R', G', B' by up to two codes of 8 bits.
  @Test(arguments: ["420v", "420f", "x420", "xf20"], 0..<3)
  func matrixAndRangeAreRight(name: String, matrix: Int) throws {
    let (key, kr, kb) = Self.matrices[matrix]
    let tolerance = name.hasPrefix("x") ? 1.0 : 2.0
    let colours: [(r: Double, g: Double, b: Double)] = [
      (1, 1, 1), (0, 0, 0), (0.75, 0.25, 0.5), (0.1, 0.8, 0.3), (0.2, 0.2, 0.9),
    ]
    for rgb in colours {
      let source = try flat(rgb, fourCharacterCode(name), kr: kr, kb: kb, matrix: key)
      let bgra = try CVBuffer.make(width: 32, height: 32, format: kCVPixelFormatType_32BGRA)
      try PixelConverter().convert(source, to: bgra)
      let pixel = bgra.bytes(ofPlane: 0)[(16 * 32 + 16) * 4..<(16 * 32 + 16) * 4 + 4].map(Double.init)
      #expect(abs(pixel[2] - rgb.r * 255) <= tolerance)
      #expect(abs(pixel[1] - rgb.g * 255) <= tolerance)
      #expect(abs(pixel[0] - rgb.b * 255) <= tolerance)
      #expect(pixel[3] == 255)
      let float = try CVBuffer.make(width: 32, height: 32, format: kCVPixelFormatType_128RGBAFloat)
      try PixelConverter().convert(source, to: float)
      let values = float.bytes(ofPlane: 0).withUnsafeBytes { Array($0.bindMemory(to: Float.self).prefix(4)) }
      #expect(abs(Double(values[0]) - rgb.r) <= tolerance / 255)
      #expect(values[3] == 1)
    }
  }

  /// There and back through formats with at least as much room: nothing may be lost.
  @Test(arguments: [
    ("420v", "x420"), ("x422", "v210"), ("x422", "v216"), ("x422", "sv22"), ("422v", "2vuy"), ("x444", "y416"),
    ("x444", "sv44"), ("420v", "v0a8"), ("L008", "L016"), ("L010", "L016"), ("BGRA", "l64r"), ("BGRA", "RGhA"),
    ("l64r", "b64a"), ("l64r", "RGfA"), ("RGhA", "RGfA"), ("L00h", "L00f"), ("x444", "s4as"),
  ])
  func roomierFormatsKeepEveryCode(narrow: String, wide: String) throws {
    let source = try TestPicture.make(96, 48, fourCharacterCode(narrow))
    let middle = try CVBuffer.make(width: 96, height: 48, format: fourCharacterCode(wide))
    let back = try CVBuffer.make(width: 96, height: 48, format: fourCharacterCode(narrow))
    let converter = PixelConverter()
    try converter.convert(source, to: middle)
    try converter.convert(middle, to: back)
    #expect(haveSameCodes(back, source))
  }

  /// Codes outside the video range cannot come back; the picture's are inside. One code for two roundings.
  @Test(arguments: [("420v", "420f", 8), ("x420", "xf20", 10), ("420f", "420v", 8), ("xf20", "x420", 10)])
  func rangesConvertThereAndBack(from: String, to: String, bits: Int) throws {
    let source = try TestPicture.make(64, 64, fourCharacterCode(from))
    let middle = try CVBuffer.make(width: 64, height: 64, format: fourCharacterCode(to))
    let back = try CVBuffer.make(width: 64, height: 64, format: fourCharacterCode(from))
    let converter = PixelConverter()
    try converter.convert(source, to: middle)
    try converter.convert(middle, to: back)
    #expect(middle.allBytes != source.allBytes)
    for plane in 0..<2 {
      if bits == 8 {
        #expect(largestDifference(back.bytes(ofPlane: plane), source.bytes(ofPlane: plane)) <= 1)
      } else {
        #expect(largestDifference(back.words(ofPlane: plane), source.words(ofPlane: plane)) <= 1 << 6)
      }
    }
  }

  /// Grey takes luma as it is, in whatever range, and at another size as well.
  @Test(arguments: ["420v", "420f", "x420", "xf20", "x422", "444v"])
  func greyTakesLumaUntouched(name: String) throws {
    let source = try TestPicture.make(64, 48, fourCharacterCode(name))
    let isDeep = name.hasPrefix("x")
    let grey = try CVBuffer.make(width: 64, height: 48, format: fourCharacterCode(isDeep ? "L010" : "L008"))
    try PixelConverter().convert(source, to: grey)
    #expect(grey.bytes(ofPlane: 0) == source.bytes(ofPlane: 0))
    let half = try CVBuffer.make(width: 32, height: 24, format: fourCharacterCode(isDeep ? "L010" : "L008"))
    try PixelConverter().convert(source, to: half)
    let limits = isDeep ? source.words(ofPlane: 0).map { Int($0) >> 6 } : source.bytes(ofPlane: 0).map { Int($0) }
    let scaled = isDeep ? half.words(ofPlane: 0).map { Int($0) >> 6 } : half.bytes(ofPlane: 0).map { Int($0) }
    let mean = (limits.reduce(0, +) / limits.count, scaled.reduce(0, +) / scaled.count)
    #expect(abs(mean.0 - mean.1) <= (isDeep ? 4 : 1))
    #expect(scaled.max()! <= limits.max()! + 2 && scaled.min()! >= limits.min()! - 2)
  }

  @Test func greyScalesWithoutAChangeOfRange() throws {
    let source = try CVBuffer.make(width: 40, height: 40, format: kCVPixelFormatType_OneComponent10)
    source.withPlane(0, readOnly: false) { base, pitch, width, height in
      for y in 0..<height {
        for x in 0..<width { base.storeBytes(of: UInt16(700) << 6, toByteOffset: y * pitch + x * 2, as: UInt16.self) }
      }
    }
    let target = try CVBuffer.make(width: 97, height: 31, format: kCVPixelFormatType_OneComponent10)
    try PixelConverter().convert(source, to: target)
    #expect(target.words(ofPlane: 0).allSatisfy { $0 == 700 << 6 })
  }

  @Test func colourAttachmentsTravel() throws {
    let source = try TestPicture.make(32, 32, kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange)
    CVBufferSetAttachment(
      source, kCVImageBufferTransferFunctionKey, kCVImageBufferTransferFunction_ITU_R_2100_HLG, .shouldPropagate)
    let target = try CVBuffer.make(width: 16, height: 16, format: kCVPixelFormatType_64RGBAHalf)
    try PixelConverter().convert(source, to: target)
    #expect(
      CVBufferCopyAttachment(target, kCVImageBufferTransferFunctionKey, nil) as? String
        == kCVImageBufferTransferFunction_ITU_R_2100_HLG)
  }

  @Test func impossibleConversionsAreRefused() throws {
    let rgb = try TestPicture.make(16, 16, kCVPixelFormatType_32BGRA)
    let grey = try CVBuffer.make(width: 16, height: 16, format: kCVPixelFormatType_OneComponent8)
    #expect(throws: CodecError.self) { try PixelConverter().convert(rgb, to: grey) }
    let raw = try CVBuffer.make(width: 16, height: 16, format: fourCharacterCode("bp16"))
    #expect(throws: CodecError.self) { try PixelConverter().convert(rgb, to: raw) }
    #expect(throws: CodecError.self) { try PixelConverter().convert(raw, to: rgb) }
  }

  /// v210's words after its definition.
  @Test func v210IsPackedAsDefined() throws {
    let source = try CVBuffer.make(width: 6, height: 1, format: kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange)
    let luma: [UInt16] = [101, 102, 103, 104, 105, 106]
    let chroma: [UInt16] = [201, 301, 202, 302, 203, 303]
    for (plane, codes) in [luma, chroma].enumerated() {
      source.withPlane(plane, readOnly: false) { base, _, _, _ in
        for (index, code) in codes.enumerated() {
          base.storeBytes(of: code << 6, toByteOffset: index * 2, as: UInt16.self)
        }
      }
    }
    let packed = try CVBuffer.make(width: 6, height: 1, format: kCVPixelFormatType_422YpCbCr10)
    try PixelConverter().convert(source, to: packed)
    let words = packed.bytes(ofPlane: 0).withUnsafeBytes { Array($0.bindMemory(to: UInt32.self).prefix(4)) }
    func word(_ a: UInt32, _ b: UInt32, _ c: UInt32) -> UInt32 { a | b << 10 | c << 20 }
    #expect(words == [word(201, 101, 301), word(102, 202, 103), word(302, 104, 203), word(105, 303, 106)])
  }
}
