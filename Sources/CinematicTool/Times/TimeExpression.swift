/// A time as people write it: `12.5`, `0:12.5`, `1:02:03.25` or `#375`.
///
/// Decimals stay exact: `12.5` is 125/10 of a second.
package enum TimeExpression: Equatable, Sendable {
  /// `value / timescale` seconds from the start of the movie.
  case seconds(value: Int64, timescale: Int32)
  /// The shown frame of this index, the first being 0.
  case frame(Int)

  static let forms = "seconds (12.5), m:ss.mmm, h:mm:ss.mmm or #frame"

  /// Nil if `text` is none of the forms, or over ten thousand hours.
  package init?(_ text: String) {
    if text.hasPrefix("#") {
      guard let index = Self.digits(text.dropFirst()), index <= Int32.max else { return nil }
      self = .frame(Int(index))
    } else {
      self.init(clock: text)
    }
  }

  private init?(clock text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 3, let last = parts.last, let (seconds, fraction, timescale) = Self.decimal(last) else {
      return nil
    }
    var whole: Int64 = 0
    for (index, part) in (parts.dropLast().map { Self.digits($0) } + [seconds]).enumerated() {
      // Only the leading part may be 60 or more: 90:00 is an hour and a half, 1:75 a slip.
      guard let number = part, index == 0 || number < 60, number <= 36_000_000 else { return nil }
      whole = whole * 60 + number
    }
    guard whole <= 36_000_000 else { return nil }
    self = .seconds(value: whole * Int64(timescale) + fraction, timescale: timescale)
  }

  /// `12.345` as 12, 345 and 1000.
  private static func decimal(_ text: Substring) -> (Int64, Int64, Int32)? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return digits(text).map { ($0, 0, 1) } }
    guard parts[1].count <= 9, !parts[1].isEmpty, let fraction = digits(parts[1]) else { return nil }
    guard let whole = parts[0].isEmpty ? 0 : digits(parts[0]) else { return nil }
    return (whole, fraction, (0..<parts[1].count).reduce(into: Int32(1)) { scale, _ in scale *= 10 })
  }

  private static func digits(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.count <= 12, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    return Int64(text)
  }
}

/// A half-open range of times: `A-B`, `A-` up to the end, or `-B` from the start.
package struct TimeRangeExpression: Equatable, Sendable {
  package var start: TimeExpression?
  package var end: TimeExpression?

  /// Nil if neither side is a time, or a side is none, or the end does not lie after the start.
  package init?(_ text: String) {
    self.init(sidesOf: text)
    guard isAscending else { return nil }
  }

  private init?(sidesOf text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, parts.contains(where: { !$0.isEmpty }) else { return nil }
    start = TimeExpression(parts[0])
    end = TimeExpression(parts[1])
    guard (start == nil) == parts[0].isEmpty, (end == nil) == parts[1].isEmpty else { return nil }
  }

  /// Whether `text` is a range but for its end, which does not lie behind its start.
  package static func isReversed(_ text: String) -> Bool {
    guard let range = Self(sidesOf: text) else { return false }
    return !range.isAscending
  }

  private var isAscending: Bool {
    switch (start, end) {
    case (.frame(let first), .frame(let last)): first < last
    case (.seconds(let a, let scaleA), .seconds(let b, let scaleB)):
      a.multipliedFullWidth(by: Int64(scaleB)) < b.multipliedFullWidth(by: Int64(scaleA))
    default: true
    }
  }
}

/// Compares two 128-bit products as `multipliedFullWidth(by:)` gives them.
private func < (
  _ first: (high: Int64, low: Int64.Magnitude), _ second: (high: Int64, low: Int64.Magnitude)
) -> Bool {
  first.high == second.high ? first.low < second.low : first.high < second.high
}
