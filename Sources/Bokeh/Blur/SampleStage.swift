/// Turns the pixels of a frame into samples, once for each resolution.
struct SampleStage {
  let frame: Frame
  let resolutions: Resolutions
  let workers: Workers
  /// Divides pixels on depth edges; nil leaves them whole.
  let splitter: EdgeSplitter?
  /// What is known at full resolution of a frame at half.
  let detail: PreviewFrame?
  let shape: DiscShape?
  private let tiles: KeyTiles
  private let fullIndex: UInt32

  init(
    frame: Frame, tiles: KeyTiles, resolutions: Resolutions, shape: DiscShape?, workers: Workers,
    splitter: EdgeSplitter?, detail: PreviewFrame? = nil
  ) {
    self.frame = frame
    self.tiles = tiles
    self.shape = shape
    self.resolutions = resolutions
    self.workers = workers
    self.splitter = splitter
    self.detail = detail
    fullIndex = resolutions.indices(0).upperBound
  }

  /// The samples that full resolution scatters: all but the sharp ones, which reach their own pixel only.
  func full(_ storage: SampleStorage) -> SampleRows {
    storage.build(
      width: frame.width, height: frame.height, shape: shape, workers: workers,
      count: { y in
        var count = 0
        forEachDrawn(y) { x in count &+= mostSamples(x, frame.keys[x, y]) }
        return count
      },
      write: { y, sink in
        forEachDrawn(y) { x in
          forEachPart(x, y) { key, color in sink.add(position: x, width: frame.width, key: key, color: color) }
        }
      })
  }

  /// How many samples a pixel in column `x` becomes at most: finding the parts of a split one takes long.
  @inline(__always)
  private func mostSamples(_ x: Int, _ key: DepthKey) -> Int {
    if key.isSplit {
      let reach = shape.reach(min(resolutions.firstBand.lowerBound, UInt32(DiscTable.indexCount - 1)))
      return x > reach && frame.width &- x > reach ? 2 : 6
    }
    guard !key.isSharp && key.index <= fullIndex else { return 0 }
    return SampleSink.count(position: x, width: frame.width, key: key, shape: shape)
  }

  /// Calls `body` for each pixel of row `y` but those in tiles of which full resolution scatters nothing.
  @inline(__always)
  private func forEachDrawn(_ y: Int, _ body: (_ x: Int) -> Void) {
    let tiles = tiles.row(y)
    for first in stride(from: 0, to: frame.width, by: KeyTiles.width) {
      let tile = tiles[first / KeyTiles.width]
      guard tile.isMixed || tile.least <= fullIndex && tile.most > DiscTable.sharpIndex else { continue }
      for x in first..<min(first &+ KeyTiles.width, frame.width) { body(x) }
    }
  }

  /// Calls `body` for what full resolution scatters of pixel (x, y): nothing, the pixel, or its two parts.
  @inline(__always)
  private func forEachPart(_ x: Int, _ y: Int, _ body: (DepthKey, SIMD4<Float>) -> Void) {
    let key = frame.keys[x, y]
    if key.isSplit, let parts = splitter?.parts(x, y) {
      body(parts.near.key, parts.near.color)
      body(parts.far.key, parts.far.color)
    } else if !key.isSharp && key.index <= fullIndex {
      body(key, SIMD4(frame.linear[x, y], weight: 1) * resolutions.share(0, key.index))
    }
  }

  /// The samples that full resolution scatters of a frame of which only parts are known there.
  func detailed(_ storage: SampleStorage) -> SampleRows {
    guard let detail else { return full(storage) }
    let limit = resolutions.firstBand.upperBound
    return storage.build(
      width: detail.width, height: detail.height, shape: shape, workers: workers,
      count: { y in
        var count = 0
        let keys = detail.keys.row(y)
        detail.marks.forEachRun(y >> 1, DetailMarks.drawn) { blocks in
          for x in detail.pixels(blocks) where !keys[x].isSharp && keys[x].index < limit {
            count &+= SampleSink.count(position: x, width: detail.width, key: keys[x], shape: shape)
          }
        }
        return count
      },
      write: { y, sink in
        let (keys, light) = (detail.keys.row(y), detail.detail.row(y))
        detail.marks.forEachRun(y >> 1, DetailMarks.drawn) { blocks in
          for x in detail.pixels(blocks) where !keys[x].isSharp && keys[x].index < limit {
            let share = resolutions.share(0, keys[x].index)
            sink.add(position: x, width: detail.width, key: keys[x], color: SIMD4(light[x], weight: 1) * share)
          }
        }
      })
  }

