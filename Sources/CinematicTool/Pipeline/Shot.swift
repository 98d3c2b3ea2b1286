import AVFoundation
import Cinematic
import Foundation

/// A Cinematic movie opened for rendering: its tracks, its focus script with the edits applied, and what the renderer needs to know.
struct Shot: Sendable {
  let asset: AVURLAsset
  let info: CNAssetInfo
  let script: CNScript
  let attributes: CNRenderingSession.Attributes
  /// One f-number for all frames, where the user or the edits ask for one; nil renders each frame as recorded.
  let fNumber: Float?

  /// - Parameter edits: The path of an edits file, or nil.
  static func open(_ path: String, edits: String?, fNumber: Float?) async throws -> Shot {
    let asset = AVURLAsset(url: URL(fileURLWithPath: path))
    let info = try await CNAssetInfo(asset: asset)
    let script = try await CNScript(asset: asset, changes: try edits.map { try EditsFile($0).read() })
    guard script.recorded.frameCount > 0 else {
      throw Failure(
        name: "incomplete", code: 3,
        message: "at no time does '\(path)' show a picture together with disparity and metadata; get the original again"
      )
    }
    let recorded = script.recorded.fNumber(0)
    return Shot(
      asset: asset, info: info, script: script, attributes: try await CNRenderingSession.Attributes(asset: asset),
      fNumber: fNumber ?? (script.fNumber == recorded ? nil : script.fNumber))
  }

  /// What the renderer is told of the frame at a time.
  func frameAttributes(at time: CMTime) -> CNRenderingSession.FrameAttributes {
    let recorded = script.recorded.frame(nearest: time, tolerance: .positiveInfinity)
    let frame = script.frame(at: time, tolerance: .positiveInfinity)
    return CNRenderingSession.FrameAttributes(
      focusDisparity: frame?.focusDisparity ?? RecordedFrame.standardFocusDisparity,
      fNumber: fNumber ?? recorded.map(script.recorded.fNumber) ?? RecordedFrame.standardFNumber)
  }
}

extension Shot {
  /// The boxes of a frame's detections, for a picture as displayed.
  func boxes(at time: CMTime) -> Overlay? {
    let size = info.naturalSize
    let display = DisplayGeometry(
      width: Int(size.width), height: Int(size.height), transform: info.preferredTransform)
    return script.frame(at: time, tolerance: .positiveInfinity).map {
      Overlay($0, of: script, display: display, showsIDs: false)
    }
  }
}
