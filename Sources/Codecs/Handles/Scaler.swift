internal import CFFmpeg

/// Owns one SwsContext: converts pictures of one kind to pictures of another.
final class Scaler {
  /// All that libswscale has to be told about a picture; nothing is left to its guesses.
  struct Side: Hashable {
    var width: Int
    var height: Int
    var format: AVPixelFormat
    var isFullRange: Bool
    /// H.273 matrix coefficients; of no effect for RGB and grey.
    var matrix: Int
    var chromaLocation: AVChromaLocation = AVCHROMA_LOC_LEFT

    static func == (a: Side, b: Side) -> Bool {
      a.width == b.width && a.height == b.height && a.format == b.format && a.isFullRange == b.isFullRange
        && a.matrix == b.matrix && a.chromaLocation == b.chromaLocation
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(width)
      hasher.combine(height)
      hasher.combine(format.rawValue)
    }
  }

  private let raw: OpaquePointer

  init(from source: Side, to target: Side) throws {
    Library.quiet
    guard let raw = sws_alloc_context() else {
      throw CodecError(.outOfMemory, "There is no memory for a picture conversion; free some and try again.")
    }
    self.raw = raw
    try Scaler.configure(raw, "src", source)
    try Scaler.configure(raw, "dst", target)
    let shrinks = target.width * 2 < source.width || target.height * 2 < source.height
    try set("sws_flags", Int(CFFMPEG_SWS_EXACT | (shrinks ? CFFMPEG_SWS_AREA : CFFMPEG_SWS_BICUBIC)))
    try checked(sws_init_context(raw, nil, nil), Scaler.describe(source, target))
    try setColour(source, target)
  }

  deinit { sws_freeContext(raw) }

  private func set(_ option: String, _ value: Int) throws {
    try checked(
      av_opt_set_int(UnsafeMutableRawPointer(raw), option, Int64(value), 0), "setting up a picture conversion")
  }

  private static func configure(_ raw: OpaquePointer, _ prefix: String, _ side: Side) throws {
    let object = UnsafeMutableRawPointer(raw)
    var options = [
      (prefix + "w", side.width), (prefix + "h", side.height), (prefix + "_format", Int(side.format.rawValue)),
      (prefix + "_range", side.isFullRange ? 1 : 0),
    ]
    if let shape = FrameShape(side.format), shape.horizontalShift + shape.verticalShift > 0 {
      let site = chromaSite(side.chromaLocation, shape)
      options += [(prefix + "_h_chr_pos", site.horizontal), (prefix + "_v_chr_pos", site.vertical)]
    }
    for (name, value) in options {
      try checked(av_opt_set_int(object, name, Int64(value), 0), "setting up a picture conversion")
    }
  }

  /// Where chroma lies between luma samples, in 1/256 of one; -513 leaves an unsampled direction alone.
  private static func chromaSite(_ location: AVChromaLocation, _ shape: FrameShape) -> (horizontal: Int, vertical: Int)
  {
    let isLeft = [AVCHROMA_LOC_LEFT, AVCHROMA_LOC_TOPLEFT, AVCHROMA_LOC_BOTTOMLEFT, AVCHROMA_LOC_UNSPECIFIED]
      .contains(location)
    let isTop = [AVCHROMA_LOC_TOPLEFT, AVCHROMA_LOC_TOP].contains(location)
    let isBottom = [AVCHROMA_LOC_BOTTOMLEFT, AVCHROMA_LOC_BOTTOM].contains(location)
    let horizontal = shape.horizontalShift == 0 ? -513 : isLeft ? 0 : 128
    let vertical = shape.verticalShift == 0 ? -513 : isTop ? 0 : isBottom ? 256 : 128
    return (horizontal, vertical)
  }

  private func setColour(_ source: Side, _ target: Side) throws {
    let unity = Int32(1 << 16)
    let status = sws_setColorspaceDetails(
      raw, Scaler.coefficients(source.matrix), source.isFullRange ? 1 : 0, Scaler.coefficients(target.matrix),
      target.isFullRange ? 1 : 0, 0, unity, unity)
    try checked(status, Scaler.describe(source, target))
  }

  private static func coefficients(_ matrix: Int) -> UnsafePointer<Int32> {
    let known: Int32 =
      switch matrix {
      case 1: CFFMPEG_SWS_CS_709
      case 4: CFFMPEG_SWS_CS_FCC
      case 7: CFFMPEG_SWS_CS_240M
      case 9, 10: CFFMPEG_SWS_CS_2020
      default: CFFMPEG_SWS_CS_601
      }
    return sws_getCoefficients(known)
  }

  private static func describe(_ source: Side, _ target: Side) -> String {
    "preparing a conversion from \(name(source)) to \(name(target))"
  }

  private static func name(_ side: Side) -> String {
    let format = av_get_pix_fmt_name(side.format).map { String(cString: $0) } ?? "an unknown layout"
    return "\(format) of \(side.width)x\(side.height)"
  }

  /// Converts a whole picture.
  func convert(_ source: PictureView, to target: PictureView, height: Int) throws {
    let rows = sws_scale(
      raw, source.readablePlanes, source.pitches, 0, Int32(height), target.planes, target.pitches)
    try checked(rows, "converting a picture")
  }
}

/// The planes of a picture while someone holds them; never kept.
struct PictureView {
  var planes: [UnsafeMutablePointer<UInt8>?]
  var pitches: [Int32]

  init(_ parts: [(UnsafeMutableRawPointer, Int)]) {
    planes = parts.map { $0.0.assumingMemoryBound(to: UInt8.self) } + [nil, nil, nil, nil]
    pitches = parts.map { Int32(clamping: $0.1) } + [0, 0, 0, 0]
  }

  init(_ frame: Frame.Raw) {
    planes = (0..<4).map { dataPointer(frame, $0) }
    pitches = (0..<4).map { Int32(clamping: lineSize(frame, $0)) }
  }

  fileprivate var readablePlanes: [UnsafePointer<UInt8>?] { planes.map { UnsafePointer($0) } }
}