  /// The samples of a lower resolution: for each block of pixels and each bin the mean of the block's pixels in that
  /// bin.
  func reduced(_ storage: SampleStorage, level: Int) -> SampleRows {
    let block = BlockReader(frame: frame, tiles: tiles, detail: detail, level: level, resolutions: resolutions)
    return storage.build(
      width: block.width, height: block.height, shape: shape, workers: workers,
      count: { y in
        var count = 0
        // Near the borders a sample may have a mirror image on both sides.
        let reach = block.reach(shape)
        let inner = reach..<max(reach, block.width &- reach)
        block.forEachTile(y) { columns, isPlain in
          for x in columns { count &+= (isPlain ? 1 : block.binCount(x, y)) &* (inner.contains(x) ? 1 : 3) }
        }
        return count
      },
      write: { y, sink in
        block.forEachTile(y) { columns, isPlain in
          if isPlain {
            for x in columns {
              let (key, color) = block.whole(x, y)
              sink.add(position: x, width: block.width, key: key, color: color)
            }
          } else {
            for x in columns {
              block.forEachBin(x, y) { key, color in
                sink.add(position: x, width: block.width, key: key, color: color)
              }
            }
          }
        }
      })
  }
}

/// Reads blocks of pixels of those radii that belong to one resolution.
private struct BlockReader {
  let frame: Frame
  let tiles: KeyTiles
  let detail: PreviewFrame?
  /// The pixels of the frame in each direction for one of the resolution.
  let size: Int
  let width: Int
  let height: Int
  private let level: Int
  private let resolutions: Resolutions
  private let indices: ClosedRange<UInt32>
  /// Those of which no other resolution draws a share.
  private let ownIndices: Range<UInt32>
  /// The marks of `detail`, row by row.
  private let marks: UnsafeMutablePointer<UInt8>?

  init(frame: Frame, tiles: KeyTiles, detail: PreviewFrame?, level: Int, resolutions: Resolutions) {
    self.frame = frame
    self.tiles = tiles
    self.detail = detail
    self.level = level
    self.resolutions = resolutions
    indices = resolutions.indices(level)
    ownIndices = resolutions.ownIndices(level)
    marks = detail?.marks.plane.base
    let halvings = level - resolutions.finest
    size = 1 << halvings
    width = (frame.width + size - 1) >> halvings
    height = (frame.height + size - 1) >> halvings
  }

  /// How far a sample reaches at most.
  func reach(_ shape: DiscShape?) -> Int {
    shape.reach(min(resolutions.reducedLimit, UInt32(DiscTable.maximumRadius * DiscTable.stepsPerPixel))) &+ 1
  }

  /// Calls `body` for each run of blocks of row `y` that may have samples, and whether each is one sample of which no
  /// other resolution draws a share.
  @inline(__always)
  func forEachTile(_ y: Int, _ body: (_ blocks: Range<Int>, _ isPlain: Bool) -> Void) {
    guard size <= KeyTiles.height else { return body(0..<width, false) }
    let (tiles, step) = (tiles.row(y &* size), KeyTiles.width / size)
    for first in stride(from: 0, to: width, by: step) {
      let tile = tiles[first / step]
      if !tile.isMixed && (tile.most < indices.lowerBound || tile.least > indices.upperBound) { continue }
      let isPlain =
        !tile.isMixed && tile.isOneBin && ownIndices.contains(tile.least) && ownIndices.contains(tile.most)
      body(first..<min(first &+ step, width), isPlain)
    }
  }

  /// The sample of block (x, y), all of whose pixels are drawn here alone and as one.
  @inline(__always)
  func whole(_ x: Int, _ y: Int) -> (DepthKey, SIMD4<Float>) {
    let (columns, rows) = pixels(x, y)
    let bin = frame.keys[columns.lowerBound, rows.lowerBound].bin
    var (light, index) = (SIMD4<Float>.zero, UInt32(0))
    for row in rows {
      let place = row &* frame.width
      for i in place &+ columns.lowerBound..<place &+ columns.upperBound {
        light += frame.linear.base[i]
        index &+= frame.keys.base[i].index
      }
    }
    let count = Float(columns.count &* rows.count)
    let key = DepthKey(index: UInt32(truncatingIfNeeded: Int32(Float(index) / count)), bin: bin)
    return (key.reduced(by: Float(1 << level)), SIMD4(light * (1 / count), weight: 1))
  }

