public import Foundation

/// Why a picture cannot be rendered; all are wrong requests, found before anything is written.
public enum BokehError: Error, Hashable, Sendable, LocalizedError {
  /// The source, the destination or the disparity has a pixel format that is not in the renderer's list for it.
  case unsupportedFormat(role: String, format: String)
  /// The destination's size is not the source's, as shown.
  case destinationSize(width: Int, height: Int, expectedWidth: Int, expectedHeight: Int)
  /// The destination is the source itself: rendering needs the source until the last pixel is written.
  case destinationIsSource
  /// The picture is larger than the renderer takes.
  case tooLarge(width: Int, height: Int)
  /// The transform is not made of quarter turns and mirrors.
  case unsupportedTransform
  /// A number is out of its range.
  case invalidSetting(name: String, value: Float)

  public var errorDescription: String? {
    switch self {
    case .unsupportedFormat(let role, let format):
      "The \(role) has the pixel format '\(format)', which the renderer does not take; see BokehRenderer's lists."
    case .destinationSize(let width, let height, let expectedWidth, let expectedHeight):
      "The destination is \(width)x\(height) where the picture is \(expectedWidth)x\(expectedHeight) as shown; make it so."
    case .destinationIsSource:
      "The destination is the source's own pixel buffer; render into another one."
    case .tooLarge(let width, let height):
      "A picture of \(width)x\(height) has a side over \(BokehRenderer.maximumSide) pixels; reduce it first."
    case .unsupportedTransform:
      "The transform is not made of quarter turns and mirrors; turn the picture before or after rendering."
    case .invalidSetting(let name, let value):
      "The \(name) is \(value), which is out of range; see RenderRequest and BokehLook for what may be given."
    }
  }
}
