/// Small letters for labels in a picture: five columns by seven rows, of our own drawing.
enum DigitFont {
  static let columns = 5
  static let rows = 7

  /// The rows of a letter from the top, bit 4 the leftmost column; nil for a letter that the font lacks.
  static func rows(of letter: Character) -> [UInt8]? { glyphs[letter] }

  /// Columns that a text takes, with one free column between letters.
  static func width(of text: String) -> Int { max(0, text.count * (columns + 1) - 1) }

  /// Marks between digits, which need the middle columns only where letters may differ in width.
  static func isNarrow(_ letter: Character) -> Bool { ":;.".contains(letter) }

  private static let glyphs: [Character: [UInt8]] = [
    " ": [0, 0, 0, 0, 0, 0, 0],
    "0": [0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110],
    "1": [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
    "2": [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
    "3": [0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110],
    "4": [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
    "5": [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
    "6": [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
    "7": [0b11111, 0b00001, 0b00010, 0b00010, 0b00100, 0b00100, 0b00100],
    "8": [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
    "9": [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
    ":": [0b00000, 0b00100, 0b00100, 0b00000, 0b00100, 0b00100, 0b00000],
    ";": [0b00000, 0b00100, 0b00100, 0b00000, 0b00100, 0b00100, 0b01000],
    ".": [0b00000, 0b00000, 0b00000, 0b00000, 0b00000, 0b00110, 0b00110],
    "g": [0b00000, 0b01111, 0b10001, 0b10001, 0b01111, 0b00001, 0b01110],
    "#": [0b00000, 0b01010, 0b11111, 0b01010, 0b11111, 0b01010, 0b00000],
    "-": [0b00000, 0b00000, 0b00000, 0b01110, 0b00000, 0b00000, 0b00000],
  ]
}
