internal import CoreMedia
internal import CoreVideo
internal import ProRes

extension DecodingBench {
  /// What a session is, once and for all.
  struct Traits: Sendable {
    let format: CMFormatDescription
    let isProRes: Bool
    let isIntra: Bool
    let isDeviceRequired: Bool
    let nativeFormat: OSType
    let attributes: ImageBufferAttributes

    /// Any ProRes takes the place of another; other codecs may change parameters, but not their size.
    func accepts(_ other: CMFormatDescription) -> Bool {
      let codec = CMFormatDescriptionGetMediaSubType(other)
      if isProRes { return ProResDecoder.codecs.contains(codec) }
      return codec == CMFormatDescriptionGetMediaSubType(format) && other.dimensions == format.dimensions
    }

    /// What the description lets expect of the pictures.
    func outputSize(_ settings: SessionSettings) -> CMVideoDimensions {
      if let size = attributes.size { return size }
      var size =
        isProRes ? SessionSettings.part(format.dimensions, settings.scale(format.dimensions)) : format.dimensions
      let fields = CMFormatDescriptionGetExtension(format, extensionKey: kCMFormatDescriptionExtension_FieldCount)
      if settings.fields.isHalf, integer(fields) == 2 { size.height = (size.height + 1) / 2 }
      return size
    }
  }
}
