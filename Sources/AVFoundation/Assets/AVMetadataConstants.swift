/// The kind of key that an item of metadata has; the raw value begins its identifier.
public struct AVMetadataKeySpace: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Keys that mean the same in every format.
  public static let common = AVMetadataKeySpace(rawValue: "comn")
  /// Reverse-DNS keys.
  public static let quickTimeMetadata = AVMetadataKeySpace(rawValue: "mdta")
  /// Four-character keys of user data.
  public static let quickTimeUserData = AVMetadataKeySpace(rawValue: "udta")
  public static let isoUserData = AVMetadataKeySpace(rawValue: "uiso")
  public static let iTunes = AVMetadataKeySpace(rawValue: "itsk")
}

/// A key within its key space.
public struct AVMetadataKey: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let commonKeyTitle = AVMetadataKey(rawValue: "title")
  public static let commonKeyCreator = AVMetadataKey(rawValue: "creator")
  public static let commonKeyDescription = AVMetadataKey(rawValue: "description")
  public static let commonKeyCreationDate = AVMetadataKey(rawValue: "creationDate")
  public static let commonKeyLocation = AVMetadataKey(rawValue: "location")
  public static let commonKeyMake = AVMetadataKey(rawValue: "make")
  public static let commonKeyModel = AVMetadataKey(rawValue: "model")
  public static let commonKeySoftware = AVMetadataKey(rawValue: "software")
  public static let commonKeyAuthor = AVMetadataKey(rawValue: "author")
  public static let commonKeyArtist = AVMetadataKey(rawValue: "artist")
  public static let commonKeyCopyrights = AVMetadataKey(rawValue: "copyrights")
  public static let commonKeyArtwork = AVMetadataKey(rawValue: "artwork")
}

/// The format of a container of metadata.
public struct AVMetadataFormat: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let quickTimeMetadata = AVMetadataFormat(rawValue: "com.apple.quicktime.mdta")
  public static let quickTimeUserData = AVMetadataFormat(rawValue: "com.apple.quicktime.udta")
  public static let iTunesMetadata = AVMetadataFormat(rawValue: "com.apple.itunes")

  /// The format whose items have keys of the key space.
  init?(keySpace: AVMetadataKeySpace) {
    switch keySpace {
    case .quickTimeMetadata: self = .quickTimeMetadata
    case .quickTimeUserData, .isoUserData: self = .quickTimeUserData
    case .iTunes: self = .iTunesMetadata
    default: return nil
    }
  }
}

/// Key space and key of an item in one string, as in `mdta/com.apple.quicktime.make`.
///
/// Bytes of a user data key that are not ASCII are escaped with a percent sign: `udta/%A9xyz`.
public struct AVMetadataIdentifier: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let commonIdentifierTitle = common(.commonKeyTitle)
  public static let commonIdentifierCreator = common(.commonKeyCreator)
  public static let commonIdentifierDescription = common(.commonKeyDescription)
  public static let commonIdentifierCreationDate = common(.commonKeyCreationDate)
  public static let commonIdentifierLocation = common(.commonKeyLocation)
  public static let commonIdentifierMake = common(.commonKeyMake)
  public static let commonIdentifierModel = common(.commonKeyModel)
  public static let commonIdentifierSoftware = common(.commonKeySoftware)
  public static let commonIdentifierAuthor = common(.commonKeyAuthor)
  public static let commonIdentifierArtist = common(.commonKeyArtist)
  public static let commonIdentifierCopyrights = common(.commonKeyCopyrights)
  public static let commonIdentifierArtwork = common(.commonKeyArtwork)

  public static let quickTimeMetadataTitle = quickTime("title")
  public static let quickTimeMetadataDisplayName = quickTime("displayname")
  public static let quickTimeMetadataDescription = quickTime("description")
  public static let quickTimeMetadataComment = quickTime("comment")
  public static let quickTimeMetadataCreationDate = quickTime("creationdate")
  public static let quickTimeMetadataLocationISO6709 = quickTime("location.ISO6709")
  public static let quickTimeMetadataMake = quickTime("make")
  public static let quickTimeMetadataModel = quickTime("model")
  public static let quickTimeMetadataSoftware = quickTime("software")
  public static let quickTimeMetadataAuthor = quickTime("author")
  public static let quickTimeMetadataArtist = quickTime("artist")
  public static let quickTimeMetadataCopyright = quickTime("copyright")
  public static let quickTimeMetadataArtwork = quickTime("artwork")
  public static let quickTimeMetadataContentIdentifier = quickTime("content.identifier")
  public static let quickTimeMetadataVideoOrientation = quickTime("video-orientation")
  public static let quickTimeMetadataDetectedFace = quickTime("detected-face")
  public static let quickTimeUserDataLocationISO6709 = AVMetadataIdentifier(rawValue: "udta/%A9xyz")

  private static func common(_ key: AVMetadataKey) -> AVMetadataIdentifier {
    AVMetadataIdentifier(key: key.rawValue, keySpace: .common)
  }

  private static func quickTime(_ key: String) -> AVMetadataIdentifier {
    AVMetadataIdentifier(key: "com.apple.quicktime." + key, keySpace: .quickTimeMetadata)
  }
}

