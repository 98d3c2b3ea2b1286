/// Boxes and labels to draw over a picture, as runs of pixels in display orientation, the origin at the top left.
///
/// Later runs cover earlier ones.
package struct Overlay: Sendable {
  package enum Color: Sendable {
    case white, yellow, black
  }

  /// The pixels `columns` of a row.
  package struct Run: Equatable, Sendable {
    package var row: Int
    package var columns: Range<Int>
    package var color: Color
  }

  package let width: Int
  package let height: Int
  package private(set) var runs: [Run] = []

  /// An empty overlay for a picture of this size in pixels.
  package init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// The width of a thin line: one pixel in 360 of the shorter side, and at least two.
  package var lineWidth: Int { max(2, (min(width, height) + 180) / 360) }

  /// Covers a rectangle, as far as it lies in the picture.
  package mutating func fill(columns: Range<Int>, rows: Range<Int>, _ color: Color) {
    let columns = columns.clamped(to: 0..<width)
    guard !columns.isEmpty else { return }
    for row in rows.clamped(to: 0..<height) { runs.append(Run(row: row, columns: columns, color: color)) }
  }
}

// MARK: Boxes
extension Overlay {
  /// Draws the outline of a rectangle inside its edges, dashed or solid, with a thin dark rim so that it shows on any
  /// background.
  package mutating func stroke(columns: Range<Int>, rows: Range<Int>, lineWidth: Int, isDashed: Bool, _ color: Color) {
    let rim = max(1, lineWidth / 3)
    for side in Self.sides(columns, rows, lineWidth) {
      for dash in isDashed ? Self.dashes(side, lineWidth) : [side] {
        fill(columns: dash.columns.widened(by: rim), rows: dash.rows.widened(by: rim), .black)
      }
    }
    for side in Self.sides(columns, rows, lineWidth) {
      for dash in isDashed ? Self.dashes(side, lineWidth) : [side] {
        fill(columns: dash.columns, rows: dash.rows, color)
      }
    }
  }

  private typealias Block = (columns: Range<Int>, rows: Range<Int>)

  private static func sides(_ columns: Range<Int>, _ rows: Range<Int>, _ lineWidth: Int) -> [Block] {
    let across = min(lineWidth, columns.count), down = min(lineWidth, rows.count)
    return [
      (columns, rows.lowerBound..<rows.lowerBound + down), (columns, rows.upperBound - down..<rows.upperBound),
      (columns.lowerBound..<columns.lowerBound + across, rows),
      (columns.upperBound - across..<columns.upperBound, rows),
    ]
  }

  /// Cuts a side into an odd number of equal parts and keeps every other one, so that corners are closed.
  private static func dashes(_ side: Block, _ lineWidth: Int) -> [Block] {
    let isHorizontal = side.columns.count >= side.rows.count
    let length = isHorizontal ? side.columns : side.rows
    let parts = max(1, min(99, length.count / max(1, 5 * lineWidth))) | 1
    return stride(from: 0, to: parts, by: 2).map { part in
      let start = length.lowerBound + length.count * part / parts
      let end = length.lowerBound + length.count * (part + 1) / parts
      return isHorizontal ? (start..<end, side.rows) : (side.columns, start..<end)
    }
  }
}

// MARK: Labels
extension Overlay {
  /// Writes digits on a dark plate whose top left corner is at `x`, `y`, moved into the picture where it would stick out.
  package mutating func label(_ text: String, x: Int, y: Int, _ color: Color) {
    let scale = lineWidth + lineWidth / 2
    let plateWidth = (DigitFont.width(of: text) + 4) * scale, plateHeight = (DigitFont.rows + 4) * scale
    let left = max(0, min(x, width - plateWidth)), top = max(0, min(y, height - plateHeight))
    fill(columns: left..<left + plateWidth, rows: top..<top + plateHeight, .black)
    for (position, letter) in text.enumerated() {
      let x = left + (2 + position * (DigitFont.columns + 1)) * scale
      draw(DigitFont.rows(of: letter) ?? [], x: x, y: top + 2 * scale, scale: scale, color)
    }
  }

  private mutating func draw(_ glyph: [UInt8], x: Int, y: Int, scale: Int, _ color: Color) {
    for (row, bits) in glyph.enumerated() {
      for column in 0..<DigitFont.columns where bits & (0b10000 >> column) != 0 {
        let x = x + column * scale, y = y + row * scale
        fill(columns: x..<x + scale, rows: y..<y + scale, color)
      }
    }
  }
}

extension Range<Int> {
  fileprivate func widened(by amount: Int) -> Self { lowerBound - amount..<upperBound + amount }
}
