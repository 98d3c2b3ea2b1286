package import Codecs
internal import CoreMedia
internal import CoreVideo
package import ProRes

/// What a container says of ProRes pictures, to be joined with what each frame says of itself.
///
/// Colour: the container's tags come first, and the frame header's where the container is silent; where they disagree the
/// container wins and the conflict is told.
struct ProResDescription {
  let format: CMFormatDescription
  private let container: ColorTags
  /// Geometry, fields, alpha and light, under the keys of attachments.
  private let fixed: [String: Any]

  init(_ format: CMFormatDescription) {
    self.format = format
    let extensions = CMFormatDescriptionGetExtensions(format) ?? [:]
    container = ColorTags(extensions: extensions)
    fixed = ContainerAttachments.of(extensions).merging(LightMetadata(extensions: extensions).attachments) { $1 }
  }

  /// Frame headers do not tell; video range unless the container says otherwise.
  var isFullRange: Bool { container.isFullRange ?? false }

  func color(with header: ProResFrameHeader) -> ColorTags {
    var color = container.merged(over: ColorTags(header))
    color.isFullRange = isFullRange
    return color
  }

  func conflicts(with header: ProResFrameHeader) -> [ColorConflict] {
    ColorConflict.all(container: container, bitstream: ColorTags(header))
  }

  func attachments(_ header: ProResFrameHeader, _ color: ColorTags, _ buffer: CVPixelBuffer) -> [String: Any] {
    var all = fixed
    let format = PixelFormat.description(of: CVPixelBufferGetPixelFormatType(buffer))
    if header.isInterlaced, all[kCVImageBufferFieldCountKey] == nil {
      all[kCVImageBufferFieldCountKey] = 2
      all[kCVImageBufferFieldDetailKey] =
        header.fields == .topFirst
        ? kCMFormatDescriptionFieldDetail_SpatialFirstLineEarly : kCMFormatDescriptionFieldDetail_SpatialFirstLineLate
    }
    if let format, format.chromaSubsampling.horizontal > 1 {
      all[kCVImageBufferChromaLocationTopFieldKey] = kCVImageBufferChromaLocation_Left
      all[kCVImageBufferChromaLocationBottomFieldKey] = kCVImageBufferChromaLocation_Left
    }
    if format?.hasAlpha != true {
      all[kCVImageBufferAlphaChannelModeKey] = nil
    } else if all[kCVImageBufferAlphaChannelModeKey] == nil {
      all[kCVImageBufferAlphaChannelModeKey] = kCVImageBufferAlphaChannelMode_StraightAlpha
    }
    if format?.hasAlpha == true, !header.hasAlpha { all[kCVImageBufferAlphaChannelIsOpaque] = true }
    return all.merging(color.attachments) { $1 }
  }
}

extension ColorTags {
  /// What a frame header says, in the code points of H.273.
  init(_ header: ProResFrameHeader) {
    func told(_ code: Int) -> Int? { [0, 2, 3].contains(code) ? nil : code }
    self.init(primaries: told(header.primaries), transfer: told(header.transfer), matrix: told(header.matrix))
  }
}

extension ColorConflict {
  /// Where a container and the header of a ProRes frame disagree; the container wins.
  package static func all(of format: CMFormatDescription, _ header: ProResFrameHeader) -> [ColorConflict] {
    ProResDescription(format).conflicts(with: header)
  }
}
