import Foundation

/// Where tiles and labels lie on a contact sheet, in pixels from the top left.
///
///     margin [tile] gap [tile] gap [tile] margin
///              label      label      label
struct SheetLayout: Sendable, Equatable {
  let columns: Int
  let rows: Int
  let tile: (width: Int, height: Int)
  /// Pixels of a dot of the labels.
  let textScale: Int
  let gap: Int
  let margin: Int

  /// The longest side of a sheet, that of a picture file that is read.
  static let longestSide = 32_768
  /// The most pixels of a sheet.
  static let mostPixels = 1 << 26

  /// - Parameter columns: nil chooses so that the sheet is about 8:5, labels and all.
  init(count: Int, tile: (width: Int, height: Int), columns: Int?) {
    self.tile = tile
    self.columns = max(1, min(count, columns ?? Self.columns(for: count, tile)))
    rows = (count + self.columns - 1) / self.columns
    textScale = max(1, (tile.width + 80) / 200)
    gap = max(6, tile.width / 20)
    margin = 2 * gap
  }

  /// About so many that the sheet is 8:5, with few places left empty in its last row.
  private static func columns(for count: Int, _ tile: (width: Int, height: Int)) -> Int {
    let balanced = (Double(count) * 1.9 * Double(tile.height) / Double(tile.width)).squareRoot()
    let choices = max(1, Int(balanced) - 1)...max(1, Int(balanced.rounded(.up)) + 1)
    func cost(_ columns: Int) -> Double {
      let empty = (columns - count % columns) % columns
      return 2 * Double(empty) / Double(columns) + 1.5 * abs(log(Double(columns) / balanced))
    }
    return choices.min { cost($0) < cost($1) } ?? 1
  }

  /// From the lower edge of a tile to the label, and to the tile below.
  private var labelGap: Int { max(4, gap / 2) }
  private var pitch: Int { tile.height + labelGap + DigitFont.rows * textScale + gap + labelGap }

  var width: Int { 2 * margin + columns * tile.width + (columns - 1) * gap }
  var height: Int { 2 * margin + rows * pitch - gap - labelGap }

  var isTooLarge: Bool { max(width, height) > Self.longestSide || width * height > Self.mostPixels }

  func tilePlace(_ index: Int) -> (x: Int, y: Int) {
    (margin + index % columns * (tile.width + gap), margin + index / columns * pitch)
  }

  /// Where a label begins that is centred below its tile.
  func labelPlace(_ index: Int, _ label: SheetLabel) -> (x: Int, y: Int) {
    let place = tilePlace(index)
    return (place.x + (tile.width - label.width * textScale) / 2, place.y + tile.height + labelGap)
  }

  static func == (one: SheetLayout, other: SheetLayout) -> Bool {
    (one.columns, one.rows, one.tile.width, one.tile.height, one.textScale, one.gap)
      == (other.columns, other.rows, other.tile.width, other.tile.height, other.textScale, other.gap)
  }
}
