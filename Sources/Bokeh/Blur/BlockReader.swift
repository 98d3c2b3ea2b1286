/// Makes samples of blocks of pixels, of those radii that belong to one resolution.
struct BlockReader {
  private let frame: Frame
  private let tiles: KeyTiles
  private let detail: PreviewFrame?
  /// The marks of `detail`, row by row.
  private let marks: UnsafeMutablePointer<UInt8>?
  /// The pixels of the frame in each direction for one of the resolution.
  private let size: Int
  let width: Int
  let height: Int
  private let level: Int
  private let radii: ReducedRadii
  private let resolutions: Resolutions
  private let indices: ClosedRange<UInt32>
  /// Those of which no other resolution draws a share.
  private let ownIndices: Range<UInt32>

  init(frame: Frame, tiles: KeyTiles, detail: PreviewFrame?, level: Int, resolutions: Resolutions) {
    self.frame = frame
    self.tiles = tiles
    self.detail = detail
    marks = detail?.marks.plane.base
    self.level = level
    self.resolutions = resolutions
    radii = .level(level)
    indices = resolutions.indices(level)
    ownIndices = resolutions.ownIndices(level)
    let halvings = level - resolutions.finest
    size = 1 << halvings
    width = (frame.width + size - 1) >> halvings
    height = (frame.height + size - 1) >> halvings
  }

  /// How many samples row `y` has at most.
  func capacity(_ y: Int, _ shape: DiscShape?) -> Int {
    guard isTiled else { return 3 &* width &* Effort.maximumBins }
    let reach = shape.reach(min(resolutions.reducedLimit, UInt32(DiscTable.maximumRadius * DiscTable.stepsPerPixel)))
    return tiles.capacity(y &* size, step: KeyTiles.width / size, width: width, reach: reach &+ 1) { tile in
      guard isDrawn(tile) else { return 0 }
      return min(tile.bins.nonzeroBitCount, size &* size &* (tile.isMixed ? 4 : 1))
    }
  }

  /// Writes the samples of row `y`: for each block of pixels and each bin the mean of the block's pixels in that bin.
  func write(_ y: Int, to sink: inout SampleSink) {
    withUnsafeTemporaryAllocation(of: BinMean.self, capacity: Effort.maximumBins) { buffer in
      guard let means = buffer.baseAddress else { return }
      guard isTiled else {
        for x in 0..<width { writeBins(x, y, means, to: &sink) }
        return
      }
      tiles.forEach(y &* size, step: KeyTiles.width / size, width: width) { tile, columns in
        guard isDrawn(tile) else { return }
        if isPlain(tile) {
          writeWhole(columns, y, to: &sink)
        } else {
          for x in columns { writeBins(x, y, means, to: &sink) }
        }
      }
    }
  }

  /// Whether a tile is one block high or more.
  private var isTiled: Bool { size <= KeyTiles.height }

  /// Whether some of a tile's pixels may be drawn.
  @inline(__always)
  private func isDrawn(_ tile: KeyTiles.Tile) -> Bool {
    tile.most >= indices.lowerBound && tile.least <= indices.upperBound
  }

  /// Whether each block of a tile is one sample of which no other resolution draws a share.
  @inline(__always)
  private func isPlain(_ tile: KeyTiles.Tile) -> Bool {
    !tile.isMixed && tile.isOneBin && ownIndices.contains(tile.least) && ownIndices.contains(tile.most)
  }

  /// Writes one sample for each of some blocks, all of whose pixels are drawn here alone and in one bin.
  @inline(__always)
  private func writeWhole(_ blocks: Range<Int>, _ y: Int, to sink: inout SampleSink) {
    for x in blocks {
      let (columns, rows) = pixels(x, y)
      let first = frame.keys[columns.lowerBound, rows.lowerBound]
      guard size > 1 else {
        let color = SIMD4(frame.linear[x, y], weight: 1)
        sink.add(position: x, width: width, key: radii.key(first.index, first.bin), color: color)
        continue
      }
      var (light, index) = (SIMD4<Float>.zero, UInt32(0))
      for row in rows {
        let (pixels, keys) = (frame.linear.row(row), frame.keys.row(row))
        for column in columns {
          light += pixels[column]
          index &+= keys[column].index
        }
      }
      let count = columns.count &* rows.count
      sink.add(
        position: x, width: width, key: radii.key(index / UInt32(truncatingIfNeeded: count), first.bin),
        color: SIMD4(light * (1 / Float(count)), weight: 1))
    }
  }

  /// What a block's pixels in one bin add up to, each times its share.
  private struct BinMean: BitwiseCopyable {
    /// Light and share.
    var light = SIMD4<Float>.zero
    var index: Float = 0
  }

  /// Writes a sample for each bin that has pixels in block (x, y), with the mean radius there and the premultiplied light.
  @inline(__always)
  private func writeBins(_ x: Int, _ y: Int, _ means: UnsafeMutablePointer<BinMean>, to sink: inout SampleSink) {
    let (columns, rows) = pixels(x, y)
    var found: UInt32 = 0
    forEachPixel(columns, rows) { key, pixel, part in
      let bin = Int(truncatingIfNeeded: key.bin)
      if found & 1 &<< key.bin == 0 { means[bin] = BinMean() }
      found |= 1 &<< key.bin
      means[bin].light += SIMD4(pixel, weight: 1) * part
      means[bin].index += Float(key.index) * part
    }
    let share = 1 / Float(columns.count &* rows.count)
    while found != 0 {
      let bin = found.trailingZeroBitCount
      found &= found &- 1
      let (light, index) = (means[bin].light, means[bin].index)
      let key = radii.key(
        UInt32(truncatingIfNeeded: Int32(index / light.w)), UInt32(truncatingIfNeeded: bin))
      sink.add(position: x, width: width, key: key, color: light * share)
    }
  }

  @inline(__always)
  private func pixels(_ x: Int, _ y: Int) -> (columns: Range<Int>, rows: Range<Int>) {
    (x &* size..<min(x &* size &+ size, frame.width), y &* size..<min(y &* size &+ size, frame.height))
  }

  /// Calls `body` for each pixel that is drawn, with what share of a pixel of the frame it is.
  @inline(__always)
  private func forEachPixel(
    _ columns: Range<Int>, _ rows: Range<Int>, _ body: (DepthKey, SIMD4<Float>, Float) -> Void
  ) {
    for row in rows {
      let (keys, light) = (frame.keys.row(row), frame.linear.row(row))
      for column in columns {
        if let marks, marks[row &* frame.width &+ column] & DetailMarks.drawn != 0 {
          forEachPart(column, row, body)
        } else if isDrawn(keys[column]) {
          body(keys[column], light[column], share(keys[column]))
        }
      }
    }
  }

  /// The same for what is known at full resolution of pixel (x, y).
  @inline(__always)
  private func forEachPart(_ x: Int, _ y: Int, _ body: (DepthKey, SIMD4<Float>, Float) -> Void) {
    guard let detail else { return }
    let (columns, rows) = (detail.pixels(x..<x &+ 1), detail.rows(y))
    let part = 1 / Float(columns.count &* rows.count)
    for row in rows {
      let (keys, light) = (detail.keys.row(row), detail.detail.row(row))
      for column in columns where isDrawn(keys[column]) {
        body(keys[column], light[column], share(keys[column]) * part)
      }
    }
  }

  @inline(__always)
  private func isDrawn(_ key: DepthKey) -> Bool { indices.contains(key.index) && !key.isSplit }

  @inline(__always)
  private func share(_ key: DepthKey) -> Float {
    ownIndices.contains(key.index) ? 1 : resolutions.share(level, key.index)
  }
}
