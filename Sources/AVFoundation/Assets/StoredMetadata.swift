internal import CoreGeometry
internal import CoreMedia
internal import Foundation
internal import QuickTime

extension MovieMatrix {
  /// The matrix without its third column, which no movie uses.
  var transform: CGAffineTransform { CGAffineTransform(a: a, b: b, c: c, d: d, tx: x, ty: y) }

  init(_ transform: CGAffineTransform) {
    self.init(a: transform.a, b: transform.b, c: transform.c, d: transform.d, x: transform.tx, y: transform.ty)
  }
}

extension AVMetadataItem {
  /// An item of a movie's or a track's metadata.
  convenience init(stored item: MovieMetadataItem) {
    var content = Content()
    let keySpace: AVMetadataKeySpace =
      switch item.space {
      case .quickTimeMetadata: AVMetadataKeySpace(rawValue: item.namespace.description)
      case .iTunesMetadata: .iTunes
      case .userData: .quickTimeUserData
      }
    content.identifier = AVMetadataIdentifier(key: item.key, keySpace: keySpace)
    content.dataType = MetadataValue.name(of: item.dataType)
    content.value = MetadataValue.decode(item.value, type: item.dataType)
    content.storedBytes = item.value
    content.storedLocale = item.locale
    self.init(content)
  }

  /// What the item is stored as: its bytes and the number of their type. Nil for an item without a value that can be stored.
  var encoded: (bytes: Data, type: UInt32)? {
    let named = dataType.flatMap(MetadataValue.number(ofName:))
    if let stored = content.storedBytes { return (stored, named ?? MetadataValue.raw) }
    guard let value else { return nil }
    let type = named ?? MetadataValue.naturalType(of: value)
    return MetadataValue.encode(value, type: type).map { ($0, type) }
  }

  /// The item as a container stores it. Throws `AVError` naming the item if it cannot be stored.
  func movieItem() throws -> MovieMetadataItem {
    guard let identifier, let key = identifier.key, let keySpace = identifier.keySpace else {
      throw AVError(
        .unsupportedOutputSettings, "An item of metadata has no identifier such as mdta/com.apple.quicktime.make.")
    }
    guard let encoded else {
      throw AVError(
        .unsupportedOutputSettings,
        "The item of metadata \(identifier.rawValue) has no value that its data type \(dataType ?? "none") can hold.")
    }
    let (space, name) = try Self.place(keySpace, key, identifier)
    return MovieMetadataItem(
      space: space, key: name, dataType: encoded.type, locale: content.storedLocale ?? Self.locale(space),
      value: encoded.bytes)
  }

  private static func locale(_ space: MovieMetadataItem.Space) -> UInt32 {
    space == .userData ? UInt32(LanguageCode.undetermined) : 0
  }

  /// Where a movie keeps items of a key space; common keys become QuickTime's.
  private static func place(
    _ keySpace: AVMetadataKeySpace, _ key: String, _ identifier: AVMetadataIdentifier
  ) throws -> (MovieMetadataItem.Space, String) {
    switch keySpace {
    case .quickTimeMetadata: return (.quickTimeMetadata, key)
    case .quickTimeUserData, .isoUserData: return (.userData, key)
    case .iTunes: return (.iTunesMetadata, key)
    case .common:
      if let stored = AVMetadataIdentifier.quickTimeIdentifier(forCommonKey: key)?.key {
        return (.quickTimeMetadata, stored)
      }
    default: break
    }
    throw AVError(
      .unsupportedOutputSettings,
      "The item of metadata \(identifier.rawValue) has a key space that a movie cannot hold; use mdta, udta or comn.")
  }
}
