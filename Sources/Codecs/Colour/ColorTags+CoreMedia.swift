internal import CoreMedia
package import CoreVideo

extension ColorTags {
  /// What a container says: the colour extensions of a format description.
  package init(extensions: [String: Any]) {
    self.init(
      primaries: Self.told(
        CVColorPrimariesGetIntegerCodePointForString(
          extensions[kCMFormatDescriptionExtension_ColorPrimaries] as? String)),
      transfer: Self.told(
        CVTransferFunctionGetIntegerCodePointForString(
          extensions[kCMFormatDescriptionExtension_TransferFunction] as? String)),
      matrix: Self.told(
        CVYCbCrMatrixGetIntegerCodePointForString(extensions[kCMFormatDescriptionExtension_YCbCrMatrix] as? String)),
      isFullRange: integer(extensions[kCMFormatDescriptionExtension_FullRangeVideo]).map { $0 != 0 }
        ?? extensions[kCMFormatDescriptionExtension_FullRangeVideo] as? Bool)
  }

  /// What a buffer says: its colour attachments, and its pixel format's range.
  package init(attachmentsOf buffer: CVPixelBuffer) {
    func text(_ key: String) -> String? { CVBufferCopyAttachment(buffer, key, nil) as? String }
    self.init(
      primaries: Self.told(CVColorPrimariesGetIntegerCodePointForString(text(kCVImageBufferColorPrimariesKey))),
      transfer: Self.told(CVTransferFunctionGetIntegerCodePointForString(text(kCVImageBufferTransferFunctionKey))),
      matrix: Self.told(CVYCbCrMatrixGetIntegerCodePointForString(text(kCVImageBufferYCbCrMatrixKey))),
      isFullRange: StoredLayout.of(CVPixelBufferGetPixelFormatType(buffer))?.isFullRange)
  }

  private static func told(_ code: Int32) -> Int? { code > 0 && code != 2 ? Int(code) : nil }

  /// The tags under the keys that buffers and format descriptions share; the range is not among them.
  package var attachments: [String: Any] {
    var all: [String: Any] = [:]
    all[kCVImageBufferColorPrimariesKey] = primaries.flatMap {
      CVColorPrimariesGetStringForIntegerCodePoint(Int32(clamping: $0))
    }
    all[kCVImageBufferTransferFunctionKey] = transfer.flatMap {
      CVTransferFunctionGetStringForIntegerCodePoint(Int32(clamping: $0))
    }
    all[kCVImageBufferYCbCrMatrixKey] = matrix.flatMap {
      CVYCbCrMatrixGetStringForIntegerCodePoint(Int32(clamping: $0))
    }
    return all
  }
}
