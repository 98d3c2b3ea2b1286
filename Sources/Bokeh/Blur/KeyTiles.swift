/// What the keys of a frame have in common in tiles of 16 x 8 pixels: most tiles show one surface, all of whose samples one
/// resolution draws.
struct KeyTiles {
  /// One tile's keys. Where full resolution may draw, they are those of its pixels.
  struct Tile: BitwiseCopyable {
    /// The smallest and largest radius index.
    var least = UInt32.max
    var most: UInt32 = 0
    /// A bit for each bin.
    var bins: UInt32 = 0
    /// Whether some pixels are more than their keys say.
    var isMixed = false

    var isOneBin: Bool { bins & (bins &- 1) == 0 }

    @inline(__always)
    mutating func add(_ key: DepthKey) {
      least = min(least, key.index)
      most = max(most, key.index)
      bins |= 1 &<< key.bin
    }
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
          for tile in 0..<tiles.width {
            let left = tile &* KeyTiles.width
            let columns = left..<min(left &+ KeyTiles.width, keys.width)
            if let detail, detail.marks.has(DetailMarks.drawn, y, columns) {
              KeyTiles.add(detail, y, columns, to: &out[tile])
            } else {
              KeyTiles.add(keys.row(y), columns, to: &out[tile])
            }
          }
        }
      }
    }
  }

  @inline(__always)
  private static func add(_ keys: UnsafeMutablePointer<DepthKey>, _ columns: Range<Int>, to tile: inout Tile) {
    for x in columns {
      tile.add(keys[x])
      if keys[x].isSplit { tile.isMixed = true }
    }
  }

  private static func add(_ detail: PreviewFrame, _ y: Int, _ columns: Range<Int>, to tile: inout Tile) {
    tile.isMixed = true
    let marks = detail.marks.plane.row(y)
    for x in columns {
      if marks[x] & DetailMarks.drawn == 0 {
        tile.add(detail.half.keys[x, y])
      } else {
        for row in detail.rows(y) {
          for column in detail.pixels(x..<x &+ 1) { tile.add(detail.keys[column, row]) }
        }
      }
    }
  }

  /// Calls `body` for each tile of row `y` of the frame's pixels, with its columns where a tile is `step` wide and a row
  /// `width`.
  @inline(__always)
  func forEach(_ y: Int, step: Int, width: Int, _ body: (_ tile: Tile, _ columns: Range<Int>) -> Void) {
    let row = tiles.row(y / KeyTiles.height)
    var (tile, first) = (0, 0)
    while first < width {
      body(row[tile], first..<min(first &+ step, width))
      tile &+= 1
      first &+= step
    }
  }

  /// How many samples a row has at most if each column of a tile has as many as `most` says, and those that are `reach` or
  /// less from a border two mirror images.
  func capacity(_ y: Int, step: Int, width: Int, reach: Int, _ most: (Tile) -> Int) -> Int {
    var capacity = 0
    forEach(y, step: step, width: width) { tile, columns in
      let isInner = columns.lowerBound > reach && columns.upperBound < width &- reach
      capacity &+= columns.count &* most(tile) &* (isInner ? 1 : 3)
    }
    return capacity
  }
}
