package import CoreVideo

/// How decoded samples lie in memory. Every layout is written from the slices; there is no conversion afterwards.
///
/// Y'CbCr codes are those of the stream, in its range; alpha is straight and full range, and opaque where the stream has none.
/// Chroma of another resolution is interpolated (the added samples are means of their neighbours), or weighted 1:2:1 around
/// the sample that stays.
package enum ProResLayout: Sendable, Hashable {
  /// Planes of Y', Cb, Cr and, where a fourth is given, alpha; codes of this many bits (8 to 16) in the lower bits of 16-bit
  /// little-endian words. Chroma has the stream's own resolution.
  case planar(depth: Int)
  /// A, Y', Cb, Cr of 16 bits.
  case y416
  /// Cb, Y', Cr, Y' of 16 bits.
  case v216
  /// 10 bits, six pixels in four words.
  case v210
  /// Y' and CbCr, 10 bits in the upper bits of 16.
  case x422, x444
  /// Y' and CbCr of 16 bits.
  case sv22, sv44
  /// Y', CbCr and alpha of 16 bits.
  case s4as
  /// A, R', G', B' of 16 bits, most significant byte first.
  case b64a
  /// B', G', R', A of 8 bits.
  case bgra
  /// R', G', B', A as half floats; black is 0, white 1, and what is beyond is kept.
  case rgbaHalf

  /// The layout of a pixel format, or nil if the decoder does not write it. Y'CbCr codes go there unchanged, so that the
  /// caller chooses a format of the stream's range.
  package init?(pixelFormat: OSType) {
    guard let layout = Self.byCode[fourCharacterString(pixelFormat)] else { return nil }
    self = layout
  }

  /// - Throws: `ProResError.wrongDestination` for a pixel format that the decoder does not write.
  package init(writing pixelFormat: OSType) throws(ProResError) {
    guard let layout = ProResLayout(pixelFormat: pixelFormat) else {
      throw ProResError(
        .wrongDestination, "pixels are not written as \(fourCharacterString(pixelFormat)); choose a format that is")
    }
    self = layout
  }

  private static let byCode: [String: ProResLayout] = [
    "y416": .y416, "v216": .v216, "v210": .v210, "x422": .x422, "x444": .x444, "xf22": .x422, "xf44": .x444,
    "sv22": .sv22, "sv44": .sv44, "s4as": .s4as, "b64a": .b64a, "BGRA": .bgra, "RGhA": .rgbaHalf,
  ]
}

extension ProResLayout {
  /// Bits that a sample is computed with.
  package var depth: Int {
    switch self {
    case .planar(let depth): depth
    case .v210, .x422, .x444: 10
    default: 16
    }
  }

  /// The chroma that is written of a stream.
  package func chroma(of stream: ProResFrameHeader.Chroma) -> ProResFrameHeader.Chroma {
    switch self {
    case .planar: stream
    case .v216, .v210, .x422, .sv22: .halved
    default: .full
    }
  }

  /// A piece of a plane that cannot be divided.
  package struct Block {
    package let byteCount: Int
    /// Pixels of the picture that it holds.
    package let pixels: Int
  }

  /// What each plane consists of.
  package func blocks(_ stream: ProResFrameHeader.Chroma, planeCount: Int) -> [Block] {
    let across = chroma(of: stream) == .halved ? 2 : 1
    switch self {
    case .planar:
      let chroma = Block(byteCount: 2, pixels: across)
      return Array([Block(byteCount: 2, pixels: 1), chroma, chroma, Block(byteCount: 2, pixels: 1)].prefix(planeCount))
    case .x422, .x444, .sv22, .sv44: return [Block(byteCount: 2, pixels: 1), Block(byteCount: 4, pixels: across)]
    case .s4as: return [(2, 1), (4, 1), (2, 1)].map(Block.init)
    case .v216: return [Block(byteCount: 8, pixels: 2)]
    case .v210: return [Block(byteCount: 16, pixels: 6)]
    case .y416, .b64a, .rgbaHalf: return [Block(byteCount: 8, pixels: 1)]
    case .bgra: return [Block(byteCount: 4, pixels: 1)]
    }
  }

  /// The pixels at the end of a slice that wait for the next one: `end` is where it ends in its row.
  func pixelsHeldBack(_ stream: ProResFrameHeader.Chroma, end: Int) -> Int {
    if self == .v210 { return end % 6 }
    // The last chroma sample has its right neighbour in the next slice.
    return stream == .halved && chroma(of: stream) == .full ? 1 : 0
  }
}
