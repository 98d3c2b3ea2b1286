/// Turns the pixels of a frame into samples, once for each resolution.
struct SampleStage {
  let frame: Frame
  let resolutions: Resolutions
  let workers: Workers
  /// Divides pixels on depth edges; nil leaves them whole.
  let splitter: EdgeSplitter?
  private let fullIndex: UInt32

  init(frame: Frame, resolutions: Resolutions, workers: Workers, splitter: EdgeSplitter?) {
    self.frame = frame
    self.resolutions = resolutions
    self.workers = workers
    self.splitter = splitter
    fullIndex = resolutions.indices(0).upperBound
  }

  /// The samples that full resolution scatters: all but the sharp ones, which reach their own pixel only.
  func full(_ storage: SampleStorage) -> SampleRows {
    storage.build(
      width: frame.width, height: frame.height, workers: workers,
      count: { y in
        var count = 0
        for x in 0..<frame.width {
          forEachPart(x, y) { key, _ in count &+= SampleSink.count(position: x, width: frame.width, key: key) }
        }
        return count
      },
      write: { y, sink in
        for x in 0..<frame.width {
          forEachPart(x, y) { key, color in sink.add(position: x, width: frame.width, key: key, color: color) }
        }
      })
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

  /// The samples of a lower resolution: for each block of pixels and each bin the mean of the block's pixels in that
  /// bin.
  func reduced(_ storage: SampleStorage, level: Int) -> SampleRows {
    let block = BlockReader(frame: frame, level: level, resolutions: resolutions)
    return storage.build(
      width: block.width, height: block.height, workers: workers,
      count: { y in
        var count = 0
        for x in 0..<block.width {
          block.forEachBin(x, y) { key, _ in
            count &+= SampleSink.count(position: x, width: block.width, key: key)
          }
        }
        return count
      },
      write: { y, sink in
        for x in 0..<block.width {
          block.forEachBin(x, y) { key, color in
            sink.add(position: x, width: block.width, key: key, color: color)
          }
        }
      })
  }
}

/// Reads blocks of 2 x 2, 4 x 4, … pixels of those radii that belong to one resolution.
private struct BlockReader {
  let frame: Frame
  let size: Int
  let width: Int
  let height: Int
  private let level: Int
  private let resolutions: Resolutions
  private let indices: ClosedRange<UInt32>

  init(frame: Frame, level: Int, resolutions: Resolutions) {
    self.frame = frame
    self.level = level
    self.resolutions = resolutions
    indices = resolutions.indices(level)
    size = 1 << level
    width = (frame.width + size - 1) >> level
    height = (frame.height + size - 1) >> level
  }

  /// Calls `body` for each bin that has pixels in block (x, y), with the mean radius there and the premultiplied light.
  @inline(__always)
  func forEachBin(_ x: Int, _ y: Int, _ body: (DepthKey, SIMD4<Float>) -> Void) {
    let columns = x &* size..<min(x &* size &+ size, frame.width)
    let rows = y &* size..<min(y &* size &+ size, frame.height)
    let share = 1 / Float(columns.count &* rows.count)
    var waiting = bins(columns, rows)
    while waiting != 0 {
      let bin = UInt32(waiting.trailingZeroBitCount)
      waiting &= waiting &- 1
      var light = SIMD4<Float>.zero
      var index: Float = 0
      for row in rows {
        for column in columns {
          let key = frame.keys[column, row]
          guard key.bin == bin, isDrawn(key) else { continue }
          let part = resolutions.share(level, key.index)
          light += SIMD4(frame.linear[column, row], weight: 1) * part
          index += Float(key.index) * part
        }
      }
      let mean = DepthKey(index: UInt32(index / light.w), bin: bin)
      body(mean.reduced(by: Float(size)), light * share)
    }
  }

  private func bins(_ columns: Range<Int>, _ rows: Range<Int>) -> UInt32 {
    var found: UInt32 = 0
    for row in rows {
      for column in columns {
        let key = frame.keys[column, row]
        if isDrawn(key) { found |= 1 << key.bin }
      }
    }
    return found
  }

  @inline(__always)
  private func isDrawn(_ key: DepthKey) -> Bool { indices.contains(key.index) && !key.isSplit }
}
