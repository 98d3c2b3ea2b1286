/// A line of digits on a contact sheet, with marks as narrow as they are.
struct SheetLabel {
  /// The dots that are drawn, a column and a row each.
  let dots: [(column: Int, row: Int)]
  /// Columns from the first dot to the last.
  let width: Int

  private static let narrowColumns = 1...3

  init(_ text: String) {
    var dots: [(column: Int, row: Int)] = [], left = 0
    for letter in text {
      let columns = DigitFont.isNarrow(letter) ? Self.narrowColumns : 0...DigitFont.columns - 1
      for (row, bits) in (DigitFont.rows(of: letter) ?? []).enumerated() {
        for column in columns where bits & (0b10000 >> column) != 0 {
          dots.append((left + column - columns.lowerBound, row))
        }
      }
      left += columns.count + 1
    }
    self.dots = dots
    width = max(0, left - 1)
  }
}
