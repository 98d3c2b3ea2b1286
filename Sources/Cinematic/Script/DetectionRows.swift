/// Which rows of a script's detections belong to an id, for every id, in order of frames.
struct DetectionRows: Sendable {
  struct Row: Hashable, Sendable {
    let frame: Int32
    let row: Int32
  }

  private let ranges: [Int64: Range<Int>]
  private let rows: [Row]
  /// In rising order.
  let ids: [Int64]

  /// `ids` names each row's id; negative ids stand for none.
  init(_ script: RecordedScript, by ids: [Int64]) {
    // Counting sort: the size of each id's range first, then each row to its place.
    var counts: [Int64: Int] = [:]
    for id in ids where id >= 0 { counts[id, default: 0] += 1 }
    let sorted = counts.keys.sorted()
    var ranges: [Int64: Range<Int>] = [:]
    var start = 0
    for id in sorted {
      ranges[id] = start..<start + counts[id]!
      start += counts[id]!
      counts[id] = ranges[id]!.lowerBound
    }
    rows = Self.placed(script, ids, total: start, next: counts)
    self.ranges = ranges
    self.ids = sorted
  }

  private static func placed(_ script: RecordedScript, _ ids: [Int64], total: Int, next: [Int64: Int]) -> [Row] {
    var next = next
    var rows = [Row](repeating: Row(frame: 0, row: 0), count: total)
    for frame in 0..<script.frameCount {
      for row in script.rows(ofFrame: frame) where ids[row] >= 0 {
        let place = next[ids[row]]!
        rows[place] = Row(frame: Int32(frame), row: Int32(row))
        next[ids[row]] = place + 1
      }
    }
    return rows
  }

  func contains(_ id: Int64) -> Bool { ranges[id] != nil }

  /// Empty for an unknown id.
  subscript(id: Int64) -> ArraySlice<Row> { rows[ranges[id] ?? 0..<0] }
}
