package import CoreVideo

/// How a picture's numbers mean colours, from the attachments of its buffer.
///
/// Without attachments Y'CbCr is BT.709 and RGB is sRGB.
package struct ColorDescription: Hashable, Sendable {
  package enum Primaries: Hashable, Sendable {
    case bt709, p3, bt2020
    case other
  }

  package var transfer: TransferFunction
  package var primaries: Primaries
  package var matrix: YCbCrMatrix
  /// Where chroma samples lie between luma samples.
  package var siting: ChromaSiting

  package init(transfer: TransferFunction, primaries: Primaries, matrix: YCbCrMatrix, siting: ChromaSiting = .left) {
    self.transfer = transfer
    self.primaries = primaries
    self.matrix = matrix
    self.siting = siting
  }

  package init(_ buffer: CVPixelBuffer) {
    let isYCbCr = buffer.format?.isYCbCr ?? false
    primaries = ColorDescription.primaries(buffer)
    transfer = ColorDescription.transfer(buffer) ?? (isYCbCr ? .bt709 : .sRGB)
    matrix = ColorDescription.matrix(buffer) ?? (primaries == .bt2020 ? .bt2020 : .bt709)
    siting = ChromaSiting(CVBufferCopyAttachment(buffer, kCVImageBufferChromaLocationTopFieldKey, nil) as? String)
  }

  private static func primaries(_ buffer: CVPixelBuffer) -> Primaries {
    switch CVBufferCopyAttachment(buffer, kCVImageBufferColorPrimariesKey, nil) as? String {
    case kCVImageBufferColorPrimaries_ITU_R_2020: .bt2020
    case kCVImageBufferColorPrimaries_P3_D65, kCVImageBufferColorPrimaries_DCI_P3: .p3
    case nil, kCVImageBufferColorPrimaries_ITU_R_709_2: .bt709
    default: .other
    }
  }

  private static func transfer(_ buffer: CVPixelBuffer) -> TransferFunction? {
    switch CVBufferCopyAttachment(buffer, kCVImageBufferTransferFunctionKey, nil) as? String {
    case kCVImageBufferTransferFunction_ITU_R_709_2, kCVImageBufferTransferFunction_ITU_R_2020: .bt709
    case kCVImageBufferTransferFunction_SMPTE_240M_1995: .smpte240M
    case kCVImageBufferTransferFunction_sRGB: .sRGB
    case kCVImageBufferTransferFunction_ITU_R_2100_HLG: .hlg
    case kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ: .pq
    case kCVImageBufferTransferFunction_Linear: .linear
    case kCVImageBufferTransferFunction_SMPTE_ST_428_1: .gamma(2.6)
    case kCVImageBufferTransferFunction_UseGamma: .gamma(gammaLevel(buffer))
    default: nil
    }
  }

  /// The exponent that is attached, if it is one that a display may have.
  private static func gammaLevel(_ buffer: CVPixelBuffer) -> Float {
    let level = CVBufferCopyAttachment(buffer, kCVImageBufferGammaLevelKey, nil)
    let number = (level as? Double) ?? (level as? Float).map(Double.init) ?? 2.2
    return (1...4).contains(number) ? Float(number) : 2.2
  }

  private static func matrix(_ buffer: CVPixelBuffer) -> YCbCrMatrix? {
    switch CVBufferCopyAttachment(buffer, kCVImageBufferYCbCrMatrixKey, nil) as? String {
    case kCVImageBufferYCbCrMatrix_ITU_R_709_2: .bt709
    case kCVImageBufferYCbCrMatrix_ITU_R_601_4: .bt601
    case kCVImageBufferYCbCrMatrix_SMPTE_240M_1995: .smpte240M
    case kCVImageBufferYCbCrMatrix_ITU_R_2020: .bt2020
    case kCVImageBufferYCbCrMatrix_P3_D65, kCVImageBufferYCbCrMatrix_DCI_P3: .p3
    default: nil
    }
  }

  /// What an SDR rendition of an HDR picture is.
  static let sdr = ColorDescription(transfer: .bt709, primaries: .bt709, matrix: .bt709)
}

/// Where a chroma sample lies among the luma samples that it stands for: 0 at the first, ½ in the middle, 1 at the
/// second.
package struct ChromaSiting: Hashable, Sendable {
  package let horizontal: Float
  package let vertical: Float

  package static let left = ChromaSiting(horizontal: 0, vertical: 0.5)

  init(horizontal: Float, vertical: Float) {
    self.horizontal = horizontal
    self.vertical = vertical
  }

  /// The siting of that name; left, as in MPEG-2 and its successors, without one.
  init(_ name: String?) {
    self =
      switch name {
      case kCVImageBufferChromaLocation_Center: ChromaSiting(horizontal: 0.5, vertical: 0.5)
      case kCVImageBufferChromaLocation_TopLeft, kCVImageBufferChromaLocation_DV420:
        ChromaSiting(horizontal: 0, vertical: 0)
      case kCVImageBufferChromaLocation_Top: ChromaSiting(horizontal: 0.5, vertical: 0)
      case kCVImageBufferChromaLocation_BottomLeft: ChromaSiting(horizontal: 0, vertical: 1)
      case kCVImageBufferChromaLocation_Bottom: ChromaSiting(horizontal: 0.5, vertical: 1)
      default: .left
      }
  }
}
