internal import CoreVideo
internal import Foundation

/// The attachments that say what shape a picture has.
enum PictureGeometry {
  /// Width of a pixel to its height.
  static func pixelAspect(_ picture: CVPixelBuffer) -> Double {
    let ratio = CVBufferCopyAttachment(picture, kCVImageBufferPixelAspectRatioKey, nil) as? [String: Any]
    guard let across = number(ratio?[kCVImageBufferPixelAspectRatioHorizontalSpacingKey]), across > 0,
      let down = number(ratio?[kCVImageBufferPixelAspectRatioVerticalSpacingKey]), down > 0
    else { return 1 }
    return across / down
  }

  /// The part of the picture that is meant to be seen, from the top left.
  static func cleanAperture(_ picture: CVPixelBuffer) -> CGRect {
    let (width, height) = (Double(CVPixelBufferGetWidth(picture)), Double(CVPixelBufferGetHeight(picture)))
    let whole = CGRect(x: 0, y: 0, width: width, height: height)
    let aperture = CVBufferCopyAttachment(picture, kCVImageBufferCleanApertureKey, nil) as? [String: Any]
    guard let aperture, let cleanWidth = number(aperture[kCVImageBufferCleanApertureWidthKey]),
      let cleanHeight = number(aperture[kCVImageBufferCleanApertureHeightKey])
    else { return whole }
    let x = (width - cleanWidth) / 2 + (number(aperture[kCVImageBufferCleanApertureHorizontalOffsetKey]) ?? 0)
    let y = (height - cleanHeight) / 2 + (number(aperture[kCVImageBufferCleanApertureVerticalOffsetKey]) ?? 0)
    let clean = CGRect(x: x, y: y, width: cleanWidth, height: cleanHeight).intersection(whole)
    return clean.width >= 1 && clean.height >= 1 ? clean : whole
  }

  /// Keeps the shape and the clean aperture of a picture that all of `source` was scaled into.
  static func scale(_ target: CVPixelBuffer, from source: CVPixelBuffer) {
    let across = Double(CVPixelBufferGetWidth(target)) / Double(CVPixelBufferGetWidth(source))
    let down = Double(CVPixelBufferGetHeight(target)) / Double(CVPixelBufferGetHeight(source))
    setAspect(target, pixelAspect(source) * down / across)
    guard let aperture = CVBufferCopyAttachment(source, kCVImageBufferCleanApertureKey, nil) as? [String: Any] else {
      return
    }
    let factors = [
      kCVImageBufferCleanApertureWidthKey: across, kCVImageBufferCleanApertureHorizontalOffsetKey: across,
      kCVImageBufferCleanApertureHeightKey: down, kCVImageBufferCleanApertureVerticalOffsetKey: down,
    ]
    let scaled = factors.compactMapValues { $0 }.reduce(into: [String: Any]()) { all, factor in
      all[factor.key] = number(aperture[factor.key]).map { $0 * factor.value }
    }
    CVBufferSetAttachment(target, kCVImageBufferCleanApertureKey, scaled, .shouldPropagate)
  }

  /// The ratio in whole numbers of up to five digits; nothing is attached for square pixels.
  static func setAspect(_ target: CVPixelBuffer, _ aspect: Double) {
    CVBufferRemoveAttachment(target, kCVImageBufferPixelAspectRatioKey)
    guard abs(aspect - 1) > 1e-6 else { return }
    let down = (1...10_000).min { distance(aspect, $0) < distance(aspect, $1) } ?? 1
    let across = max(1, Int((aspect * Double(down)).rounded()))
    CVBufferSetAttachment(
      target, kCVImageBufferPixelAspectRatioKey,
      [
        kCVImageBufferPixelAspectRatioHorizontalSpacingKey: across,
        kCVImageBufferPixelAspectRatioVerticalSpacingKey: down,
      ] as [String: Any], .shouldPropagate)
  }

  private static func distance(_ aspect: Double, _ down: Int) -> Double {
    let across = (aspect * Double(down)).rounded()
    // Ratios of the same value differ in the last bits only; the smallest terms win.
    return (abs(across / Double(down) - aspect) * 1e9).rounded()
  }
}
