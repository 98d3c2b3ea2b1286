import Compositing

/// The picture that is composed: its size, and the shape of its pixels.
struct OverCanvas {
  let size: (width: Int, height: Int)
  let pixelAspect: PixelAspect

  /// Sides are made even where the codec shares chroma between pixels.
  init(_ options: OverOptions, foreground: ComposedMovie, background: (width: Int, height: Int)?) {
    let asked: (width: Int, height: Int) =
      switch options.size {
      case .foreground: foreground.size
      case .background: background ?? foreground.size
      case .pixels(let width, let height): (width, height)
      }
    let codec = options.encoding.codec
    size = (
      codec.is4444 ? asked.width : (asked.width + 1) / 2 * 2,
      codec.isProRes ? asked.height : (asked.height + 1) / 2 * 2
    )
    // A canvas of any other size has square pixels.
    if case .foreground = options.size { pixelAspect = foreground.pixelAspect } else { pixelAspect = .square }
  }

  /// Where a picture goes whose pixels may have another shape.
  func placement(
    of picture: (width: Int, height: Int), _ aspect: PixelAspect, _ fit: Placement.Fit,
    position: (x: Double, y: Double) = (0.5, 0.5)
  ) -> Placement {
    let ratio =
      Double(aspect.horizontal * pixelAspect.vertical) / Double(aspect.vertical * pixelAspect.horizontal)
    return Placement(of: picture, on: size, fit, pixelAspect: ratio, position: position)
  }
}
