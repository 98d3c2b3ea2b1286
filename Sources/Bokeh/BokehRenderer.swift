import CoreGeometry
public import CoreVideo
import Foundation

/// Renders shallow depth of field into a picture that is sharp everywhere, on the CPU.
///
/// A renderer keeps its memory from frame to frame, and the disparity of the frame before. It may be used from any
/// thread; frames are rendered one at a time, each on all of the renderer's threads. The result does not depend on how
/// many there are.
///
///     load → linearise → upsample disparity → radii → layers → scatter into bins → fill → encode → store
public final class BokehRenderer: @unchecked Sendable {
  public let quality: BokehQuality
  public let threads: Int

  private let lock = NSLock()
  private let workers: Workers
  private let effort: Effort
  private let pictures: PictureStage
  private let disparities: DisparityStage
  private let blur: BlurStage
  private let preview: PreviewRenderer?
  private let codes = DisparityReader.Codes()

  /// The longest side in pixels of a picture.
  public static let maximumSide = 32_768

  /// Makes a renderer of one quality.
  ///
  /// - Parameter threads: how many threads work on a frame; all of the machine's without a value.
  public init(quality: BokehQuality, threads: Int? = nil) {
    self.quality = quality
    workers = Workers(threads ?? ProcessInfo.processInfo.activeProcessorCount)
    self.threads = workers.count
    effort = Effort(quality)
    pictures = PictureStage(workers: workers)
    disparities = DisparityStage(workers: workers)
    blur = BlurStage(effort: effort, workers: workers)
    preview =
      effort.startsAtHalf ? PreviewRenderer(pictures: pictures, disparities: disparities, blur: blur) : nil
  }

  /// Renders one frame and returns when it is in the destination.
  ///
  /// Pixels that are in focus, and that no blurred one reaches, are the source's bit for bit where both buffers have
  /// the same format.
  ///
  /// - Throws: `BokehError`, before anything is written.
  public func render(_ request: RenderRequest) throws(BokehError) {
    let job = try RenderJob(request)
    lock.withLock {
      PictureMemory.with(request.source, readOnly: true) { source in
        PictureMemory.with(request.destination, readOnly: false) { target in
          render(job, source, target)
        }
      }
    }
    job.tagDestination()
  }

  /// Throws what `render` would throw.
  public static func check(_ request: RenderRequest) throws(BokehError) {
    _ = try RenderJob(request)
  }

  private func render(_ job: RenderJob, _ source: PictureMemory, _ target: PictureMemory) {
    let reduction = min(effort.reduction, max(source.width, source.height))
    let light = preview?.load(source, job.color) ?? pictures.load(source, color: job.color, reduction: reduction)
    let scale = job.radiusPerDisparity / Float(reduction)
    let (disparity, range) = depth(job, light, scale)
    var circle = CircleOfConfusion(
      focus: job.focus, radiusPerDisparity: scale, range: range, bins: effort.bins)
    circle.look = blur.looks.make(
      job.request.look, job.orientation, nearBins: circle.nearBins, isClipped: job.isClipped)
    if let preview { return preview.render(job, source, target, light, disparity, circle) }
    let mapper = pictures.prepare(job.request.toneMap, job.color)
    let encoder = Encoder(tables: pictures.prepare(job.color), mapper: mapper)
    let original = reduction == 1 && mapper == nil && job.keepsCodes ? source : nil
    let plain = pictures.plainWriter(job, target)
    func writer(_ frame: Frame) -> PlainWriter? {
      plain?.copying(
        original.map { PlainOriginals($0, siting: job.color.siting, untouched: frame.untouched) })
    }
    let frame = blur.blur(light, disparity, circle) { frame, y in
      let row = frame.result.row(y)
      encoder.encode(row, frame.width)
      if reduction == 1 { writer(frame)?.code(y, row) }
    }
    pictures.store(frame, job, target, original, writer(frame), reduction: reduction)
  }

  /// Reads the disparity and brings it to the size of `light`.
  private func depth(
    _ job: RenderJob, _ light: Plane<SIMD4<Float>>, _ scale: Float
  ) -> (Plane<Float>, ClosedRange<Float>) {
    let request = job.request
    let samples = disparities.input(request.disparity.width, request.disparity.height)
    DisparityReader.read(request.disparity, coding: request.disparityCodes, codes: codes, into: samples)
    return disparities.upsample(
      samples, to: light, focus: job.focus,
      tolerance: DisparityStage.tolerance(scale), isSteady: request.continuesHistory, isRough: effort.startsAtHalf)
  }

  /// The bytes of memory that the renderer keeps.
  package var byteCount: Int {
    lock.withLock { pictures.byteCount + disparities.byteCount + blur.byteCount + (preview?.byteCount ?? 0) }
  }
}

/// A request that has been looked at.
struct RenderJob {
  let request: RenderRequest
  let orientation: Orientation
  let color: ColorDescription
  let targetColor: ColorDescription
  let radiusPerDisparity: Float
  /// Whether the recording has lost what is brighter than white.
  var isClipped: Bool { !color.transfer.isHDR && color.transfer != .linear }
  var focus: Float { min(max(request.focusDisparity, 0), HoleFiller.largestValid) }
  /// Whether the destination's codes mean the same as the source's.
  let keepsCodes: Bool

