internal import CFFmpeg
internal import CoreMedia
internal import CoreVideo
internal import Foundation

/// Turns decoded pictures into pixel buffers of a pool, tagged with their colour.
///
/// One thread at a time. The picture's size and format may change from frame to frame.
final class PictureOutput {
  enum Wish: Sendable, Hashable {
    /// The codes as decoded.
    case native
    case format(OSType)
    /// The luma codes alone, as decoded (the green ones of RGB).
    case luma
  }

  private let wish: Wish
  private let container: ColorTags
  /// What the container says beside colour, under the keys of attachments.
  private let fixedAttachments: [String: Any]
  private let light: LightMetadata
  private let store = PictureStore()
  private let pool: PicturePool
  private(set) var bitstreamColor: ColorTags?
  private(set) var nativeFormat: OSType?
  /// The bits of a decoded code where the native format has fewer.
  private(set) var roundedDepth: Int?

  init(wish: Wish, container: ColorTags, extensions: [String: Any] = [:], pool: PicturePool? = nil) throws {
    if case .format(let code) = wish { _ = try StoredLayout.required(code) }
    self.wish = wish
    self.container = container
    light = LightMetadata(extensions: extensions)
    fixedAttachments = ContainerAttachments.of(extensions)
    self.pool = pool ?? PicturePool()
  }

  /// The picture in a new buffer, and its colour.
  func buffer(from frame: Frame) throws -> (buffer: CVPixelBuffer, color: ColorTags) {
    let told = frame.with { ColorTags(frame: $0) }
    bitstreamColor = told
    let source = try PictureStore.Source(frame, tags: container.merged(over: told))
    let native = NativeFormat.of(source.shape, isFullRange: source.isFullRange)
    nativeFormat = native
    let kept = PixelFormat.description(of: native)?.bitsPerComponent ?? source.shape.depth
    roundedDepth = source.shape.depth > kept ? source.shape.depth : nil
    let buffer = try pool.makeBuffer(width: frame.width, height: frame.height, format: try format(for: source))
    if wish == .luma {
      try storeLuma(source, into: buffer)
    } else {
      try store.store(source, into: buffer)
    }
    var color = source.tags
    color.isFullRange = source.isFullRange
    CVBufferSetAttachments(buffer, attachments(frame, source), .shouldPropagate)
    return (buffer, color)
  }

  private func format(for source: PictureStore.Source) throws -> OSType {
    switch wish {
    case .native: return NativeFormat.of(source.shape, isFullRange: source.isFullRange)
    case .format(let code): return code
    case .luma:
      guard let code = NativeFormat.luma(source.shape) else {
        throw CodecError(.unsupported, "A picture with a palette has no luma codes; convert it to grey first.")
      }
      return code
    }
  }

  private func storeLuma(_ source: PictureStore.Source, into buffer: CVPixelBuffer) throws {
    let layout = try StoredLayout.required(CVPixelBufferGetPixelFormatType(buffer))
    try PixelTransfer.store(source.frame, into: buffer, layout, luma: source.shape.isRGB ? 1 : 0)
  }

  private func attachments(_ frame: Frame, _ source: PictureStore.Source) -> [String: Any] {
    var all = fixedAttachments
    if all[kCVImageBufferPixelAspectRatioKey] == nil { all[kCVImageBufferPixelAspectRatioKey] = aspect(of: frame) }
    if source.shape.horizontalShift + source.shape.verticalShift > 0 {
      let place = PictureOutput.chromaLocation(source.chromaLocation)
      all[kCVImageBufferChromaLocationTopFieldKey] = place
      all[kCVImageBufferChromaLocationBottomFieldKey] = place
    }
    if source.shape.hasAlpha, all[kCVImageBufferAlphaChannelModeKey] == nil {
      all[kCVImageBufferAlphaChannelModeKey] = kCVImageBufferAlphaChannelMode_StraightAlpha
    }
    all.merge(light.merged(over: frame.with { LightMetadata(frame: $0) }).attachments) { $1 }
    all.merge(source.tags.attachments) { $1 }
    return all
  }

  private func aspect(of frame: Frame) -> [String: Any]? {
    let ratio = frame.with { $0.pointee.sample_aspect_ratio }
    guard ratio.num > 0, ratio.den > 0, ratio.num != ratio.den else { return nil }
    return [
      kCVImageBufferPixelAspectRatioHorizontalSpacingKey: Int(ratio.num),
      kCVImageBufferPixelAspectRatioVerticalSpacingKey: Int(ratio.den),
    ]
  }

  private static func chromaLocation(_ location: AVChromaLocation) -> String? {
    switch location {
    case AVCHROMA_LOC_LEFT: kCVImageBufferChromaLocation_Left
    case AVCHROMA_LOC_CENTER: kCVImageBufferChromaLocation_Center
    case AVCHROMA_LOC_TOPLEFT: kCVImageBufferChromaLocation_TopLeft
    case AVCHROMA_LOC_TOP: kCVImageBufferChromaLocation_Top
    case AVCHROMA_LOC_BOTTOMLEFT: kCVImageBufferChromaLocation_BottomLeft
    case AVCHROMA_LOC_BOTTOM: kCVImageBufferChromaLocation_Bottom
    default: nil
    }
  }
}
