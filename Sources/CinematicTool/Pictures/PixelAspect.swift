import CoreMedia

/// Width to height of a pixel in lowest terms; 1 to 1 where nothing is said, or what makes no sense.
struct PixelAspect: Hashable, Sendable {
  let horizontal: Int
  let vertical: Int

  static let square = PixelAspect(horizontal: 1, vertical: 1)

  init(horizontal: Int, vertical: Int) {
    var (divisor, rest) = (horizontal, vertical)
    while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
    let isSense = horizontal > 0 && vertical > 0 && max(horizontal, vertical) / divisor <= Self.most
    (self.horizontal, self.vertical) = isSense ? (horizontal / divisor, vertical / divisor) : (1, 1)
  }

  init(_ format: CMFormatDescription?) {
    let stored = format.flatMap {
      CMFormatDescriptionGetExtension($0, extensionKey: kCMFormatDescriptionExtension_PixelAspectRatio)
    }
    let ratio = stored as? [String: Any]
    self.init(
      horizontal: ratio?[kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing] as? Int ?? 1,
      vertical: ratio?[kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing] as? Int ?? 1)
  }

  /// Of the picture turned by a quarter.
  var turned: PixelAspect { PixelAspect(horizontal: vertical, vertical: horizontal) }

  /// Numbers beyond it are no aspect, and products of two of them stay far below the limits of a number.
  private static let most = 1 << 20
}
