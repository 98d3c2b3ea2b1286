internal import CFFmpeg
internal import CoreVideo

/// Brings pictures of libavutil into pixel buffers of any usable format: by moving codes where that is enough, else by
/// libswscale with matrix, range and chroma place set explicitly.
///
/// Keeps the scalers and scratch pictures of its last conversions. One thread at a time.
final class PictureStore {
  private var scaler: (source: Scaler.Side, target: Scaler.Side, scaler: Scaler)?
  private var scratch: [Role: Frame] = [:]

  /// What is known of a picture beside its bytes.
  struct Source {
    let frame: Frame
    let shape: FrameShape
    let tags: ColorTags
    let chromaLocation: AVChromaLocation

    init(_ frame: Frame, tags: ColorTags) throws {
      guard let shape = FrameShape(frame.pixelFormat) else {
        throw CodecError(.unsupported, "The codec uses a picture layout that is unknown here; choose another codec.")
      }
      self.frame = frame
      self.shape = shape
      self.tags = tags
      chromaLocation = frame.with { $0.pointee.chroma_location }
    }

    /// Y'CbCr without a tag is video range, as the standards presume; RGB and grey use all codes.
    var isFullRange: Bool { shape.isRGB ? true : tags.isFullRange ?? shape.isGrey }

    var side: Scaler.Side {
      Scaler.Side(
        width: frame.width, height: frame.height, format: frame.pixelFormat, isFullRange: isFullRange,
        matrix: tags.effectiveMatrix(height: frame.height), chromaLocation: chromaLocation)
    }
  }

  /// Writes the picture into the buffer, whatever their formats and sizes. A grey buffer gets luma codes as they are.
  func store(_ source: Source, into buffer: CVPixelBuffer) throws {
    let layout = try StoredLayout.required(CVPixelBufferGetPixelFormatType(buffer))
    let isSameSize =
      source.frame.width == CVPixelBufferGetWidth(buffer) && source.frame.height == CVPixelBufferGetHeight(buffer)
    if source.shape.moves(into: layout), isSameSize, source.hasRange(of: layout) {
      return try PixelTransfer.store(source.frame, into: buffer, layout)
    }
    if layout.range == .untold, !source.shape.isGrey {
      return try convert(luma(of: source, CVPixelBufferGetPixelFormatType(buffer), layout), into: buffer, layout)
    }
    try convert(source, into: buffer, layout)
  }

  /// The luma codes of a picture, untouched, as a grey picture.
  private func luma(of source: Source, _ code: OSType, _ layout: StoredLayout) throws -> Source {
    guard source.shape.moves(into: layout) else {
      throw CodecError(
        .unsupported,
        "A picture in colour cannot become '\(fourCharacterString(code))' without a conversion; choose a colour format."
      )
    }
    let grey = try CVBuffer.make(width: source.frame.width, height: source.frame.height, format: code)
    try PixelTransfer.store(source.frame, into: grey, layout)
    let twin = try scratchFrame(.source, source.frame.width, source.frame.height, layout.twin)
    try PixelTransfer.load(grey, layout, into: twin)
    return try Source(twin, tags: ColorTags(isFullRange: source.isFullRange))
  }

  private func convert(_ source: Source, into buffer: CVPixelBuffer, _ layout: StoredLayout) throws {
    let target = Scaler.Side(
      width: CVPixelBufferGetWidth(buffer), height: CVPixelBufferGetHeight(buffer),
      format: layout.direct ?? layout.twin, isFullRange: layout.isFullRange ?? source.isFullRange,
      matrix: source.tags.effectiveMatrix(height: source.frame.height), chromaLocation: source.chromaLocation)
    let scaler = try scaler(from: source.side, to: target)
    try source.frame.with { raw in
      if layout.direct != nil {
        try buffer.withView(readOnly: false) { view in
          try scaler.convert(PictureView(raw), to: view, height: source.frame.height)
        }
      } else {
        let twin = try scratchFrame(.target, target.width, target.height, layout.twin)
        try twin.with { try scaler.convert(PictureView(raw), to: PictureView($0), height: source.frame.height) }
        try PixelTransfer.store(twin, into: buffer, layout)
      }
    }
  }

  private func scaler(from source: Scaler.Side, to target: Scaler.Side) throws -> Scaler {
    if let scaler, scaler.source == source, scaler.target == target { return scaler.scaler }
    let made = try Scaler(from: source, to: target)
    scaler = (source, target, made)
    return made
  }

  enum Role: Sendable { case source, target }

  /// A picture to work in, kept from one conversion to the next.
  func scratchFrame(_ role: Role, _ width: Int, _ height: Int, _ format: AVPixelFormat) throws -> Frame {
    if let frame = scratch[role], frame.width == width, frame.height == height, frame.pixelFormat == format {
      return frame
    }
    scratch[role] = nil
    let frame = try Frame(width: width, height: height, format: format)
    scratch[role] = frame
    return frame
  }
}

extension PictureStore.Source {
  /// Whether codes mean the same in the layout, so that they need only be moved.
  fileprivate func hasRange(of layout: StoredLayout) -> Bool {
    layout.isFullRange.map { $0 == isFullRange } ?? true
  }
}

extension CVBuffer {
  func isSameSize(as other: CVPixelBuffer) -> Bool {
    CVPixelBufferGetWidth(self) == CVPixelBufferGetWidth(other)
      && CVPixelBufferGetHeight(self) == CVPixelBufferGetHeight(other)
  }

  /// The planes of the buffer, which is locked meanwhile; for formats whose bytes libswscale can use in place.
  func withView<R>(readOnly: Bool, _ body: (PictureView) throws -> R) rethrows -> R {
    try withPlane(0, readOnly: readOnly) { base, pitch, _, _ in
      guard CVPixelBufferIsPlanar(self) else { return try body(PictureView([(base, pitch)])) }
      return try withPlane(1, readOnly: readOnly) { chroma, chromaPitch, _, _ in
        try body(PictureView([(base, pitch), (chroma, chromaPitch)]))
      }
    }
  }
}
