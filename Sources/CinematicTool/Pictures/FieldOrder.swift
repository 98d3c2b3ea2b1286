import CoreMedia
import ProRes

/// Whether a frame is one picture or two fields, and which of these is shown first.
enum FieldOrder: String, Sendable {
  case progressive
  case topFirst = "top first"
  case bottomFirst = "bottom first"

  /// Nil where a container or an attachment says nothing.
  init?(count: Any?, detail: Any?) {
    switch (count as? Int, detail as? String) {
    case (1, _): self = .progressive
    case (2, kCMFormatDescriptionFieldDetail_TemporalTopFirst),
      (2, kCMFormatDescriptionFieldDetail_SpatialFirstLineEarly):
      self = .topFirst
    case (2, kCMFormatDescriptionFieldDetail_TemporalBottomFirst),
      (2, kCMFormatDescriptionFieldDetail_SpatialFirstLineLate):
      self = .bottomFirst
    default: return nil
    }
  }

  init(_ fields: ProResFrameHeader.Fields) {
    switch fields {
    case .progressive: self = .progressive
    case .topFirst: self = .topFirst
    case .bottomFirst: self = .bottomFirst
    }
  }

  /// What a format description says.
  init?(_ format: CMFormatDescription) {
    self.init(
      count: CMFormatDescriptionGetExtension(format, extensionKey: kCMFormatDescriptionExtension_FieldCount),
      detail: CMFormatDescriptionGetExtension(format, extensionKey: kCMFormatDescriptionExtension_FieldDetail))
  }
}
