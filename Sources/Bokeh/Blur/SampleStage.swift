/// Turns the pixels of a frame into samples, once for each resolution.
struct SampleStage {
  let frame: Frame
  let resolutions: Resolutions
  let workers: Workers
  /// Divides pixels on depth edges; nil leaves them whole.
  let splitter: EdgeSplitter?

  /// The samples that full resolution scatters: all but the sharp ones, which reach their own pixel only.
  func full(_ storage: SampleStorage) -> SampleRows {
    let limit = resolutions.fullIndex
    return storage.build(
      width: frame.width, height: frame.height, workers: workers,
      count: { y in
        var count = 0
        for x in 0..<frame.width { count &+= fullCount(x, y, limit) }
        return count
      },
      write: { y, sink in
        for x in 0..<frame.width { writeFull(x, y, limit, &sink) }
      })
  }

  private func fullCount(_ x: Int, _ y: Int, _ limit: UInt32) -> Int {
    let key = frame.keys[x, y]
    if key.isSplit, let split = splitter?.split(x, y) {
      return SampleSink.count(position: x, width: frame.width, key: split.near.key)
        &+ SampleSink.count(position: x, width: frame.width, key: split.far.key)
    }
    guard !key.isSharp, key.index <= limit else { return 0 }
    return SampleSink.count(position: x, width: frame.width, key: key)
  }

  private func writeFull(_ x: Int, _ y: Int, _ limit: UInt32, _ sink: inout SampleSink) {
    let key = frame.keys[x, y]
    if key.isSplit, let split = splitter?.split(x, y) {
      sink.add(position: x, width: frame.width, key: split.near.key, color: split.near.color)
      sink.add(position: x, width: frame.width, key: split.far.key, color: split.far.color)
      return
    }
    guard !key.isSharp, key.index <= limit else { return }
    sink.add(position: x, width: frame.width, key: key, color: SIMD4(frame.linear[x, y], weight: 1))
  }

  /// The samples of a lower resolution: for each block of pixels and each bin the mean of the block's pixels in that bin.
  func reduced(_ storage: SampleStorage, level: Int) -> SampleRows {
    let block = BlockReader(frame: frame, level: level, indices: resolutions.indices(level))
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
  let indices: ClosedRange<UInt32>

  init(frame: Frame, level: Int, indices: ClosedRange<UInt32>) {
    self.frame = frame
    self.indices = indices
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
      var index: UInt32 = 0
      for row in rows {
        for column in columns {
          let key = frame.keys[column, row]
          guard key.bin == bin, indices.contains(key.index) else { continue }
          light += SIMD4(frame.linear[column, row], weight: 1)
          index &+= key.index
        }
      }
      let mean = DepthKey(index: UInt32(Float(index) / light.w), bin: bin)
      body(mean.reduced(by: Float(size)), light * share)
    }
  }

  private func bins(_ columns: Range<Int>, _ rows: Range<Int>) -> UInt32 {
    var found: UInt32 = 0
    for row in rows {
      for column in columns {
        let key = frame.keys[column, row]
        if indices.contains(key.index) { found |= 1 << key.bin }
      }
    }
    return found
  }
}
