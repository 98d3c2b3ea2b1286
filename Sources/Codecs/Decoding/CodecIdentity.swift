internal import CFFmpeg
internal import CoreMedia
internal import CoreVideo
internal import Foundation

/// Which codec of the library decodes a sample entry, and with what configuration.
struct CodecIdentity {
  let codecID: AVCodecID
  /// The library's spelling of the four characters: the first one in the lowest byte.
  let tag: UInt32
  let configuration: Data

  init(video format: CMFormatDescription) throws {
    let code = CMFormatDescriptionGetMediaSubType(format)
    let name = fourCharacterString(code)
    // Disparity and depth are pictures of auxiliary tracks.
    guard [kCMMediaType_Video, kCMMediaType_AuxiliaryPicture].contains(CMFormatDescriptionGetMediaType(format)) else {
      throw CodecError(.unsupported, "The format '\(name)' is not video; open a video track.")
    }
    guard let codecID = CodecIdentity.videoCodec(code, format) else {
      throw CodecError(
        .unsupported, "There is no decoder for video of type '\(name)'; convert the movie to HEVC, H.264 or ProRes.")
    }
    self.codecID = codecID
    tag = code.byteSwapped
    configuration = try CodecIdentity.configuration(of: format, codecID)
  }

  /// Entries that the library does not list, or that are another codec under a name of Apple's.
  private static let named: [String: AVCodecID] = [
    "hvc1": AV_CODEC_ID_HEVC, "hev1": AV_CODEC_ID_HEVC, "dvh1": AV_CODEC_ID_HEVC, "dvhe": AV_CODEC_ID_HEVC,
    "dish": AV_CODEC_ID_HEVC, "deph": AV_CODEC_ID_HEVC, "muxa": AV_CODEC_ID_HEVC, "avc1": AV_CODEC_ID_H264,
    "avc3": AV_CODEC_ID_H264, "dva1": AV_CODEC_ID_H264, "dvav": AV_CODEC_ID_H264, "apco": AV_CODEC_ID_PRORES,
    "apcs": AV_CODEC_ID_PRORES, "apcn": AV_CODEC_ID_PRORES, "apch": AV_CODEC_ID_PRORES, "ap4h": AV_CODEC_ID_PRORES,
    "ap4x": AV_CODEC_ID_PRORES, "vp08": AV_CODEC_ID_VP8, "vp09": AV_CODEC_ID_VP9, "av01": AV_CODEC_ID_AV1,
  ]

  /// What an `mp4v` entry may hold, by the object type of its `esds`.
  private static let objectTypes: [UInt8: AVCodecID] = [
    0x20: AV_CODEC_ID_MPEG4, 0x60: AV_CODEC_ID_MPEG2VIDEO, 0x61: AV_CODEC_ID_MPEG2VIDEO, 0x62: AV_CODEC_ID_MPEG2VIDEO,
    0x63: AV_CODEC_ID_MPEG2VIDEO, 0x64: AV_CODEC_ID_MPEG2VIDEO, 0x65: AV_CODEC_ID_MPEG2VIDEO,
    0x6A: AV_CODEC_ID_MPEG1VIDEO, 0x6C: AV_CODEC_ID_MJPEG, 0x6D: AV_CODEC_ID_PNG, 0x6E: AV_CODEC_ID_JPEG2000,
  ]

  private static func videoCodec(_ code: OSType, _ format: CMFormatDescription) -> AVCodecID? {
    // Another bitstream under a similar name.
    if ["aprn", "aprh"].contains(fourCharacterString(code)) { return nil }
    if let id = named[fourCharacterString(code)] { return id }
    if fourCharacterString(code) == "mp4v", let esds = atoms(of: format)["esds"] as? Data,
      let type = ElementaryStreamDescriptor.objectType(in: esds), let id = objectTypes[type]
    {
      return id
    }
    var tables: [OpaquePointer?] = [avformat_get_mov_video_tags(), avformat_get_riff_video_tags(), nil]
    let id = av_codec_get_id(&tables, code.byteSwapped)
    return id == AV_CODEC_ID_NONE ? nil : id
  }

  /// Whether no frame needs another.
  var isIntra: Bool {
    guard let descriptor = avcodec_descriptor_get(codecID) else { return false }
    return descriptor.pointee.props & Int32(AV_CODEC_PROP_INTRA_ONLY) != 0
  }

  /// Whether a second layer holds alpha, which libavcodec leaves out.
  func hasAlphaLayer(_ extensions: [String: Any]) -> Bool {
    let isSaid = extensions[kCMFormatDescriptionExtension_ContainsAlphaChannel] as? Bool ?? false
    let atoms = extensions[kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms] as? [String: Any] ?? [:]
    // `almo` says how colours and alpha go together; such an entry may be a plain hvc1 whose hvcC has both layers.
    return codecID == AV_CODEC_ID_HEVC
      && (isSaid || atoms["lhvC"] != nil || atoms["almo"] != nil || tag.byteSwapped == fourCharacterCode("muxa"))
  }

  /// What the sample entry alone lets expect of the decoder.
  func expectedFormat(isFullRange: Bool) -> OSType {
    if codecID == AV_CODEC_ID_PRORES {
      let name = fourCharacterString(tag.byteSwapped)
      return name.hasPrefix("ap4") ? kCVPixelFormatType_4444AYpCbCr16 : kCVPixelFormatType_422YpCbCr10BiPlanarVideoRange
    }
    let set = AVCConfiguration.SequenceParameterSet(box: configuration)
    // libavcodec adds an even chroma to monochrome H.264.
    let suffix = ["yuv420p", "yuv420p", "yuv422p", "yuv444p"][(set?.chromaFormat ?? 1) & 3]
    let depth = set.map(\.lumaDepth) ?? 8
    let shape = FrameShape(av_get_pix_fmt(depth > 8 ? "\(suffix)\(depth)le" : suffix))
    return shape.map { NativeFormat.of($0, isFullRange: isFullRange) }
      ?? kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
  }

  private static func atoms(of format: CMFormatDescription) -> [String: Any] {
    let key = kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms
    return CMFormatDescriptionGetExtension(format, extensionKey: key) as? [String: Any] ?? [:]
  }

  private static func configuration(of format: CMFormatDescription, _ codec: AVCodecID) throws -> Data {
    let atoms = atoms(of: format)
    let names: [String] =
      switch codec {
      case AV_CODEC_ID_HEVC: ["hvcC", "lhvC"]
      case AV_CODEC_ID_H264: ["avcC"]
      case AV_CODEC_ID_AV1: ["av1C"]
      case AV_CODEC_ID_VP9: ["vpcC"]
      case AV_CODEC_ID_MPEG4: ["esds"]
      default: ["glbl", "esds"]
      }
    guard let (name, data) = names.lazy.compactMap({ name in (atoms[name] as? Data).map { (name, $0) } }).first else {
      return Data()
    }
    return name == "esds" ? ElementaryStreamDescriptor.decoderConfiguration(in: data) ?? Data() : data
  }
}