  /// How many bins have pixels in block (x, y).
  @inline(__always)
  func binCount(_ x: Int, _ y: Int) -> Int {
    if size == 1 && !isDetailed(x, y) { return isDrawn(frame.keys[x, y]) ? 1 : 0 }
    let (columns, rows) = pixels(x, y)
    return bins(columns, rows).nonzeroBitCount
  }

  /// A bit for each bin that has pixels.
  @inline(__always)
  private func bins(_ columns: Range<Int>, _ rows: Range<Int>) -> UInt32 {
    var found: UInt32 = 0
    for row in rows {
      let keys = frame.keys.row(row)
      for column in columns {
        if isDetailed(column, row) {
          forEachPart(column, row) { key, _, _ in found |= 1 &<< key.bin }
        } else if isDrawn(keys[column]) {
          found |= 1 &<< keys[column].bin
        }
      }
    }
    return found
  }

  /// The light and radius index of pixels that are all drawn as one and lie in one bin, each times its share, or nil for
  /// others; most are so.
  @inline(__always)
  private func plain(_ columns: Range<Int>, _ rows: Range<Int>) -> (light: SIMD4<Float>, index: Float)? {
    let bin = frame.keys[columns.lowerBound, rows.lowerBound].bin
    var light = SIMD4<Float>.zero
    var index: Float = 0
    for row in rows {
      let (keys, pixels) = (frame.keys.row(row), frame.linear.row(row))
      for column in columns {
        let key = keys[column]
        guard isDrawn(key), key.bin == bin, !isDetailed(column, row) else { return nil }
        let part = resolutions.share(level, key.index)
        light += SIMD4(pixels[column], weight: 1) * part
        index += Float(key.index) * part
      }
    }
    return (light, index)
  }

  /// Calls `body` for each bin that has pixels in block (x, y), with the mean radius there and the premultiplied light.
  @inline(__always)
  func forEachBin(_ x: Int, _ y: Int, _ body: (DepthKey, SIMD4<Float>) -> Void) {
    if size == 1 && !isDetailed(x, y) {
      let key = frame.keys[x, y]
      guard isDrawn(key) else { return }
      let light = SIMD4(frame.linear[x, y], weight: 1) * resolutions.share(level, key.index)
      return body(key.reduced(by: Float(1 << level)), light)
    }
    let (columns, rows) = pixels(x, y)
    let share = 1 / Float(columns.count &* rows.count)
    if let sum = plain(columns, rows) {
      let bin = frame.keys[columns.lowerBound, rows.lowerBound].bin
      return body(mean(sum.light, sum.index, bin), sum.light * share)
    }
    var waiting = bins(columns, rows)
    while waiting != 0 {
      let bin = UInt32(waiting.trailingZeroBitCount)
      waiting &= waiting &- 1
      var light = SIMD4<Float>.zero
      var index: Float = 0
      forEachPixel(columns, rows) { key, pixel, part in
        guard key.bin == bin else { return }
        light += SIMD4(pixel, weight: 1) * part
        index += Float(key.index) * part
      }
      body(mean(light, index, bin), light * share)
    }
  }

  /// The key of pixels whose shares add up to `light.w` and radius indices to `index`.
  @inline(__always)
  private func mean(_ light: SIMD4<Float>, _ index: Float, _ bin: UInt32) -> DepthKey {
    let mean = DepthKey(index: UInt32(truncatingIfNeeded: Int32(index / light.w)), bin: bin)
    return mean.reduced(by: Float(1 << level))
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
        if isDetailed(column, row) {
          forEachPart(column, row, body)
        } else if isDrawn(keys[column]) {
          body(keys[column], light[column], resolutions.share(level, keys[column].index))
        }
      }
    }
  }

  /// The same for what is known at full resolution of pixel (x, y).
  @inline(__always)
  private func forEachPart(_ x: Int, _ y: Int, _ body: (DepthKey, SIMD4<Float>, Float) -> Void) {
    guard let detail else { return }
    let (columns, rows) = (detail.pixels(x..<x &+ 1), detail.rows(y))
    let share = 1 / Float(columns.count &* rows.count)
    for row in rows {
      for column in columns {
        let key = detail.keys[column, row]
        let part = resolutions.share(level, key.index, finest: 0)
        if part > 0 && indices.contains(key.index) { body(key, detail.detail[column, row], part * share) }
      }
    }
  }

  @inline(__always)
  private func isDetailed(_ x: Int, _ y: Int) -> Bool {
    guard let marks else { return false }
    return marks[y &* frame.width &+ x] & DetailMarks.drawn != 0
  }

  @inline(__always)
  private func isDrawn(_ key: DepthKey) -> Bool { indices.contains(key.index) && !key.isSplit }
}
