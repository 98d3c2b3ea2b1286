import Codecs
import CoreMedia
import CoreVideo
import ProRes

/// What a decode did, and what was wrong with the frames.
struct DecodeReport: Sendable {
  /// A damaged frame.
  struct Entry: Sendable {
    let index: Int
    let time: CMTime
    let damage: FrameDamage
  }

  /// The damaged frames that are listed one by one; more are only counted.
  static let mostListed = 1000

  let format: String
  let container: DecodeOptions.Container
  let first: Int
  private(set) var frames = 0
  private(set) var damaged: [Entry] = []
  private(set) var damagedCount = 0
  private(set) var damagedSlices = 0
  private(set) var lostCount = 0
  var size = (width: 0, height: 0)
  var account = DecodingAccount()
  var notes: [String] = []

  init(format: String, container: DecodeOptions.Container, first: Int) {
    (self.format, self.container, self.first) = (format, container, first)
  }

  mutating func add(_ frame: ShownFrame) {
    frames += 1
    guard let damage = frame.damage else { return }
    damagedCount += 1
    switch damage {
    case .slices(let slices): damagedSlices += slices.count
    case .whole: lostCount += 1
    }
    if damaged.count < Self.mostListed {
      damaged.append(Entry(index: frame.index, time: frame.time, damage: damage))
    }
  }
}

// MARK: - For people
extension DecodeReport.Entry {
  /// `frame #12 (0:00.480): slices 3, 7-9 of columns 0-127 and rows 16-31 are damaged`
  var sentence: String {
    let place = "frame #\(index) (\(time.clockText))"
    switch damage {
    case .whole(let reason): return "\(place) cannot be decoded: \(reason)"
    case .slices(let slices):
      let columns = slices.map(\.columns).covering, rows = slices.map(\.rows).covering
      let numbers = slices.map(\.slice)
      return "\(place): \(numbers.count == 1 ? "slice" : "slices") \(numbers.runs) in columns \(columns.lowerBound)-"
        + "\(columns.upperBound - 1), rows \(rows.lowerBound)-\(rows.upperBound - 1) \(numbers.count == 1 ? "is" : "are") damaged"
    }
  }
}

extension [Range<Int>] {
  fileprivate var covering: Range<Int> {
    (map(\.lowerBound).min() ?? 0)..<(map(\.upperBound).max() ?? 1)
  }
}

extension [Int] {
  /// Rising numbers, runs of them joined: `3, 7-9`.
  fileprivate var runs: String {
    var found: [ClosedRange<Int>] = []
    for number in self {
      if let last = found.last, number == last.upperBound + 1 {
        found[found.count - 1] = last.lowerBound...number
      } else {
        found.append(number...number)
      }
    }
    let texts = found.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
    // A sentence has its limits; the JSON names all.
    return texts.prefix(20).joined(separator: ", ") + (texts.count > 20 ? "…" : "")
  }
}

extension DecodeReport {
  /// What a user should know, a sentence each.
  var remarks: [String] {
    var lines = notes + account.warnings + account.colorConflicts.map(\.description)
    lines += damaged.prefix(10).map(\.sentence)
    if damagedCount > min(10, damaged.count) {
      lines.append("\(damagedCount) of \(frames) frames are damaged in all; --json lists them")
    }
    return lines
  }
}

// MARK: - For programs
extension DecodeReport {
  /// - Parameter failure: what ended the work before its end.
  func json(output: String, failure: Failure? = nil) -> JSON {
    .object(
      (failure.map { [("error", $0.json)] } ?? []) + [
        ("output", .string(output)), ("container", .string(container.rawValue)), ("format", .string(format)),
        ("width", .integer(size.width)), ("height", .integer(size.height)), ("first_frame", .integer(first)),
        ("frames", .integer(frames)), ("decoders", .array(account.entries.map(Self.json))),
        ("color_conflicts", .array(account.colorConflicts.map { .string($0.description) })),
        ("damage", damageJSON), ("notes", .array((notes + account.warnings).map(JSON.string))),
      ])
  }

  private static func json(_ entry: (entry: DecodingAccount.Entry, frames: Int)) -> JSON {
    .object([
      ("name", .string(entry.entry.decoder)), ("hardware", .bool(entry.entry.isHardware)),
      ("frames", .integer(entry.frames)), ("conversions", .array(entry.entry.conversions.map(\.json))),
    ])
  }

  private var damageJSON: JSON {
    .object([
      ("frames", .integer(damagedCount)), ("slices", .integer(damagedSlices)), ("lost_frames", .integer(lostCount)),
      ("listed", .array(damaged.map(\.json))),
    ])
  }
}

extension DecodingAccount.Conversion {
  var json: JSON { .object([("from", .string(from)), ("to", .string(to)), ("why", .string(why))]) }
}

extension DecodeReport.Entry {
  var json: JSON {
    var members: [(String, JSON)] = [("frame", .integer(index)), ("time", .time(time))]
    switch damage {
    case .whole(let reason): members.append(("reason", .string(reason)))
    case .slices(let slices): members.append(("slices", .array(slices.map(Self.json))))
    }
    return .object(members)
  }

  /// Half-open ranges of pixels; of a field every other row.
  private static func json(_ slice: ProResReport.Damage) -> JSON {
    .object([
      ("slice", .integer(slice.slice)),
      ("columns", .array([.integer(slice.columns.lowerBound), .integer(slice.columns.upperBound)])),
      ("rows", .array([.integer(slice.rows.lowerBound), .integer(slice.rows.upperBound)])),
      ("row_step", .integer(slice.rowStep)),
    ])
  }
}