  init(_ request: RenderRequest) throws(BokehError) {
    self.request = request
    let sourceFormat = try RenderJob.format(request.source, "source", PictureMemory.isSupported)
    let targetFormat = try RenderJob.format(request.destination, "destination", PictureMemory.isSupported)
    _ = try RenderJob.format(request.disparity, "disparity", DisparityReader.isSupported)
    guard let orientation = Orientation(request.transform) else { throw .unsupportedTransform }
    try RenderJob.checkSizes(request, orientation)
    self.orientation = orientation
    color = ColorDescription(request.source)
    targetColor = request.toneMap != .none && color.transfer.isHDR ? .sdr : color
    keepsCodes = sourceFormat == targetFormat && targetColor == color
    radiusPerDisparity = try RenderJob.radius(request)
    if let (name, value) = request.look.problem { throw .invalidSetting(name: name, value: value) }
    guard request.destination !== request.source else { throw .destinationIsSource }
  }

  private static func format(
    _ buffer: CVPixelBuffer, _ role: String, _ isSupported: (PixelFormat) -> Bool
  ) throws(BokehError) -> PixelFormat {
    guard let format = buffer.format, isSupported(format) else {
      throw .unsupportedFormat(role: role, format: fourCharacterString(CVPixelBufferGetPixelFormatType(buffer)))
    }
    return format
  }

  private static func checkSizes(_ request: RenderRequest, _ orientation: Orientation) throws(BokehError) {
    for buffer in [request.source, request.disparity] {
      guard max(buffer.width, buffer.height) <= BokehRenderer.maximumSide else {
        throw .tooLarge(width: buffer.width, height: buffer.height)
      }
    }
    let shown = orientation.size(request.source.width, request.source.height)
    guard (request.destination.width, request.destination.height) == shown else {
      throw .destinationSize(
        width: request.destination.width, height: request.destination.height, expectedWidth: shown.width,
        expectedHeight: shown.height)
    }
  }

  private static func radius(_ request: RenderRequest) throws(BokehError) -> Float {
    guard request.fNumber > 0, request.fNumber.isFinite else {
      throw .invalidSetting(name: "f-number", value: request.fNumber)
    }
    guard request.focusDisparity.isFinite else {
      throw .invalidSetting(name: "focus disparity", value: request.focusDisparity)
    }
    // The sensor's width is the picture's longer side: an upright picture is one from a sensor that was turned.
    let width = max(request.source.width, request.source.height)
    let radius = request.lens.radiusPerDisparity(fNumber: request.fNumber, imageWidth: width)
    guard radius >= 0, radius.isFinite else {
      throw .invalidSetting(name: "lens's radius per disparity", value: radius)
    }
    return radius
  }

  /// Says on the destination what its colours mean.
  func tagDestination() {
    CVBufferPropagateAttachments(request.source, request.destination)
    guard targetColor != color else { return }
    let isPropagated = CVAttachmentMode.shouldPropagate
    let tags = [
      (kCVImageBufferColorPrimariesKey, kCVImageBufferColorPrimaries_ITU_R_709_2),
      (kCVImageBufferTransferFunctionKey, kCVImageBufferTransferFunction_ITU_R_709_2),
      (kCVImageBufferYCbCrMatrixKey, kCVImageBufferYCbCrMatrix_ITU_R_709_2),
    ]
    for (key, value) in tags { CVBufferSetAttachment(request.destination, key, value, isPropagated) }
    let hdrOnly = [
      kCVImageBufferMasteringDisplayColorVolumeKey, kCVImageBufferContentLightLevelInfoKey,
      kCVImageBufferAmbientViewingEnvironmentKey, kCVImageBufferICCProfileKey, kCVImageBufferCGColorSpaceKey,
      kCVImageBufferGammaLevelKey,
    ]
    for key in hdrOnly { CVBufferRemoveAttachment(request.destination, key) }
  }
}

extension BokehRenderer {
  /// Four-character codes of the pixel formats that a source may have: everything with colours or grey that is not
  /// packed in words of 10 bits or compressed for a GPU; the most usual first.
  public static let sourcePixelFormats: [OSType] = pictureFormats
  /// Four-character codes of the pixel formats that a destination may have.
  public static let destinationPixelFormats: [OSType] = pictureFormats
  /// Four-character codes of the pixel formats that disparity may have; depths in metres are turned into their
  /// reciprocals.
  public static let disparityFormats: [OSType] = PixelFormat.all.filter(DisparityReader.isSupported).map(\.code)

  private static let pictureFormats: [OSType] = {
    let usual = ["x420", "420v", "420f", "BGRA", "RGhA"].map(fourCharacterCode)
    let all = PixelFormat.all.filter(PictureMemory.isSupported).map(\.code)
    return usual + all.filter { !usual.contains($0) }
  }()
}
