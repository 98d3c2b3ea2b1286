/// Rows of cells under each other, each column as wide as its widest cell.
struct TextTable {
  enum Alignment {
    case left, right
  }

  private let alignments: [Alignment]
  private var rows: [[String]] = []

  /// Columns beyond the given ones are aligned to the left.
  init(_ alignments: [Alignment] = []) { self.alignments = alignments }

  mutating func add(_ row: [String]) { rows.append(row) }

  /// The lines, indented by two spaces, two spaces between columns, none at the ends.
  var lines: [String] {
    var widths: [Int] = []
    for row in rows {
      for (column, cell) in row.enumerated() {
        if column == widths.count { widths.append(0) }
        widths[column] = max(widths[column], cell.count)
      }
    }
    return rows.map { row in
      let cells = zip(row, widths).enumerated().filter { $0.element.1 > 0 }.map { column, cell in
        padded(cell.0, cell.1, column < alignments.count ? alignments[column] : .left)
      }
      var line = "  " + cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  private func padded(_ cell: String, _ width: Int, _ alignment: Alignment) -> String {
    let blanks = String(repeating: " ", count: width - cell.count)
    return alignment == .left ? cell + blanks : blanks + cell
  }
}
