internal import CFFmpeg
internal import CoreVideo

/// Brings pixel buffers of any usable format and the encoder's size into pictures that an encoder takes.
///
/// Codes are moved where depth and sampling allow it; a grey encoder takes luma untouched. One thread at a time.
final class PictureLoader {
  private let target: Frame
  private let shape: FrameShape
  private let isFullRange: Bool
  private let matrix: Int?
  private var twin: Frame?
  private var scaler: (source: Scaler.Side, scaler: Scaler)?

  /// - Parameter matrix: H.273; nil takes the buffers'.
  init(width: Int, height: Int, format: AVPixelFormat, isFullRange: Bool, matrix: Int?) throws {
    guard let shape = FrameShape(format) else {
      throw CodecError(.unsupported, "The encoder's picture layout is unknown here; choose another depth or chroma.")
    }
    self.shape = shape
    self.isFullRange = isFullRange
    self.matrix = matrix
    target = try Frame(width: width, height: height, format: format)
  }

  /// The buffer as a picture; valid until the next call.
  func load(_ buffer: CVPixelBuffer) throws -> Frame {
    let code = CVPixelBufferGetPixelFormatType(buffer)
    let layout = try StoredLayout.required(code)
    guard CVPixelBufferGetWidth(buffer) == target.width, CVPixelBufferGetHeight(buffer) == target.height else {
      throw CodecError(
        .invalidSettings,
        "A buffer of \(CVPixelBufferGetWidth(buffer))x\(CVPixelBufferGetHeight(buffer)) was handed to an encoder of "
          + "\(target.width)x\(target.height); scale it first.")
    }
    try target.makeWritable()
    if canMove(layout) {
      try PixelTransfer.load(buffer, layout, into: target)
    } else {
      try convert(buffer, layout)
    }
    return target
  }

  private func canMove(_ layout: StoredLayout) -> Bool {
    guard let twin = FrameShape(layout.twin), !twin.isFloat, layout.element != .v210 || shape.depth > 8 else {
      return false
    }
    if shape.isGrey { return !twin.isRGB && layout.element != .v210 }
    return !twin.isRGB && !twin.isGrey && layout.isFullRange == isFullRange
      && twin.horizontalShift == shape.horizontalShift && twin.verticalShift == shape.verticalShift
      && (twin.hasAlpha || !shape.hasAlpha)
  }

  private func convert(_ buffer: CVPixelBuffer, _ layout: StoredLayout) throws {
    let tags = ColorTags(attachmentsOf: buffer)
    let twin = try twinFrame(layout)
    try PixelTransfer.load(buffer, layout, into: twin)
    let isRGB = layout.range == .rgb
    let source = Scaler.Side(
      width: twin.width, height: twin.height, format: layout.twin, isFullRange: layout.isFullRange ?? true,
      matrix: (isRGB ? matrix : nil) ?? tags.effectiveMatrix(height: twin.height))
    let destination = Scaler.Side(
      width: target.width, height: target.height, format: target.pixelFormat, isFullRange: isFullRange,
      matrix: matrix ?? tags.effectiveMatrix(height: target.height))
    let scaler = try scaler(from: source, to: destination)
    try twin.with { input in
      try target.with { try scaler.convert(PictureView(input), to: PictureView($0), height: twin.height) }
    }
  }

  private func twinFrame(_ layout: StoredLayout) throws -> Frame {
    if let twin, twin.pixelFormat == layout.twin { return twin }
    let made = try Frame(width: target.width, height: target.height, format: layout.twin)
    twin = made
    return made
  }

  private func scaler(from source: Scaler.Side, to target: Scaler.Side) throws -> Scaler {
    if let scaler, scaler.source == source { return scaler.scaler }
    let made = try Scaler(from: source, to: target)
    scaler = (source, made)
    return made
  }
}
