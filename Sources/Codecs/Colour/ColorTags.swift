internal import CFFmpeg

/// What a stream or a container says about colour: the code points of ITU-T H.273; nil where it says nothing.
package struct ColorTags: Sendable, Hashable {
  /// Colour primaries: 1 BT.709, 9 BT.2020, 12 Display P3…
  package var primaries: Int?
  /// Transfer characteristics: 1 BT.709, 13 sRGB, 16 PQ, 18 HLG…
  package var transfer: Int?
  /// Matrix coefficients: 0 RGB, 1 BT.709, 6 BT.601, 9 BT.2020…
  package var matrix: Int?
  /// Whether codes use the full range.
  package var isFullRange: Bool?

  package init(primaries: Int? = nil, transfer: Int? = nil, matrix: Int? = nil, isFullRange: Bool? = nil) {
    self.primaries = primaries
    self.transfer = transfer
    self.matrix = matrix
    self.isFullRange = isFullRange
  }

  package static let bt709 = ColorTags(primaries: 1, transfer: 1, matrix: 1)
  package static let bt2020HLG = ColorTags(primaries: 9, transfer: 18, matrix: 9)
  package static let bt2020PQ = ColorTags(primaries: 9, transfer: 16, matrix: 9)

  /// These tags, and `fallback`'s where these are silent.
  package func merged(over fallback: ColorTags) -> ColorTags {
    ColorTags(
      primaries: primaries ?? fallback.primaries, transfer: transfer ?? fallback.transfer,
      matrix: matrix ?? fallback.matrix, isFullRange: isFullRange ?? fallback.isFullRange)
  }

  /// The H.273 matrix to convert with: what is tagged, else by custom BT.709 from 720 lines on and BT.601 below.
  package func effectiveMatrix(height: Int) -> Int {
    matrix ?? (height >= 720 ? 1 : 6)
  }
}

/// A property in which the container and the bitstream disagree; the container wins.
package struct ColorConflict: Sendable, Hashable, CustomStringConvertible {
  /// "colour primaries", "transfer function", "matrix" or "code range".
  package let property: String
  package let container: Int
  package let bitstream: Int

  package var description: String {
    "The container's \(property) (\(container)) and the bitstream's (\(bitstream)) differ; the container's is used."
  }

  /// All of them; where one of the two is silent there is none.
  package static func all(container: ColorTags, bitstream: ColorTags) -> [ColorConflict] {
    let range = (container.isFullRange.map { $0 ? 1 : 0 }, bitstream.isFullRange.map { $0 ? 1 : 0 })
    let pairs = [
      ("colour primaries", container.primaries, bitstream.primaries),
      ("transfer function", container.transfer, bitstream.transfer),
      ("matrix", container.matrix, bitstream.matrix), ("code range", range.0, range.1),
    ]
    return pairs.compactMap { name, ours, theirs in
      guard let ours, let theirs, ours != theirs else { return nil }
      return ColorConflict(property: name, container: ours, bitstream: theirs)
    }
  }
}

// MARK: - libavutil's fields

extension ColorTags {
  /// What a decoded picture says; unspecified code points become nil.
  init(frame: Frame.Raw) {
    self.init(
      primaries: frame.pointee.color_primaries, transfer: frame.pointee.color_trc, matrix: frame.pointee.colorspace,
      range: frame.pointee.color_range)
    if FrameShape(AVPixelFormat(frame.pointee.format))?.isNamedFullRange == true { isFullRange = true }
  }

  init(
    primaries: AVColorPrimaries, transfer: AVColorTransferCharacteristic, matrix: AVColorSpace, range: AVColorRange
  ) {
    func told(_ code: UInt32) -> Int? { [0, 2, 3].contains(code) ? nil : Int(code) }
    self.init(
      primaries: told(primaries.rawValue), transfer: told(transfer.rawValue),
      matrix: matrix == AVCOL_SPC_RGB ? 0 : told(matrix.rawValue),
      isFullRange: range == AVCOL_RANGE_JPEG ? true : range == AVCOL_RANGE_MPEG ? false : nil)
  }

  /// Tells an encoder.
  func apply(to context: CodecContext.Raw) {
    (context.pointee.color_primaries, context.pointee.color_trc, context.pointee.colorspace) = codePoints
    context.pointee.color_range = isFullRange == true ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG
  }

  /// Tells an encoder of one picture: ProRes' writes what the picture says.
  func apply(to frame: Frame.Raw) {
    (frame.pointee.color_primaries, frame.pointee.color_trc, frame.pointee.colorspace) = codePoints
  }

  /// Those of ITU-T H.273, 2 for what is not said.
  private var codePoints: (AVColorPrimaries, AVColorTransferCharacteristic, AVColorSpace) {
    (
      AVColorPrimaries(UInt32(clamping: primaries ?? 2)),
      AVColorTransferCharacteristic(UInt32(clamping: transfer ?? 2)),
      AVColorSpace(UInt32(clamping: matrix ?? 2))
    )
  }
}
