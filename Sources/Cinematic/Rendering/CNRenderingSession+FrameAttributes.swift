public import AVFoundation
public import CoreMedia
import Foundation
import QuickTime

extension CNRenderingSession {
  /// Focus and aperture of one frame; both may be changed before rendering.
  public struct FrameAttributes: Hashable, Sendable {
    /// The disparity in focus; larger is nearer.
    public var focusDisparity: Float
    /// Smaller is more blur.
    public var fNumber: Float

    /// What was recorded with a frame, from a sample of the Cinematic metadata track with its format description.
    ///
    /// A rendering item decides, else the two float items, else the frame's header; a value that cannot be meant (NaN, infinite, a
    /// disparity outside 0…10 000, an f-number not above 0) is passed over. Nil if the sample has no Cinematic items that can be
    /// decoded, as has an empty one.
    public init?(sampleBuffer: CMSampleBuffer, sessionAttributes: Attributes) {
      guard let group = AVTimedMetadataGroup(sampleBuffer: sampleBuffer) else { return nil }
      self.init(timedMetadataGroup: group, sessionAttributes: sessionAttributes)
    }

    /// The same from a group of timed metadata.
    public init?(timedMetadataGroup: AVTimedMetadataGroup, sessionAttributes: Attributes) {
      var metadata = FrameMetadata()
      for item in timedMetadataGroup.items where item.keySpace == .quickTimeMetadata {
        guard let key = item.key.flatMap(CinematicKey.init(rawValue:)), let payload = item.dataValue, !payload.isEmpty
        else { continue }
        metadata.read(key, ByteReader(payload, path: "mebx"))
      }
      guard !metadata.isEmpty else { return nil }
      self.init(metadata)
    }

    package init(_ metadata: FrameMetadata) {
      focusDisparity = metadata.effectiveFocusDisparity.value
      fNumber = metadata.effectiveFNumber.value
    }

    package init(focusDisparity: Float, fNumber: Float) {
      self.focusDisparity = focusDisparity
      self.fNumber = fNumber
    }
  }
}
