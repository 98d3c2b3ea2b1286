import ProRes
import QuickTime

/// What of a frame's header a sample description repeats: frames that differ in it need descriptions of their own.
struct RecoveredFormat: Hashable, Sendable {
  let width: Int
  let height: Int
  let chroma: ProResFrameHeader.Chroma
  let hasAlpha: Bool
  private let fields: ProResFrameHeader.Fields
  private let aspectRatioCode: Int
  private let color: [Int]

  init(_ header: ProResFrameHeader) {
    width = header.width
    height = header.height
    chroma = header.chroma
    hasAlpha = header.hasAlpha
    fields = header.fields
    aspectRatioCode = header.aspectRatioCode
    color = [header.primaries, header.transfer, header.matrix]
  }

  func description(as profile: ProResProfile) -> SampleDescription {
    var video = VideoDescription(
      width: width, height: height, compressorName: profile.name, depth: hasAlpha ? 32 : 24)
    video.vendor = "appl"
    let atoms = [colorAtom, StoredAtom(fieldAtom), aspectAtom].compactMap { $0 }
    return SampleDescription(type: profile.codec, layout: .video(video), children: atoms)
  }

  /// Code points of H.273, of which 0 and 2 say nothing.
  private var colorAtom: StoredAtom? {
    guard color.contains(where: { $0 != 0 && $0 != 2 }) else { return nil }
    let codes = color.map { UInt16($0 == 0 ? 2 : $0) }
    return StoredAtom(ColourAtom.nclc(primaries: codes[0], transfer: codes[1], matrix: codes[2]))
  }

  /// As Core Media names the orders of interleaved lines: 9 where the first line is the earlier one, 14 where it is the later.
  private var fieldAtom: FieldAtom {
    switch fields {
    case .progressive: FieldAtom(count: 1, detail: 0)
    case .topFirst: FieldAtom(count: 2, detail: 9)
    case .bottomFirst: FieldAtom(count: 2, detail: 14)
    }
  }

  /// The header names the shape of a pixel, or that of the picture (RDD 36, table 3).
  private var aspectAtom: StoredAtom? {
    switch aspectRatioCode {
    case 1: pixelAspect(1, 1)
    case 2: pixelAspect(4 * height, 3 * width)
    case 3: pixelAspect(16 * height, 9 * width)
    default: nil
    }
  }

  private func pixelAspect(_ horizontal: Int, _ vertical: Int) -> StoredAtom {
    var (a, b) = (horizontal, vertical)
    while b != 0 { (a, b) = (b, a % b) }
    return StoredAtom(PixelAspectAtom(horizontal: UInt32(horizontal / a), vertical: UInt32(vertical / a)))
  }
}
