internal import Codecs
internal import CoreVideo
internal import Foundation

/// How a picture is brought into another of another size.
struct TransferSettings: Sendable {
  enum Scaling: String, CaseIterable {
    case normal = "Normal"
    case cropToCleanAperture = "CropSourceToCleanAperture"
    case letterbox = "Letterbox"
    case trim = "Trim"
  }

  var scaling = Scaling.normal
  var isRealTime = true
}

/// Brings pictures into others of any usable format and size, all of which is written.
///
/// Safe to use from any thread; one transfer runs at a time.
final class PictureTransfer: Sendable {
  private let converter = PixelConverter()

  /// - Throws: `CodecError` for formats that cannot be read or written.
  func transfer(_ source: CVPixelBuffer, to target: CVPixelBuffer, _ settings: TransferSettings) throws {
    let whole = CGRect(
      x: 0, y: 0, width: Double(CVPixelBufferGetWidth(target)), height: Double(CVPixelBufferGetHeight(target)))
    let clean = PictureGeometry.cleanAperture(source)
    switch settings.scaling {
    case .normal:
      try converter.convert(source, to: target)
      PictureGeometry.scale(target, from: source)
    case .cropToCleanAperture: try transfer(source, clean, to: target, whole)
    case .letterbox:
      let ratio = Self.ratio(clean, source, target)
      let place = Self.fitted(ratio, in: whole)
      if place.size != whole.size { try BlackPicture.fill(target) }
      try transfer(source, clean, to: target, place)
    case .trim: try transfer(source, Self.trimmed(clean, Self.ratio(clean, source, target), whole), to: target, whole)
    }
  }

  /// Moves a part of a picture into a part of another.
  private func transfer(_ source: CVPixelBuffer, _ from: CGRect, to target: CVPixelBuffer, _ place: CGRect) throws {
    let part = try source.part(from)
    CVBufferPropagateAttachments(source, part)
    let region = try target.part(place)
    try converter.convert(part, to: region)
    CVBufferPropagateAttachments(source, target)
    CVBufferRemoveAttachment(target, kCVImageBufferCleanApertureKey)
    CVBufferRemoveAttachment(target, kCVImageBufferPixelAspectRatioKey)
  }

  /// Width to height of the part in pixels of the target, which are square.
  private static func ratio(_ part: CGRect, _ source: CVPixelBuffer, _ target: CVPixelBuffer) -> Double {
    part.width * PictureGeometry.pixelAspect(source) / part.height
  }

  private static func fitted(_ ratio: Double, in whole: CGRect) -> CGRect {
    let width = min(whole.width, (whole.height * ratio).rounded())
    let height = min(whole.height, (whole.width / ratio).rounded())
    return CGRect(x: (whole.width - width) / 2, y: (whole.height - height) / 2, width: width, height: height)
  }

  /// The largest part in the middle that has the target's shape.
  private static func trimmed(_ clean: CGRect, _ ratio: Double, _ whole: CGRect) -> CGRect {
    let wanted = whole.width / whole.height
    let width = clean.width * min(1, wanted / ratio)
    let height = clean.height * min(1, ratio / wanted)
    return CGRect(x: clean.midX - width / 2, y: clean.midY - height / 2, width: width, height: height)
  }
}

extension CVBuffer {
  /// A part of the picture in the same memory, which it keeps. Its edges lie where the format's blocks and chroma allow, at least one of
  /// them each way.
  func part(_ rect: CGRect) throws -> CVPixelBuffer {
    guard let format else { throw SessionError(status: kVTParameterErr) }
    let across = format.planes.map { $0.blockWidth * $0.horizontalSubsampling }.max() ?? 1
    let down = format.planes.map(\.verticalSubsampling).max() ?? 1
    let columns = Self.aligned(rect.minX, rect.maxX, across, CVPixelBufferGetWidth(self))
    let rows = Self.aligned(rect.minY, rect.maxY, down, CVPixelBufferGetHeight(self))
    if columns.count == CVPixelBufferGetWidth(self), rows.count == CVPixelBufferGetHeight(self) { return self }
    return try view(format, columns, rows)
  }

  private static func aligned(_ from: Double, _ to: Double, _ step: Int, _ whole: Int) -> Range<Int> {
    let first = min(max(0, Int((from / Double(step)).rounded()) * step), (whole - 1) / step * step)
    let end = to >= Double(whole) - 0.5 ? whole : min(whole, Int((to / Double(step)).rounded()) * step)
    return first..<max(end, min(whole, first + step))
  }

  private func view(_ format: PixelFormat, _ columns: Range<Int>, _ rows: Range<Int>) throws -> CVPixelBuffer {
    var bases: [UnsafeMutableRawPointer?] = []
    var pitches: [Int] = []
    for (index, plane) in format.planes.enumerated() {
      withPlane(index, readOnly: false) { base, pitch, _, _ in
        let block = columns.lowerBound / plane.horizontalSubsampling / plane.blockWidth
        bases.append(base + rows.lowerBound / plane.verticalSubsampling * pitch + block * plane.bytesPerBlock)
        pitches.append(pitch)
      }
    }
    var buffer: CVPixelBuffer?
    let unused = [Int](repeating: 0, count: bases.count)
    let status: CVReturn
    // The view keeps the whole alive by its release callback.
    if let base = bases.first ?? nil, bases.count == 1 {
      status = CVPixelBufferCreateWithBytes(
        nil, columns.count, rows.count, format.code, base, pitches[0], { [self] _, _ in _ = self }, nil, nil, &buffer)
    } else {
      status = CVPixelBufferCreateWithPlanarBytes(
        nil, columns.count, rows.count, format.code, nil, 0, bases.count, bases, unused, unused, pitches,
        { [self] _, _, _, _, _ in _ = self }, nil, nil, &buffer)
    }
    try CVError.check(status)
    guard let buffer else { throw SessionError(status: kVTAllocationFailedErr) }
    return buffer
  }
}
