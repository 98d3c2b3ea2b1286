package import CoreMedia
internal import Foundation
package import QuickTime

extension SampleDescription {
  /// The sample entry of a format description: the one it carries verbatim, else one made from its extensions.
  ///
  /// `handler` is that of the track. Throws `AVError` for formats that no entry can be made for.
  package init(_ format: CMFormatDescription, handler: FourCC) throws {
    if let stored = Self.verbatim(format, handler: handler) {
      self = stored
      return
    }
    let type = FourCC(format.mediaSubType.rawValue)
    switch handler {
    case "vide", "auxv": self = try Self.pictures(format, type)
    case "soun": self = try Self.sound(format)
    case "meta" where type == "mebx": self = try Self.metadata(format, handler)
    case "tmcd": self = Self.timeCode(format, type)
    default:
      throw AVError(
        .operationNotSupportedForAsset,
        "No sample entry can be made for \(format); append samples that carry the entry of a movie they come from.")
    }
  }

  private static func verbatim(_ format: CMFormatDescription, handler: FourCC) -> SampleDescription? {
    let key = kCMFormatDescriptionExtension_VerbatimSampleDescription
    guard var data = CMFormatDescriptionGetExtension(format, extensionKey: key) as? Data, data.count >= 16 else {
      return nil
    }
    // A written file has one data reference, itself.
    data.replaceSubrange(data.startIndex + 14..<data.startIndex + 16, with: [0, 1])
    return SampleDescription(data, handler: handler)
  }

  private static func pictures(_ format: CMFormatDescription, _ type: FourCC) throws -> SampleDescription {
    let size = format.dimensions
    guard (1...0xFFFF).contains(size.width), (1...0xFFFF).contains(size.height) else {
      throw AVError(.unsupportedOutputSettings, "A movie cannot hold pictures of \(size.width)x\(size.height) pixels.")
    }
    let reader = ExtensionReader(format)
    let video = VideoDescription(
      width: Int(size.width), height: Int(size.height),
      compressorName: reader.text(kCMFormatDescriptionExtension_FormatName) ?? "",
      depth: UInt16(clamping: reader.integer(kCMFormatDescriptionExtension_Depth) ?? 24))
    return SampleDescription(type: type, layout: .video(video), children: try reader.atoms() + reader.pictureAtoms())
  }

  private static func metadata(_ format: CMFormatDescription, _ handler: FourCC) throws -> SampleDescription {
    let table = MetadataKeyTable(format.metadataKeys)
    guard let entry = SampleDescription(table.sampleEntry(), handler: handler) else {
      throw AVError(.unsupportedOutputSettings, "The keys of the timed metadata do not make a sample entry.")
    }
    return entry
  }

  private static func timeCode(_ format: CMFormatDescription, _ type: FourCC) -> SampleDescription {
    let duration = CMTimeCodeFormatDescriptionGetFrameDuration(format)
    let timeCode = TimeCodeDescription(
      flags: CMTimeCodeFormatDescriptionGetTimeCodeFlags(format), timescale: UInt32(clamping: duration.timescale),
      frameDuration: UInt32(clamping: duration.value),
      framesPerSecond: UInt8(clamping: CMTimeCodeFormatDescriptionGetFrameQuanta(format)))
    return SampleDescription(type: type, layout: .timeCode(timeCode))
  }
}

extension MetadataKeyTable {
  /// The table of the rows. A data type that is a name is stored as raw bytes.
  fileprivate init(_ keys: [MetadataKey]) {
    self.init(
      entries: keys.map { key in
        let isNumber = key.dataTypeNamespace == 0 && key.dataType.count == 4
        return Entry(
          localID: key.localID, namespace: FourCC(key.namespace), key: String(decoding: key.value, as: UTF8.self),
          dataType: isNumber ? key.dataType.reduce(0) { $0 << 8 | UInt32($1) } : MetadataValue.raw)
      })
  }
}

/// Reads the extensions of a format description and makes atoms of them.
struct ExtensionReader {
  private let format: CMFormatDescription

  init(_ format: CMFormatDescription) { self.format = format }

  func value(_ key: String) -> Any? { CMFormatDescriptionGetExtension(format, extensionKey: key) }
  func text(_ key: String) -> String? { value(key) as? String }
  func integer(_ key: String) -> Int? { CoreVideo.integer(value(key)) }

  /// The codec's own atoms, ordered by name so that the same format gives the same bytes; the configuration comes first.
  func atoms() throws -> [StoredAtom] {
    let all = value(kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms) as? [String: Any] ?? [:]
    return try all.sorted { Self.rank($0.key) < Self.rank($1.key) }.map { name, payload in
      guard let type = FourCC(name), let payload = payload as? Data else {
        throw AVError(
          .unsupportedOutputSettings, "The atom \(name) of the format description is not four characters and data.")
      }
      return StoredAtom(type, payload)
    }
  }

