/// What kind of media a track holds; the raw value is the four characters of the handler.
public struct AVMediaType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let video = AVMediaType(rawValue: "vide")
  public static let audio = AVMediaType(rawValue: "soun")
  public static let metadata = AVMediaType(rawValue: "meta")
  /// Pictures that go with a video track, such as disparity.
  public static let auxiliaryPicture = AVMediaType(rawValue: "auxv")
  public static let timecode = AVMediaType(rawValue: "tmcd")
  public static let text = AVMediaType(rawValue: "text")
  public static let subtitle = AVMediaType(rawValue: "sbtl")
  public static let closedCaption = AVMediaType(rawValue: "clcp")
  public static let depthData = AVMediaType(rawValue: "dept")
  public static let muxed = AVMediaType(rawValue: "muxx")
  public static let metadataObject = AVMediaType(rawValue: "mobj")
  public static let haptic = AVMediaType(rawValue: "hapt")

  /// Whether tracks of this type hold pictures, which have a size and can be decoded.
  package var holdsPictures: Bool { self == .video || self == .auxiliaryPicture || self == .depthData }
}

/// A property that tracks of several media types may have.
public struct AVMediaCharacteristic: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let visual = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicVisual")
  public static let audible = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicAudible")
  public static let legible = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicLegible")
  public static let frameBased = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicFrameBased")
  public static let containsHDRVideo = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicContainsHDRVideo")
  public static let containsAlphaChannel = AVMediaCharacteristic(rawValue: "AVMediaCharacteristicContainsAlphaChannel")
  public static let usesWideGamutColorSpace =
    AVMediaCharacteristic(rawValue: "AVMediaCharacteristicUsesWideGamutColorSpace")
}

/// The kind of file that a writer makes, by its uniform type identifier.
public struct AVFileType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// QuickTime movie, `.mov`.
  public static let mov = AVFileType(rawValue: "com.apple.quicktime-movie")
  /// MPEG-4 movie, `.mp4`.
  public static let mp4 = AVFileType(rawValue: "public.mpeg-4")
  /// MPEG-4 movie, `.m4v`.
  public static let m4v = AVFileType(rawValue: "com.apple.m4v-video")
  /// MPEG-4 audio, `.m4a`.
  public static let m4a = AVFileType(rawValue: "com.apple.m4a-audio")
}

extension AVAssetTrack {
  /// How one track belongs to another; the raw value is the four characters of the track reference.
  public struct AssociationType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// From a metadata track to the track that it describes.
    public static let metadataReferent = AssociationType(rawValue: "cdsc")
    /// From a track to its time code.
    public static let timecode = AssociationType(rawValue: "tmcd")
    public static let audioFallback = AssociationType(rawValue: "fall")
    public static let chapterList = AssociationType(rawValue: "chap")
    public static let forcedSubtitlesOnly = AssociationType(rawValue: "forc")
    public static let selectionFollower = AssociationType(rawValue: "folw")
    /// From an auxiliary picture track, such as disparity, to its video.
    public static let auxiliary = AssociationType(rawValue: "auxl")
  }
}
