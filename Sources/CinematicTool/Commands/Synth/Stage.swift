import Foundation

/// The geometry of the sample movie: a pinhole camera before a flat floor.
///
/// Lengths on the picture are in frame heights; disparity is 1 / metres.
struct Stage: Sendable {
  /// Focal length in frame heights: that of a 26 mm lens on a 36 mm wide sensor.
  let focal: Float
  /// Half the width of the frame.
  let halfWidth: Float

  private static let horizon: Float = 0.42
  private static let eyeHeight: Float = 0.20

  init(width: Int, height: Int) {
    focal = 26 / 36 * Float(width) / Float(height)
    halfWidth = Float(width) / Float(height) / 2
  }

  /// The disparity of the floor at a height of the picture; zero and below at the horizon and above it.
  func floorDisparity(y: Float) -> Float { (y - Self.horizon) / (Self.eyeHeight * focal) }

  /// Where the floor is, seen at a disparity.
  func floorY(disparity: Float) -> Float { Self.horizon + Self.eyeHeight * focal * disparity }

  /// The size on the picture of `metres` seen at a disparity.
  func size(metres: Float, disparity: Float) -> Float { metres * focal * disparity }
}
