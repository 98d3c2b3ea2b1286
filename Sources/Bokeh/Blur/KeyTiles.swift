/// What the keys of a frame have in common in tiles of 16 x 8 pixels: most tiles show one surface, all of whose samples one
/// resolution draws.
struct KeyTiles {
  /// One tile's keys.
  struct Tile: BitwiseCopyable {
    /// The smallest and largest radius index.
    var least = UInt32.max
    var most: UInt32 = 0
    /// A bit for each bin.
    var bins: UInt32 = 0
    /// Whether some pixels are more than their keys say.
    var isMixed = false

    var isOneBin: Bool { bins & (bins &- 1) == 0 }
  }

  static let width = 16
  static let height = 8

  private let tiles: Plane<Tile>

  /// - Parameter detail: what is known at full resolution of a frame at half.
  init(_ keys: Plane<DepthKey>, detail: PreviewFrame?, memory: Storage<Tile>, workers: Workers) {
    let tiles = memory.plane(
      (keys.width + KeyTiles.width - 1) / KeyTiles.width, (keys.height + KeyTiles.height - 1) / KeyTiles.height)
    self.tiles = tiles
    workers.rows(tiles.height, chunk: 1) { _, tileRows in
      for tileRow in tileRows {
        let out = tiles.row(tileRow)
        out.update(repeating: Tile(), count: tiles.width)
        let first = tileRow &* KeyTiles.height
        for y in first..<min(first &+ KeyTiles.height, keys.height) {
          let marks = detail?.marks.plane.row(y)
          for tile in 0..<tiles.width {
            let left = tile &* KeyTiles.width
            KeyTiles.add(keys.row(y), marks, left..<min(left &+ KeyTiles.width, keys.width), to: &out[tile])
          }
        }
      }
    }
  }

  @inline(__always)
  private static func add(
    _ keys: UnsafeMutablePointer<DepthKey>, _ marks: UnsafeMutablePointer<UInt8>?, _ columns: Range<Int>,
    to tile: inout Tile
  ) {
    for x in columns {
      let key = keys[x]
      tile.least = min(tile.least, key.index)
      tile.most = max(tile.most, key.index)
      tile.bins |= 1 &<< key.bin
      if key.isSplit { tile.isMixed = true }
    }
    guard let marks else { return }
    var all: UInt8 = 0
    for x in columns { all |= marks[x] }
    if all & DetailMarks.drawn != 0 { tile.isMixed = true }
  }

  /// The tiles of row `y` of pixels.
  @inline(__always)
  func row(_ y: Int) -> UnsafeMutablePointer<Tile> { tiles.row(y / KeyTiles.height) }
}
