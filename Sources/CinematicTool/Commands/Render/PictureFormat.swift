import AVFoundation
import Cinematic
import Foundation

/// How the picture comes in and goes out: depth, range and colour.
struct PictureFormat: Sendable {
  /// The pixel format that the source is decoded to: 4:2:0 in video range, as the result has it, with 8 or 10 bits as the source has.
  let source: OSType
  /// The pixel format that is rendered into.
  let destination: OSType
  /// Primaries, transfer function and matrix of the result, by the keys of a writer's settings.
  let color: [String: String]
  let notes: [String]

  /// - Parameters:
  ///   - isSDR: whether HDR is to become SDR.
  ///   - asksForHighlights: whether clipped lights are to get their brightness back.
  init(of info: CNAssetInfo, isSDR: Bool, asksForHighlights: Bool) {
    let format = info.cinematicVideoTrack.formatDescriptions.first
    let (isHDR, isDeep) = (Self.isHDR(format), Self.isDeep(format))
    source = Self.source(of: format)
    destination = isDeep && !isSDR ? source : kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
    let tags = Self.color(of: format)
    color = isHDR && isSDR ? Self.bt709 : Self.bt709.merging(tags) { _, stored in stored }
    var notes = Self.notes(format, isHDR: isHDR, isSDR: isSDR)
    // A movie that names none means BT.709.
    if !tags.isEmpty, tags.count < Self.bt709.count {
      notes.append("The movie does not name all of its colours: those of BT.709 are taken for what is missing.")
    }
    if asksForHighlights, isHDR { notes.append(Self.keptHighlights) }
    self.notes = notes
  }

  /// The pixel format that pictures of a description are rendered from.
  static func source(of format: CMFormatDescription?) -> OSType {
    isDeep(format) ? kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange : kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
  }

  /// Whether a picture of the format is worth more than 8 bits.
  static func isDeep(_ format: CMFormatDescription?) -> Bool { isHDR(format) || bitsPerComponent(format) > 8 }

  /// What is said where highlights are asked for of HDR.
  static let keptHighlights = "--highlights changes nothing: the movie is HDR, whose lights were not clipped."

  static func isHDR(_ format: CMFormatDescription?) -> Bool {
    let transfer =
      format.flatMap {
        CMFormatDescriptionGetExtension($0, extensionKey: kCMFormatDescriptionExtension_TransferFunction)
      } as? String
    return transfer == kCVImageBufferTransferFunction_ITU_R_2100_HLG
      || transfer == kCVImageBufferTransferFunction_SMPTE_ST_2084_PQ
  }

  /// What a decoded picture says of primaries, transfer function and matrix; BT.709 for what it does not say.
  static func color(of picture: CVPixelBuffer) -> [String: String] {
    let keys = [
      (AVVideoColorPrimariesKey, kCVImageBufferColorPrimariesKey),
      (AVVideoTransferFunctionKey, kCVImageBufferTransferFunctionKey),
      (AVVideoYCbCrMatrixKey, kCVImageBufferYCbCrMatrixKey),
    ]
    let found = keys.compactMap { key, attached in
      (CVBufferCopyAttachment(picture, attached, nil) as? String).map { (key, $0) }
    }
    return bt709.merging(found) { _, told in told }
  }

  private static let bt709 = [
    AVVideoColorPrimariesKey: kCVImageBufferColorPrimaries_ITU_R_709_2,
    AVVideoTransferFunctionKey: kCVImageBufferTransferFunction_ITU_R_709_2,
    AVVideoYCbCrMatrixKey: kCVImageBufferYCbCrMatrix_ITU_R_709_2,
  ]

  /// What the movie says of primaries, transfer function and matrix. The renderer takes BT.709 for each that is missing.
  private static func color(of format: CMFormatDescription?) -> [String: String] {
    let keys = [
      (AVVideoColorPrimariesKey, kCMFormatDescriptionExtension_ColorPrimaries),
      (AVVideoTransferFunctionKey, kCMFormatDescriptionExtension_TransferFunction),
      (AVVideoYCbCrMatrixKey, kCMFormatDescriptionExtension_YCbCrMatrix),
    ]
    let found = keys.compactMap { key, stored in
      (format.flatMap { CMFormatDescriptionGetExtension($0, extensionKey: stored) } as? String).map { (key, $0) }
    }
    return Dictionary(uniqueKeysWithValues: found)
  }

  private static func notes(_ format: CMFormatDescription?, isHDR: Bool, isSDR: Bool) -> [String] {
    var notes: [String] = []
    if atoms(format).keys.contains(where: { $0 == "dvvC" || $0 == "dvcC" }) {
      notes.append("Dolby Vision's layer is left out: it was made for the sharp picture. The base layer's HDR is kept.")
    }
    if isSDR, !isHDR { notes.append("--sdr changes nothing: the movie is not HDR.") }
    return notes
  }

  private static func atoms(_ format: CMFormatDescription?) -> [String: Any] {
    format.flatMap {
      CMFormatDescriptionGetExtension($0, extensionKey: kCMFormatDescriptionExtension_SampleDescriptionExtensionAtoms)
    } as? [String: Any] ?? [:]
  }

  /// Of the codec's configuration: 8 where it is not known.
  private static func bitsPerComponent(_ format: CMFormatDescription?) -> Int {
    let bits = format.flatMap {
      CMFormatDescriptionGetExtension($0, extensionKey: kCMFormatDescriptionExtension_BitsPerComponent)
    }
    if let bits = bits as? Int { return bits }
    // hvcC: byte 17 holds bit_depth_luma_minus8 in its three low bits (ISO/IEC 14496-15, 8.3.3.1.2).
    if let hvcC = atoms(format)["hvcC"] as? Data, hvcC.count > 17 { return Int(hvcC[hvcC.startIndex + 17] & 7) + 8 }
    let subtype = format?.mediaSubType.rawValue ?? 0
    return fourCharacterString(subtype).hasPrefix("ap") ? 10 : 8
  }
}
