/// Where a picture lies on a canvas of another size, in whole pixels of the canvas; (0, 0) is its upper left corner.
package struct Placement: Hashable, Sendable {
  /// How a picture is brought to the size of a canvas.
  package enum Fit: String, CaseIterable, Sendable {
    /// As small as covers the canvas; what goes beyond is cut off.
    case fill
    /// As large as the canvas holds.
    case fit
    /// Exactly the canvas, whatever that does to circles.
    case stretch
    /// As large as it is.
    case none
  }

  package let x: Int
  package let y: Int
  package let width: Int
  package let height: Int

  package init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// - Parameters:
  ///   - pixelAspect: how much wider the picture's pixels are than the canvas's.
  ///   - position: which share of the room that is left, or of what is cut off, lies left of and above the picture: 0 to 1.
  package init(
    of picture: (width: Int, height: Int), on canvas: (width: Int, height: Int), _ fit: Fit,
    pixelAspect: Double = 1, position: (x: Double, y: Double) = (0.5, 0.5)
  ) {
    let across = Double(canvas.width) / (Double(picture.width) * pixelAspect)
    let down = Double(canvas.height) / Double(picture.height)
    let scale: (x: Double, y: Double) =
      switch fit {
      case .fill: (max(across, down), max(across, down))
      case .fit: (min(across, down), min(across, down))
      case .stretch: (across, down)
      case .none: (1, 1)
      }
    width = max(1, Int((Double(picture.width) * pixelAspect * scale.x).rounded()))
    height = max(1, Int((Double(picture.height) * scale.y).rounded()))
    x = Int((Double(canvas.width - width) * position.x).rounded())
    y = Int((Double(canvas.height - height) * position.y).rounded())
  }

  /// Whether a picture of that size is the canvas as it is.
  package func isIdentity(_ picture: (width: Int, height: Int), _ canvas: (width: Int, height: Int)) -> Bool {
    self == Placement(x: 0, y: 0, width: canvas.width, height: canvas.height) && picture == canvas
  }
}
