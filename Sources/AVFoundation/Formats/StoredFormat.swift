package import CoreMedia
internal import Foundation
package import QuickTime

extension SampleDescription {
  /// The entry as a format description, which carries the entry verbatim and its atoms as extensions.
  ///
  /// A damaged part of the entry is left out: what needs it will say so. `handler` is that of the track.
  package func formatDescription(handler: FourCC) -> CMFormatDescription {
    var extensions: [String: Any] = [kCMFormatDescriptionExtension_VerbatimSampleDescription: data]
    let atoms = Dictionary(
      children.filter { !Self.readableAtoms.contains($0.type) }.map { ($0.type.description, $0.payload) },
      uniquingKeysWith: { first, _ in first })
    if !atoms.isEmpty { extensions[kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms] = atoms }
    switch layout {
    case .video(let video): return pictures(video, handler, &extensions)
    case .audio(let audio): return sound(audio, extensions)
    case .timeCode(let timeCode): return Self.timeCode(timeCode, type, extensions)
    case .plain: return other(handler, extensions)
    }
  }

  /// Atoms whose content becomes an extension of its own.
  private static let readableAtoms: Set<FourCC> = ["colr", "pasp", "clap", "fiel", "mdcv", "clli", "keys"]

  private func pictures(_ video: VideoDescription, _ handler: FourCC, _ extensions: inout [String: Any])
    -> CMFormatDescription
  {
    extensions[kCMFormatDescriptionExtension_FormatName] = video.compressorName
    extensions[kCMFormatDescriptionExtension_Depth] = Int(video.depth)
    extensions[kCMFormatDescriptionExtension_Version] = Int(video.version)
    extensions[kCMFormatDescriptionExtension_RevisionLevel] = Int(video.revision)
    extensions[kCMFormatDescriptionExtension_TemporalQuality] = Int(video.temporalQuality)
    extensions[kCMFormatDescriptionExtension_SpatialQuality] = Int(video.spatialQuality)
    addColour(to: &extensions)
    addGeometry(to: &extensions)
    addLight(to: &extensions)
    let size = CMVideoDimensions(width: Int32(video.width), height: Int32(video.height))
    let mediaType = handler == "auxv" ? kCMMediaType_AuxiliaryPicture : kCMMediaType_Video
    return CMFormatDescription(
      mediaType: mediaType, codecType: type.rawValue, dimensions: size, extensions: extensions)
  }

  private func addColour(to extensions: inout [String: Any]) {
    guard let colour = try? child("colr", as: ColourAtom.self) else { return }
    if case .nclx(_, _, _, let isFullRange) = colour {
      extensions[kCMFormatDescriptionExtension_FullRangeVideo] = isFullRange
    }
    if case .other(_, let profile) = colour { extensions[kCMFormatDescriptionExtension_ICCProfile] = profile }
    guard let codes = colour.codePoints else { return }
    extensions[kCMFormatDescriptionExtension_ColorPrimaries] =
      CVColorPrimariesGetStringForIntegerCodePoint(Int32(codes.primaries))
    extensions[kCMFormatDescriptionExtension_TransferFunction] =
      CVTransferFunctionGetStringForIntegerCodePoint(Int32(codes.transfer))
    extensions[kCMFormatDescriptionExtension_YCbCrMatrix] =
      CVYCbCrMatrixGetStringForIntegerCodePoint(Int32(codes.matrix))
  }

  private func addGeometry(to extensions: inout [String: Any]) {
    if let aspect = try? child("pasp", as: PixelAspectAtom.self) {
      extensions[kCMFormatDescriptionExtension_PixelAspectRatio] = [
        kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing: Int(aspect.horizontal),
        kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing: Int(aspect.vertical),
      ]
    }
    if let aperture = try? child("clap", as: CleanApertureAtom.self) {
      extensions[kCMFormatDescriptionExtension_CleanAperture] = aperture.dictionary
    }
    if let field = try? child("fiel", as: FieldAtom.self) {
      extensions[kCMFormatDescriptionExtension_FieldCount] = Int(field.count)
      extensions[kCMFormatDescriptionExtension_FieldDetail] = field.detailName
    }
  }

