public import CoreGeometry
public import CoreVideo
import Foundation

/// One frame to render.
public struct RenderRequest: Sendable {
  /// The picture, everything in focus, in one of `BokehRenderer.sourcePixelFormats`; its attachments say what its
  /// colours mean.
  public var source: CVPixelBuffer
  /// Disparity of any size that covers the same field, in the same orientation, in one of
  /// `BokehRenderer.disparityFormats`.
  public var disparity: CVPixelBuffer
  /// Where the result goes, in one of `BokehRenderer.destinationPixelFormats`, as large as the source after
  /// `transform`.
  ///
  /// It gets the source's colour attachments, or those of BT.709 after a tone map.
  public var destination: CVPixelBuffer
  /// The disparity in focus, finite; larger is nearer.
  public var focusDisparity: Float
  /// Positive; smaller is more blur.
  public var fNumber: Float
  public var lens = Lens()
  /// What is out of focus looks like; the plain look unless set.
  public var look = BokehLook()
  /// What integer codes of the disparity mean; half and single floats are values themselves.
  public var disparityCodes = DisparityCodes.logarithmic(minimum: 0, maximum: 16)
  /// Quarter turns and mirrors from the source's orientation to the destination's; translation is not looked at.
  public var transform = CGAffineTransform.identity
  /// Whether this frame follows the one rendered before, so that disparity may be steadied with it.
  public var continuesHistory = false
  public var toneMap = ToneMap.none

  public init(
    source: CVPixelBuffer, disparity: CVPixelBuffer, destination: CVPixelBuffer, focusDisparity: Float, fNumber: Float
  ) {
    self.source = source
    self.disparity = disparity
    self.destination = destination
    self.focusDisparity = focusDisparity
    self.fNumber = fNumber
  }
}

/// What the codes of an integer disparity picture mean, as 0 (code 0) … 1 (the largest code).
public enum DisparityCodes: Hashable, Sendable {
  /// The movie file's coding: minimum − 1 + (maximum − minimum + 1)^code, and 0 for code 0 of a minimum of 0.
  case logarithmic(minimum: Float, maximum: Float)
  /// minimum + (maximum − minimum) · code.
  case linear(minimum: Float, maximum: Float)

  /// In 1/m.
  func disparity(_ code: Float) -> Float {
    switch self {
    case .logarithmic(let minimum, let maximum):
      minimum - 1 + pow(max(maximum - minimum + 1, 1), code)
    case .linear(let minimum, let maximum):
      minimum + (maximum - minimum) * code
    }
  }
}
