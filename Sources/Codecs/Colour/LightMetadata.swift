internal import CFFmpeg
internal import CoreMedia
internal import CoreVideo
package import Foundation

/// The static HDR metadata of a stream, as the payloads that movies store: `mdcv` (24 bytes) and `clli` (4 bytes).
package struct LightMetadata: Sendable, Hashable {
  /// Mastering display (SMPTE ST 2086) as in H.265's SEI: G, B, R and white x, y in 1/50000; maximum and minimum
  /// luminance in 1/10000 cd/m².
  package var masteringDisplay: Data?
  /// Maximum content light level and maximum frame average, cd/m².
  package var contentLight: Data?

  package init(masteringDisplay: Data? = nil, contentLight: Data? = nil) {
    self.masteringDisplay = masteringDisplay
    self.contentLight = contentLight
  }

  /// What a container says; payloads of another size are ignored.
  package init(extensions: [String: Any]) {
    let display = extensions[kCMFormatDescriptionExtension_MasteringDisplayColorVolume] as? Data
    let light = extensions[kCMFormatDescriptionExtension_ContentLightLevelInfo] as? Data
    masteringDisplay = display.flatMap { $0.count == 24 ? $0 : nil }
    contentLight = light.flatMap { $0.count == 4 ? $0 : nil }
  }

  func merged(over fallback: LightMetadata) -> LightMetadata {
    LightMetadata(
      masteringDisplay: masteringDisplay ?? fallback.masteringDisplay,
      contentLight: contentLight ?? fallback.contentLight)
  }

  /// Under the keys that buffers and format descriptions share.
  package var attachments: [String: Any] {
    var all: [String: Any] = [:]
    all[kCVImageBufferMasteringDisplayColorVolumeKey] = masteringDisplay
    all[kCVImageBufferContentLightLevelInfoKey] = contentLight
    return all
  }
}

// MARK: - libavutil's side data

extension LightMetadata {
  /// What a decoded picture carries.
  init(frame: Frame.Raw) {
    if let side = av_frame_get_side_data(frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA),
      side.pointee.size >= MemoryLayout<AVMasteringDisplayMetadata>.size
    {
      masteringDisplay = side.pointee.data.withMemoryRebound(to: AVMasteringDisplayMetadata.self, capacity: 1) {
        LightMetadata.payload($0.pointee)
      }
    }
    if let side = av_frame_get_side_data(frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL),
      side.pointee.size >= MemoryLayout<AVContentLightMetadata>.size
    {
      contentLight = side.pointee.data.withMemoryRebound(to: AVContentLightMetadata.self, capacity: 1) {
        var data = Data()
        data.append(bigEndian: UInt16(truncatingIfNeeded: $0.pointee.MaxCLL))
        data.append(bigEndian: UInt16(truncatingIfNeeded: $0.pointee.MaxFALL))
        return data
      }
    }
  }

  /// libavutil orders the primaries R, G, B.
  private static func payload(_ display: AVMasteringDisplayMetadata) -> Data? {
    guard display.has_primaries != 0, display.has_luminance != 0 else { return nil }
    func scaled(_ value: AVRational, _ unit: Double) -> Double {
      value.den == 0 ? 0 : (Double(value.num) / Double(value.den) * unit).rounded()
    }
    let red = display.display_primaries.0
    let green = display.display_primaries.1
    let blue = display.display_primaries.2
    let white = display.white_point
    var data = Data()
    for value in [green.0, green.1, blue.0, blue.1, red.0, red.1, white.0, white.1] {
      data.append(bigEndian: UInt16(clamping: Int(scaled(value, 50000))))
    }
    for value in [display.max_luminance, display.min_luminance] {
      data.append(bigEndian: UInt32(clamping: Int(scaled(value, 10000))))
    }
    return data
  }
}

// MARK: - x265's parameters

extension LightMetadata {
  /// The encoder's options "master-display" and "max-cll".
  var x265Parameters: [(String, String)] {
    var all: [(String, String)] = []
    if let display = masteringDisplay, display.count == 24 {
      let words = LightMetadata.numbers(display.prefix(16), bytes: 2)
      let luminance = LightMetadata.numbers(display.dropFirst(16), bytes: 4)
      let place = zip("GBR", 0...).map { "\($0)(\(words[2 * $1]),\(words[2 * $1 + 1]))" }.joined()
      all.append(("master-display", "\(place)WP(\(words[6]),\(words[7]))L(\(luminance[0]),\(luminance[1]))"))
    }
    if let light = contentLight, light.count == 4 {
      let levels = LightMetadata.numbers(light, bytes: 2)
      all.append(("max-cll", "\(levels[0]),\(levels[1])"))
    }
    return all
  }

  private static func numbers(_ data: Data, bytes: Int) -> [Int] {
    let all = Array(data)
    return stride(from: 0, to: all.count - bytes + 1, by: bytes).map { start in
      all[start..<start + bytes].reduce(0) { $0 << 8 | Int($1) }
    }
  }
}