  private func addLight(to extensions: inout [String: Any]) {
    extensions[kCMFormatDescriptionExtension_MasteringDisplayColorVolume] = child("mdcv")
    extensions[kCMFormatDescriptionExtension_ContentLightLevelInfo] = child("clli")
  }

  private static func timeCode(_ timeCode: TimeCodeDescription, _ type: FourCC, _ extensions: [String: Any])
    -> CMFormatDescription
  {
    let scale = Int32(clamping: timeCode.timescale)
    var format: CMFormatDescription?
    let status = CMTimeCodeFormatDescriptionCreate(
      allocator: nil, timeCodeFormatType: type.rawValue,
      frameDuration: scale > 0 ? CMTime(value: Int64(timeCode.frameDuration), timescale: scale) : .invalid,
      frameQuanta: UInt32(timeCode.framesPerSecond), flags: timeCode.flags, extensions: extensions,
      formatDescriptionOut: &format)
    guard status == noErr, let format else { return plain(kCMMediaType_TimeCode, type, extensions) }
    return format
  }

  private func other(_ handler: FourCC, _ extensions: [String: Any]) -> CMFormatDescription {
    if type == "mebx", let payload = child("keys"), let table = try? MetadataKeyTable(payload: payload) {
      return CMFormatDescription(metadataKeys: table.entries.map(\.metadataKey), extensions: extensions)
    }
    return Self.plain(handler.rawValue, type, extensions)
  }

  private static func plain(_ mediaType: UInt32, _ type: FourCC, _ extensions: [String: Any]) -> CMFormatDescription {
    CMFormatDescription(mediaType: mediaType, codecType: type.rawValue, dimensions: nil, extensions: extensions)
  }
}

extension FieldAtom {
  /// How the fields of an interlaced picture lie, for the kinds with a name.
  fileprivate var detailName: String? {
    switch detail {
    case 1: kCMFormatDescriptionFieldDetail_TemporalTopFirst
    case 6: kCMFormatDescriptionFieldDetail_TemporalBottomFirst
    case 9: kCMFormatDescriptionFieldDetail_SpatialFirstLineEarly
    case 14: kCMFormatDescriptionFieldDetail_SpatialFirstLineLate
    default: nil
    }
  }
}

extension CleanApertureAtom {
  fileprivate var dictionary: [String: Any] {
    var values: [String: Any] = [:]
    let parts = [
      (width, kCMFormatDescriptionKey_CleanApertureWidth, kCMFormatDescriptionKey_CleanApertureWidthRational),
      (height, kCMFormatDescriptionKey_CleanApertureHeight, kCMFormatDescriptionKey_CleanApertureHeightRational),
      (
        horizontalOffset, kCMFormatDescriptionKey_CleanApertureHorizontalOffset,
        kCMFormatDescriptionKey_CleanApertureHorizontalOffsetRational
      ),
      (
        verticalOffset, kCMFormatDescriptionKey_CleanApertureVerticalOffset,
        kCMFormatDescriptionKey_CleanApertureVerticalOffsetRational
      ),
    ]
    for (fraction, key, rationalKey) in parts {
      values[key] = fraction.value
      values[rationalKey] = [Int(fraction.numerator), Int(fraction.denominator)]
    }
    return values
  }
}

extension MetadataKeyTable.Entry {
  /// The row of a format description's key table.
  fileprivate var metadataKey: MetadataKey {
    let number = withUnsafeBytes(of: dataType.bigEndian) { Data($0) }
    return MetadataKey(
      localID: localID, namespace: namespace.rawValue, value: Data(key.utf8), dataTypeNamespace: dataTypeNamespace,
      dataType: number)
  }
}
