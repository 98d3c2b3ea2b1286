package import Foundation

/// One piece of metadata of a movie or a track.
package struct MovieMetadataItem: Hashable, Sendable {
  /// Where it is kept.
  package enum Space: Hashable, Sendable {
    /// `meta` with reverse-DNS keys.
    case quickTimeMetadata
    /// `meta` with four-character keys, as music files have.
    case iTunesMetadata
    /// `udta`.
    case userData
  }

  /// The data types this module knows by name; files may hold any number.
  package enum DataType {
    package static let raw: UInt32 = 0
    package static let utf8: UInt32 = 1
    package static let utf16: UInt32 = 2
    package static let jpeg: UInt32 = 13
    package static let png: UInt32 = 14
    package static let signedInteger: UInt32 = 21
    package static let unsignedInteger: UInt32 = 22
    package static let float32: UInt32 = 23
    package static let float64: UInt32 = 24
    package static let int8: UInt32 = 65
    package static let int16: UInt32 = 66
    package static let int32: UInt32 = 67
    package static let int64: UInt32 = 74
    package static let uint8: UInt32 = 75
    package static let uint16: UInt32 = 76
    package static let uint32: UInt32 = 77
    package static let uint64: UInt32 = 78
  }

  package var space: Space
  /// The namespace of a reverse-DNS key, nearly always `mdta`.
  package var namespace: FourCC = "mdta"
  /// `com.apple.quicktime.creationdate`, or the four characters of the atom, such as `©xyz`.
  package var key: String
  package var dataType: UInt32
  /// `meta`: country in the high and language in the low 16 bits, 0 for all. `udta`: the language of a text.
  package var locale: UInt32
  /// The value as stored, without sizes and types. Text of user data is turned into UTF-8.
  package var value: Data

  package init(space: Space = .quickTimeMetadata, key: String, dataType: UInt32, locale: UInt32 = 0, value: Data) {
    self.space = space
    self.key = key
    self.dataType = dataType
    self.locale = locale
    self.value = value
  }

  /// A text.
  package init(space: Space = .quickTimeMetadata, key: String, _ text: String) {
    let locale = space == .userData ? UInt32(LanguageCode.undetermined) : 0
    self.init(space: space, key: key, dataType: DataType.utf8, locale: locale, value: Data(text.utf8))
  }

  /// Nil unless the value is text.
  package var string: String? {
    switch dataType {
    case DataType.utf8: String(data: value, encoding: .utf8)
    case DataType.utf16: String(data: value, encoding: .utf16BigEndian)
    default: nil
    }
  }

  /// Nil unless the value is a whole number of at most 64 bits.
  package var integer: Int64? {
    guard (1...8).contains(value.count) else { return nil }
    let bits = value.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let unused = UInt64(64 - value.count * 8)
    switch dataType {
    case DataType.signedInteger, DataType.int8, DataType.int16, DataType.int32, DataType.int64:
      return Int64(bitPattern: bits << unused) >> Int64(unused)
    case DataType.unsignedInteger, DataType.uint8, DataType.uint16, DataType.uint32, DataType.uint64:
      return Int64(exactly: bits)
    default:
      return nil
    }
  }

  /// Nil unless the value is a number.
  package var number: Double? {
    var reader = ByteReader(value)
    switch dataType {
    case DataType.float32: return (try? reader.f32()).map(Double.init)
    case DataType.float64: return try? reader.f64()
    default: return integer.map(Double.init)
    }
  }
}
