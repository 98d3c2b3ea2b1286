internal import CoreMedia
internal import CoreVideo
internal import Foundation

extension VideoEncoderSettings {
  /// A packet's bytes as a movie stores them: NAL units with their lengths, parameter sets left out.
  func stored(_ data: Data) -> Data {
    switch codec {
    case .hevc: AnnexB.lengthPrefixed(AnnexB.units(in: data).filter { !HEVCConfiguration.isParameterSet($0) })
    case .h264: AnnexB.lengthPrefixed(AnnexB.units(in: data).filter { !AVCConfiguration.isParameterSet($0) })
    case .proRes: data
    }
  }

  /// - Parameter header: the encoder's parameter sets.
  func makeFormatDescription(header: Data) throws -> CMFormatDescription {
    var extensions = color.attachments
    extensions.merge(light.attachments) { $1 }
    extensions[kCMFormatDescriptionExtension_FullRangeVideo] = color.isFullRange
    extensions[kCMFormatDescriptionExtension_FormatName] = formatName
    extensions[kCMFormatDescriptionExtension_Depth] = hasAlpha ? 32 : 24
    extensions[kCMFormatDescriptionExtension_BitsPerComponent] = bitDepth
    extensions[kCMFormatDescriptionExtension_FieldCount] = 1
    extensions[kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms] = try atoms(header)
    if let ratio = pixelAspectRatio {
      extensions[kCMFormatDescriptionExtension_PixelAspectRatio] = [
        kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing: ratio.horizontal,
        kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing: ratio.vertical,
      ]
    }
    if hasAlpha {
      extensions[kCMFormatDescriptionExtension_ContainsAlphaChannel] = true
      extensions[kCMFormatDescriptionExtension_AlphaChannelMode] = kCMFormatDescriptionAlphaChannelMode_StraightAlpha
    }
    var description: CMFormatDescription?
    let status = CMVideoFormatDescriptionCreate(
      allocator: nil, codecType: entry, width: Int32(width), height: Int32(height), extensions: extensions,
      formatDescriptionOut: &description)
    guard let description else {
      throw CodecError(.library, "The encoder's format cannot be described; check its size.", code: status)
    }
    return description
  }

  private func atoms(_ header: Data) throws -> [String: Any]? {
    var atoms: [String: Any] = entryAtoms
    switch codec {
    case .hevc: atoms["hvcC"] = try HEVCConfiguration.box(header: header)
    case .h264: atoms["avcC"] = try AVCConfiguration.box(header: header)
    case .proRes: break
    }
    return atoms.isEmpty ? nil : atoms
  }

  private var formatName: String {
    switch codec {
    case .hevc: "HEVC"
    case .h264: "H.264"
    case .proRes(let profile): profile.name
    }
  }
}