  private static func rank(_ name: String) -> String { (name.hasSuffix("C") ? "0" : "1") + name }

  /// `colr`, `fiel`, `pasp`, `clap`, `mdcv` and `clli`, as far as the format says what they hold.
  func pictureAtoms() -> [StoredAtom] {
    var atoms: [StoredAtom] = []
    if let colour { atoms.append(StoredAtom(colour)) }
    if let field { atoms.append(StoredAtom(field)) }
    if let aspect { atoms.append(StoredAtom(aspect)) }
    if let aperture { atoms.append(StoredAtom(aperture)) }
    for (type, key) in Self.lightKeys {
      if let payload = value(key) as? Data { atoms.append(StoredAtom(type, payload)) }
    }
    return atoms
  }

  private static let lightKeys: [(FourCC, String)] = [
    ("mdcv", kCMFormatDescriptionExtension_MasteringDisplayColorVolume),
    ("clli", kCMFormatDescriptionExtension_ContentLightLevelInfo),
  ]

  private var colour: ColourAtom? {
    let primaries = text(kCMFormatDescriptionExtension_ColorPrimaries).map(CVColorPrimariesGetIntegerCodePointForString)
    let transfer = text(kCMFormatDescriptionExtension_TransferFunction).map(
      CVTransferFunctionGetIntegerCodePointForString)
    let matrix = text(kCMFormatDescriptionExtension_YCbCrMatrix).map(CVYCbCrMatrixGetIntegerCodePointForString)
    guard primaries != nil || transfer != nil || matrix != nil else { return nil }
    let codes = [primaries, transfer, matrix].map { UInt16(exactly: $0 ?? 2) ?? 2 }
    // The range of a picture stored in full range is said too; otherwise QuickTime's form leaves it to the bitstream.
    if value(kCMFormatDescriptionExtension_FullRangeVideo) as? Bool == true {
      return .nclx(primaries: codes[0], transfer: codes[1], matrix: codes[2], isFullRange: true)
    }
    return .nclc(primaries: codes[0], transfer: codes[1], matrix: codes[2])
  }

  private var field: FieldAtom? {
    guard let count = integer(kCMFormatDescriptionExtension_FieldCount) else { return nil }
    let details: [String: UInt8] = [
      kCMFormatDescriptionFieldDetail_TemporalTopFirst: 1, kCMFormatDescriptionFieldDetail_TemporalBottomFirst: 6,
      kCMFormatDescriptionFieldDetail_SpatialFirstLineEarly: 9,
      kCMFormatDescriptionFieldDetail_SpatialFirstLineLate: 14,
    ]
    let detail = text(kCMFormatDescriptionExtension_FieldDetail).flatMap { details[$0] }
    return FieldAtom(count: UInt8(clamping: count), detail: detail ?? 0)
  }

  private var aspect: PixelAspectAtom? {
    guard let ratio = value(kCMFormatDescriptionExtension_PixelAspectRatio) as? [String: Any],
      let horizontal = CoreVideo.integer(ratio[kCMFormatDescriptionKey_PixelAspectRatioHorizontalSpacing]),
      let vertical = CoreVideo.integer(ratio[kCMFormatDescriptionKey_PixelAspectRatioVerticalSpacing])
    else { return nil }
    return PixelAspectAtom(horizontal: UInt32(clamping: horizontal), vertical: UInt32(clamping: vertical))
  }

  private var aperture: CleanApertureAtom? {
    guard let values = value(kCMFormatDescriptionExtension_CleanAperture) as? [String: Any],
      let width = fraction(values, kCMFormatDescriptionKey_CleanApertureWidth),
      let height = fraction(values, kCMFormatDescriptionKey_CleanApertureHeight)
    else { return nil }
    return CleanApertureAtom(
      width: width, height: height,
      horizontalOffset: fraction(values, kCMFormatDescriptionKey_CleanApertureHorizontalOffset) ?? .init(0),
      verticalOffset: fraction(values, kCMFormatDescriptionKey_CleanApertureVerticalOffset) ?? .init(0))
  }

  private func fraction(_ values: [String: Any], _ key: String) -> CleanApertureAtom.Fraction? {
    if let pair = values["CleanAperture" + key + "Rational"] as? [Any], pair.count == 2,
      let numerator = CoreVideo.integer(pair[0]).flatMap(Int32.init(exactly:)),
      let denominator = CoreVideo.integer(pair[1]).flatMap(UInt32.init(exactly:))
    {
      return .init(numerator, denominator)
    }
    guard let number = CoreVideo.number(values[key]), let value = Int32(exactly: (number * 1000).rounded()) else {
      return nil
    }
    return .init(value, 1000)
  }
}