extension AVMetadataIdentifier {
  /// The identifier of a key, whose bytes outside printable ASCII are escaped.
  package init(key: String, keySpace: AVMetadataKeySpace) {
    var text = keySpace.rawValue + "/"
    for scalar in key.unicodeScalars {
      let plain = (0x20..<0x7F).contains(scalar.value) && scalar != "%"
      text += plain || scalar.value > 0xFF ? String(scalar) : "%" + Self.hexadecimal(scalar.value)
    }
    rawValue = text
  }

  /// The part before the first slash.
  package var keySpace: AVMetadataKeySpace? {
    guard let slash = rawValue.firstIndex(of: "/") else { return nil }
    return AVMetadataKeySpace(rawValue: String(rawValue[..<slash]))
  }

  /// The part after the first slash, escapes undone.
  package var key: String? {
    guard let slash = rawValue.firstIndex(of: "/") else { return nil }
    var scalars = Array(rawValue[rawValue.index(after: slash)...].unicodeScalars)[...]
    var key = String.UnicodeScalarView()
    while let scalar = scalars.popFirst() {
      guard scalar == "%", let escaped = Self.byte(scalars.prefix(2)) else {
        key.append(scalar)
        continue
      }
      key.append(escaped)
      scalars = scalars.dropFirst(2)
    }
    return String(key)
  }

  private static func byte(_ digits: ArraySlice<Unicode.Scalar>) -> Unicode.Scalar? {
    guard digits.count == 2, digits.allSatisfy(\.properties.isASCIIHexDigit) else { return nil }
    let text = String(String.UnicodeScalarView(digits))
    return UInt8(text, radix: 16).map { Unicode.Scalar($0) }
  }

  private static func hexadecimal(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    return digits.count == 1 ? "0" + digits : digits
  }
}

extension AVMetadataIdentifier {
  /// The key that means the same in every format, for the keys of phones and cameras.
  package var commonKey: AVMetadataKey? {
    if keySpace == .common { return key.map(AVMetadataKey.init(rawValue:)) }
    return Self.commonKeys[rawValue]
  }

  /// Where QuickTime metadata keeps a common key.
  package static func quickTimeIdentifier(forCommonKey key: String) -> AVMetadataIdentifier? {
    let candidates = commonKeys.filter { $0.value.rawValue == key && $0.key.hasPrefix("mdta/") }.keys
    return candidates.max().map(AVMetadataIdentifier.init(rawValue:))
  }

  private static let commonKeys: [String: AVMetadataKey] = [
    "mdta/com.apple.quicktime.title": .commonKeyTitle,
    "mdta/com.apple.quicktime.displayname": .commonKeyTitle,
    "mdta/com.apple.quicktime.description": .commonKeyDescription,
    "mdta/com.apple.quicktime.creationdate": .commonKeyCreationDate,
    "mdta/com.apple.quicktime.location.ISO6709": .commonKeyLocation,
    "mdta/com.apple.quicktime.make": .commonKeyMake,
    "mdta/com.apple.quicktime.model": .commonKeyModel,
    "mdta/com.apple.quicktime.software": .commonKeySoftware,
    "mdta/com.apple.quicktime.author": .commonKeyAuthor,
    "mdta/com.apple.quicktime.artist": .commonKeyArtist,
    "mdta/com.apple.quicktime.copyright": .commonKeyCopyrights,
    "mdta/com.apple.quicktime.artwork": .commonKeyArtwork,
    "udta/%A9nam": .commonKeyTitle,
    "udta/%A9day": .commonKeyCreationDate,
    "udta/%A9xyz": .commonKeyLocation,
    "udta/%A9mak": .commonKeyMake,
    "udta/%A9mod": .commonKeyModel,
    "udta/%A9swr": .commonKeySoftware,
    "udta/%A9cpy": .commonKeyCopyrights,
  ]
}
