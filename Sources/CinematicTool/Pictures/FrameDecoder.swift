import Codecs
import CoreMedia
import CoreVideo
import ProRes
import VideoToolbox

/// A frame as it comes from a decoder.
struct TimedFrame: Sendable {
  let time: CMTime
  let pixels: FramePixels
  let fields: FieldOrder
  /// Slices that were concealed.
  let damage: [ProResReport.Damage]
}

/// Decodes the samples of one format description as a plan wants them.
///
/// Frames come in presentation order, perhaps later than their samples.
protocol FrameDecoder: AnyObject {
  /// What decodes, for people.
  var name: String { get }
  var isHardware: Bool { get }
  /// A conversion on the way, because the decoder does not write what is asked for.
  var conversion: (from: OSType, to: OSType)? { get }
  /// The pixel format of buffers; nil where frames come in planes.
  var buffers: OSType? { get }
  /// Complete after the first frame.
  var colorConflicts: [ColorConflict] { get }
  /// What is not done as stored, a sentence each. Complete after the first frame.
  var warnings: [String] { get }
  /// Throws `CodecError` naming the sample; the next one may be fine.
  func decode(_ sample: CMSampleBuffer) throws -> [TimedFrame]
  func finish() throws -> [TimedFrame]
}

extension DecodingPlan {
  /// Throws `CodecError` that says what cannot be had.
  func makeDecoder(
    for description: CMFormatDescription, factory: PictureDecoderFactory = .standard
  ) throws -> any FrameDecoder {
    canWritePlanes(of: description, factory)
      ? try PlaneDecoder(description, self, factory)
      : BufferDecoder(try factory.makeDecoder(for: description, options: options(for: description)))
  }
}

/// Frames in pixel buffers.
final class BufferDecoder: FrameDecoder {
  private let decoder: any PictureDecoder

  init(_ decoder: any PictureDecoder) { self.decoder = decoder }

  var name: String { decoder.name }
  var isHardware: Bool { decoder.isHardware }
  var buffers: OSType? { decoder.pixelFormat }
  var conversion: (from: OSType, to: OSType)? { decoder.conversion }
  var colorConflicts: [ColorConflict] { decoder.colorConflicts }
  var warnings: [String] { decoder.warnings }

  func decode(_ sample: CMSampleBuffer) throws -> [TimedFrame] { try decoder.decode(sample).map(TimedFrame.init) }
  func finish() throws -> [TimedFrame] { try decoder.finish().map(TimedFrame.init) }
}

extension TimedFrame {
  fileprivate init(_ picture: DecodedPicture) {
    let buffer = picture.pixelBuffer
    let order = FieldOrder(
      count: CVBufferCopyAttachment(buffer, kCVImageBufferFieldCountKey, nil),
      detail: CVBufferCopyAttachment(buffer, kCVImageBufferFieldDetailKey, nil))
    self.init(
      time: picture.presentationTime, pixels: .buffer(buffer), fields: order ?? .progressive, damage: picture.damage)
  }
}

/// Frames of ProRes in planes, as the decoder of this package writes them; a stream of other chroma than the format's goes by way of the
/// format's pixel buffers.
final class PlaneDecoder: FrameDecoder {
  private let description: CMFormatDescription
  private let plan: DecodingPlan
  private let format: RawFormat
  private let depth: Int
  private let factory: PictureDecoderFactory
  private let decoder: ProResDecoder
  private let pool = PlanarPool()
  private var detour: BufferDecoder?
  private var previous: PlanarPicture?
  private var sampleCount = 0
  private(set) var colorConflicts: [ColorConflict] = []

  init(_ description: CMFormatDescription, _ plan: DecodingPlan, _ factory: PictureDecoderFactory) throws {
    guard let format = plan.format, let depth = format.planarDepth else {
      preconditionFailure("A plan for planes has a planar format.")
    }
    (self.description, self.plan, self.format, self.depth, self.factory) = (description, plan, format, depth, factory)
    decoder = try ProResDecoder(codec: CMFormatDescriptionGetMediaSubType(description))
  }

  var name: String { detour?.name ?? "ProRes on the processor" }
  var isHardware: Bool { false }
  var conversion: (from: OSType, to: OSType)? { detour?.conversion }
  var buffers: OSType? { detour?.buffers }
  var warnings: [String] { detour?.warnings ?? [] }

  func finish() throws -> [TimedFrame] { try detour?.finish() ?? [] }

  func decode(_ sample: CMSampleBuffer) throws -> [TimedFrame] {
    if sample.isMarked(kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding) { previous = nil }
    return try sample.singles().flatMap { single -> [TimedFrame] in
      guard let data = single.dataBuffer, data.dataLength > 0 else { return [] }
      defer { sampleCount += 1 }
      if single.isHidden { return [] }
      do {
        let frame = try data.withContiguousStorage { try decode($0, at: single.presentationTimeStamp) }
        return try frame.map { [$0] } ?? detoured(single)
      } catch {
        throw CodecError(error, sample: sampleCount)
      }
    }
  }

  /// Nil where the stream's chroma is not the format's.
  private func decode(_ bytes: UnsafeRawBufferPointer, at time: CMTime) throws -> TimedFrame? {
    let header = try ProResFrame(bytes).header
    guard format.chromaSubsampling == (header.chroma == .halved ? 2 : 1, 1) else { return nil }
    let size = plan.scale.size(of: header)
    let picture = pool.take(PlanarPicture.Shape(format, width: size.width, height: size.height))
    var options = ProResDecoder.Options()
    (options.scale, options.threads) = (plan.scale, plan.threads)
    if plan.concealment == .previousPicture, let previous, previous.shape == picture.shape {
      options.concealment = .picture(previous.destination)
    }
    let report = try decoder.decode(bytes, into: picture.destination, options: options)
    if plan.concealment == .previousPicture { previous = picture }
    colorConflicts = ColorConflict.all(of: description, header)
    return TimedFrame(
      time: time, pixels: .planes(picture), fields: FieldOrder(description) ?? FieldOrder(header.fields),
      damage: report.damage)
  }

  private func detoured(_ sample: CMSampleBuffer) throws -> [TimedFrame] {
    let made =
      try detour
      ?? BufferDecoder(try factory.makeDecoder(for: description, options: plan.options(for: description)))
    detour = made
    return try made.decode(sample)
  }
}

extension PlanarPicture {
  /// The planes as the ProRes decoder writes them.
  fileprivate var destination: ProResDestination {
    let planes = shape.planes.indices.map { ProResDestination.Plane(base: base($0), bytesPerRow: bytesPerRow($0)) }
    return ProResDestination(
      layout: .planar(depth: shape.depth), width: shape.width, height: shape.height, planes: planes)
  }
}
