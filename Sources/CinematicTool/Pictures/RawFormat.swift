import CoreVideo

/// How the pixels of a frame lie in a raw file, by the name that `--format` takes.
struct RawFormat: Sendable, Hashable {
  enum Layout: Sendable, Hashable {
    /// The planes of the pixel format one after the other, rows without padding other than the format's own.
    case stored
    /// Planes of Y', Cb, Cr and, where there is one, alpha: bytes for codes of 8 bits, else 16-bit little-endian words with the codes in
    /// the lower bits.
    case planar(depth: Int)
  }

  let name: String
  /// What a decoder is asked for.
  let pixelFormat: OSType
  /// The same with codes over the full range, for movies that have them; equal where there is none.
  let fullRangePixelFormat: OSType
  let layout: Layout
  /// Where the bytes are, in a few words.
  let summary: String

  private init(_ name: String, _ code: String, full: String? = nil, depth: Int? = nil, _ summary: String = "") {
    self.name = name
    pixelFormat = fourCharacterCode(code)
    fullRangePixelFormat = fourCharacterCode(full ?? code)
    layout = depth.map { .planar(depth: $0) } ?? .stored
    self.summary = summary
  }

  static func named(_ name: String) -> RawFormat? { all.first { $0.name == name } }

  /// The format whose bytes are those of a pixel format.
  static func of(_ pixelFormat: OSType) -> RawFormat? {
    all.first { $0.layout == .stored && [$0.pixelFormat, $0.fullRangePixelFormat].contains(pixelFormat) }
  }
}

extension RawFormat {
  static let all: [RawFormat] = packed + biPlanar + rgb + planar

  private static let packed = [
    Self("y416", "y416", "16-bit A, Y', Cb, Cr of each pixel; FFmpeg's ayuv64le"),
    Self("v216", "v216", "16-bit Cb, Y', Cr, Y' of two pixels"),
    Self("v210", "v210", "10 bits, six pixels in 16 bytes, rows padded to 128 bytes; FFmpeg's codec v210"),
    Self("2vuy", "2vuy", "8-bit Cb, Y', Cr, Y' of two pixels; FFmpeg's uyvy422"),
  ]

  private static let biPlanar = [
    Self("420v", "420v", full: "420f", "8-bit Y', then CbCr for 2x2 pixels; FFmpeg's nv12"),
    Self("422v", "422v", full: "422f", "8-bit Y', then CbCr for two pixels; FFmpeg's nv16"),
    Self("444v", "444v", full: "444f", "8-bit Y', then CbCr for each pixel; FFmpeg's nv24"),
    Self("x420", "x420", full: "xf20", "As 420v, with 10 bits in the upper ones of 16; FFmpeg's p010le"),
    Self(
      "x422", "x422", full: "xf22", "Y', then CbCr for two pixels, 10 bits in the upper ones of 16; FFmpeg's p210le"),
    Self("x444", "x444", full: "xf44", "As x422, with CbCr for each pixel; FFmpeg's p410le"),
    Self("sv22", "sv22", "16-bit Y', then CbCr for two pixels; FFmpeg's p216le"),
    Self("sv44", "sv44", "16-bit Y', then CbCr for each pixel; FFmpeg's p416le"),
    Self("s4as", "s4as", "As sv44, then a plane of 16-bit alpha"),
  ]

  private static let rgb = [
    Self("b64a", "b64a", "16-bit big-endian A, R', G', B'; FFmpeg's argb64be"),
    Self("bgra", "BGRA", "8-bit B', G', R', A; FFmpeg's bgra"),
    Self("rgba-half", "RGhA", "R', G', B', A as half floats, black 0 and white 1; FFmpeg's rgbaf16le"),
  ]

  private static let planar = [
    Self("yuv420p", "420v", full: "420f", depth: 8),
    Self("yuv420p10", "x420", full: "xf20", depth: 10),
    Self("yuv422p", "422v", full: "422f", depth: 8),
    Self("yuv422p10", "x422", full: "xf22", depth: 10),
    Self("yuv422p12", "sv22", depth: 12),
    Self("yuv422p16", "sv22", depth: 16),
    Self("yuv444p", "444v", full: "444f", depth: 8),
    Self("yuv444p10", "x444", full: "xf44", depth: 10),
    Self("yuv444p12", "sv44", depth: 12),
    Self("yuv444p16", "sv44", depth: 16),
    Self("yuva444p10", "s4as", depth: 10),
    Self("yuva444p12", "s4as", depth: 12),
    Self("yuva444p16", "s4as", depth: 16),
  ]

  /// Bits of a planar code; nil for other layouts.
  var planarDepth: Int? { if case .planar(let depth) = layout { depth } else { nil } }

  var hasAlpha: Bool { PixelFormat.description(of: pixelFormat)?.hasAlpha ?? false }

  /// The name of a format with the same picture in planes of Y', Cb and Cr.
  var planarWithoutAlpha: String {
    let twin = Self.planar.first { $0.pixelFormat == pixelFormat && !$0.hasAlpha }
    return twin?.name ?? Self.planarNames[name] ?? "yuv444p12"
  }

  private static let planarNames = [
    "v216": "yuv422p16", "v210": "yuv422p10", "2vuy": "yuv422p", "yuva444p10": "yuv444p10", "yuva444p16": "yuv444p16",
  ]

  /// Pixels that a chroma sample stands for, across and down.
  var chromaSubsampling: (horizontal: Int, vertical: Int) {
    PixelFormat.description(of: pixelFormat)?.chromaSubsampling ?? (1, 1)
  }

  /// The names and where the bytes are, for the help.
  static var glossary: Command.Glossary {
    let rows = (packed + biPlanar + rgb).map { ($0.name, $0.summary + ".") }
    let planes =
      "Planes of Y', Cb, Cr and alpha, as FFmpeg has them under this name, of 10 bits and more that of its 'le': "
    return Command.Glossary("Formats", rows + [("yuv…", planes + planar.map(\.name).joined(separator: ", ") + ".")])
  }
}
