internal import Foundation

/// Dates in metadata: ISO 8601 with or without a colon in the zone, fractions of a second, a time, or a zone.
enum MetadataDate {
  /// The date in `text`; without a zone it is taken as UTC. Nil if it is not a date.
  static func parse(_ text: String) -> Date? {
    let text = text.trimmingCharacters(in: .whitespaces)
    return formats.lazy.compactMap { formatter($0).date(from: text) }.first
  }

  private static let formats = [
    "yyyy-MM-dd'T'HH:mm:ssZ", "yyyy-MM-dd'T'HH:mm:ssXXXXX", "yyyy-MM-dd'T'HH:mm:ss.SSSZ",
    "yyyy-MM-dd'T'HH:mm:ss.SSSXXXXX", "yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd", "yyyy",
  ]

  private static func formatter(_ format: String) -> DateFormatter {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.isLenient = false
    formatter.dateFormat = format
    return formatter
  }
}
