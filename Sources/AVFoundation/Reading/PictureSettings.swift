internal import Codecs
internal import CoreMedia
internal import CoreVideo
internal import Foundation

/// What pixel buffers an output makes of a track's pictures.
struct PictureSettings {
  /// Nil for the decoder's own.
  let pixelFormat: OSType?
  /// Nil for the size that is stored.
  let size: CMVideoDimensions?

  /// Formats of more than 8 bits that are never scaled, as on the original systems.
  private static let unscalable = ["y416", "v216", "v210", "b64a"].map(fourCharacterCode)
  /// The largest picture that is made by scaling, in pixels a side.
  private static let longestSide = 16_384

  /// Reads the settings of an output. Throws `AVError` naming the key that is wrong.
  init(_ settings: [String: Any], track: AVAssetTrack) throws {
    var reader = SettingsReader(settings, of: "the output of track \(track.trackID)")
    reader.refuseWhatNoOutputTakes()
    reader.refuse(anyOf: SettingsReader.soundKeys, "is one for sound, but the track holds pictures; leave it out.")
    let isDisparity = track.formatDescriptions.contains { $0.mediaSubType == .disparityHEVC }
    let asked = reader.codes(kCVPixelBufferPixelFormatTypeKey)
    let usable = isDisparity ? DisparityFormat.allCases.map(\.pixelFormat) : PixelConverter.usableFormats
    pixelFormat = Self.choose(asked, from: usable, isDisparity: isDisparity)
    if asked != nil, pixelFormat == nil {
      let names = usable.map(fourCharacterString).joined(separator: ", ")
      let given = (asked ?? []).map(fourCharacterString).joined(separator: ", ")
      reader.note(
        "\(kCVPixelBufferPixelFormatTypeKey) asks the output of track \(track.trackID) for \(given), which it cannot make; use one of \(names)."
      )
    }
    let width = reader.integer(kCVPixelBufferWidthKey, in: 1...Self.longestSide)
    let height = reader.integer(kCVPixelBufferHeightKey, in: 1...Self.longestSide)
    size = Self.size(width, height, &reader)
    if size != nil, isDisparity || pixelFormat.map(Self.unscalable.contains) ?? false {
      reader.refuse(kCVPixelBufferWidthKey, "cannot be used: pictures of this pixel format are not scaled")
    }
    reader.ignore(
      kCVPixelBufferIOSurfacePropertiesKey, kCVPixelBufferMetalCompatibilityKey, kCVPixelBufferMemoryAllocatorKey,
      kCVPixelBufferCGImageCompatibilityKey, kCVPixelBufferCGBitmapContextCompatibilityKey,
      kCVPixelBufferBytesPerRowAlignmentKey, kCVPixelBufferPlaneAlignmentKey, AVVideoAllowWideColorKey)
    if settings.isEmpty {
      reader.note(
        "The settings of the output of track \(track.trackID) are empty; name \(kCVPixelBufferPixelFormatTypeKey), or give nil for stored samples."
      )
    }
    try reader.finish()
  }

  private static func choose(_ asked: [OSType]?, from usable: [OSType], isDisparity: Bool) -> OSType? {
    guard let asked else { return isDisparity ? DisparityFormat.half.pixelFormat : nil }
    return asked.first(where: usable.contains)
  }

  private static func size(_ width: Int?, _ height: Int?, _ reader: inout SettingsReader) -> CMVideoDimensions? {
    if let width, let height { return CMVideoDimensions(width: Int32(width), height: Int32(height)) }
    guard width != nil || height != nil else { return nil }
    reader.note("The settings must name both \(kCVPixelBufferWidthKey) and \(kCVPixelBufferHeightKey), or neither.")
    return nil
  }
}

/// How the disparities of a `dish` track are given.
enum DisparityFormat: CaseIterable {
  /// Linear, half precision.
  case half
  /// Linear, single precision.
  case float
  /// The 10-bit codes as they are stored.
  case code

  var pixelFormat: OSType {
    switch self {
    case .half: kCVPixelFormatType_DisparityFloat16
    case .float: kCVPixelFormatType_DisparityFloat32
    case .code: kCVPixelFormatType_OneComponent10
    }
  }
}
