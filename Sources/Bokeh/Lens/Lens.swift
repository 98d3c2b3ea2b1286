/// The lens that the renderer imitates: a thin lens before a sensor 36 mm wide.
///
/// Blur is linear in disparity: a point at disparity d (1/m) becomes a disc of radius K(N) · |d − focus| pixels. The
/// exact lens has a further factor 1 / (1 − f · focus), 5 % at half a metre; it is left out because the disparity of
/// phones is not exactly metric, and so that K does not depend on the focus.
public struct Lens: Hashable, Sendable {
  /// Focal length in metres, equivalent to that on a sensor 36 mm wide.
  public var focalLength35mm: Float
  /// A factor on every radius, to match another renderer; 1 is the lens itself.
  public var gain: Float

  /// Makes a lens; the defaults are a phone's main camera.
  public init(focalLength35mm: Float = 0.026, gain: Float = 1) {
    self.focalLength35mm = focalLength35mm
    self.gain = gain
  }

  /// K(N): the radius of the circle of confusion, in pixels, for each unit of disparity (1/m) away from the focus.
  ///
  /// `imageWidth` is the picture's width in pixels as the sensor saw it: its longer side.
  public func radiusPerDisparity(fNumber: Float, imageWidth: Int) -> Float {
    gain * focalLength35mm * focalLength35mm / (2 * fNumber) * Float(imageWidth) / Lens.sensorWidth
  }

  /// The width in metres of the sensor to which 35 mm equivalents refer.
  static let sensorWidth: Float = 0.036
}
