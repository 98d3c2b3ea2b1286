internal import CFFmpeg
internal import CoreVideo

/// Which pixel format holds a decoder's codes unchanged, or as nearly as there is one.
enum NativeFormat {
  static func of(_ shape: FrameShape, isFullRange: Bool) -> OSType {
    if shape.isGrey { return shape.hasAlpha ? rgb(shape) : grey(shape) }
    if shape.isRGB { return rgb(shape) }
    if shape.hasAlpha { return alpha(shape) }
    return yCbCr(shape, isFullRange)
  }

  private static func grey(_ shape: FrameShape) -> OSType {
    if shape.isFloat { return kCVPixelFormatType_OneComponent32Float }
    return switch shape.depth {
    case ...8: kCVPixelFormatType_OneComponent8
    case ...10: kCVPixelFormatType_OneComponent10
    case ...12: kCVPixelFormatType_OneComponent12
    default: kCVPixelFormatType_OneComponent16
    }
  }

  private static func rgb(_ shape: FrameShape) -> OSType {
    if shape.isFloat { return kCVPixelFormatType_128RGBAFloat }
    return shape.depth <= 8 ? kCVPixelFormatType_32BGRA : kCVPixelFormatType_64RGBALE
  }

  private static func alpha(_ shape: FrameShape) -> OSType {
    let isSmall = shape.depth == 8 && shape.horizontalShift == 1 && shape.verticalShift == 1
    return isSmall
      ? kCVPixelFormatType_420YpCbCr8VideoRange_8A_TriPlanar : kCVPixelFormatType_4444AYpCbCr16
  }

  private static func yCbCr(_ shape: FrameShape, _ isFull: Bool) -> OSType {
    switch (shape.horizontalShift, shape.verticalShift, shape.depth) {
    case (1, 1, ...8), (2, _, ...8):
      isFull ? kCVPixelFormatType_420YpCbCr8BiPlanarFullRange : kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
    case (1, 1, _), (2, _, _):
      isFull ? kCVPixelFormatType_420YpCbCr10BiPlanarFullRange : kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange
    case (1, 0, ...8):
      isFull ? kCVPixelFormatType_422YpCbCr8BiPlanarFullRange : kCVPixelFormatType_422YpCbCr8BiPlanarVideoRange
    case (1, 0, ...10):
      isFull ? kCVPixelFormatType_422YpCbCr10BiPlanarFullRange : kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange
    case (1, 0, _):
      isFull ? kCVPixelFormatType_422YpCbCr10BiPlanarFullRange : kCVPixelFormatType_422YpCbCr16BiPlanarVideoRange
    case (_, _, ...8):
      isFull ? kCVPixelFormatType_444YpCbCr8BiPlanarFullRange : kCVPixelFormatType_444YpCbCr8BiPlanarVideoRange
    case (_, _, ...10):
      isFull ? kCVPixelFormatType_444YpCbCr10BiPlanarFullRange : kCVPixelFormatType_444YpCbCr10BiPlanarVideoRange
    default:
      isFull ? kCVPixelFormatType_444YpCbCr10BiPlanarFullRange : kCVPixelFormatType_4444AYpCbCr16
    }
  }

  /// The grey format that holds a picture's luma, or the green of RGB, untouched; nil for a palette.
  static func luma(_ shape: FrameShape) -> OSType? {
    shape.isMovable ? grey(shape) : nil
  }
}
