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
      capacity: { y in
        tiles.capacity(y, step: KeyTiles.width, width: frame.width, reach: reach) { tile in
          tile.isMixed ? 2 : isDrawn(tile) ? 1 : 0
        }
      },
      write: { y, sink in
        tiles.forEach(y, step: KeyTiles.width, width: frame.width) { tile, columns in
          guard tile.isMixed || isDrawn(tile) else { return }
          for x in columns { addParts(x, y, to: &sink) }
        }
      })
  }

  /// How far a sample of full resolution reaches at most.
  private var reach: Int { shape.reach(min(fullIndex, UInt32(DiscTable.indexCount - 1))) }

  /// Whether full resolution scatters some of a tile's pixels.
  @inline(__always)
  private func isDrawn(_ tile: KeyTiles.Tile) -> Bool {
    tile.least <= fullIndex && tile.most > DiscTable.sharpIndex
  }

  /// Adds what full resolution scatters of pixel (x, y): nothing, the pixel, or its two parts.
  @inline(__always)
  private func addParts(_ x: Int, _ y: Int, to sink: inout SampleSink) {
    let key = frame.keys[x, y]
    if key.isSplit, let parts = splitter?.parts(x, y) {
      sink.add(position: x, width: frame.width, key: parts.near.key, color: parts.near.color)
      sink.add(position: x, width: frame.width, key: parts.far.key, color: parts.far.color)
    } else if !key.isSharp && key.index <= fullIndex {
      let color = SIMD4(frame.linear[x, y], weight: 1) * resolutions.share(0, key.index)
      sink.add(position: x, width: frame.width, key: key, color: color)
    }
  }

  /// The samples that full resolution scatters of a frame of which only parts are known there.
  func detailed(_ storage: SampleStorage) -> SampleRows {
    guard let detail else { return full(storage) }
    let step = 2 * KeyTiles.width
    return storage.build(
      width: detail.width, height: detail.height, shape: shape, workers: workers,
      capacity: { y in
        tiles.capacity(y >> 1, step: step, width: detail.width, reach: reach) { $0.isMixed && isDrawn($0) ? 1 : 0 }
      },
      write: { y, sink in
        let (marks, keys, light) = (detail.marks.plane.row(y >> 1), detail.keys.row(y), detail.detail.row(y))
        tiles.forEach(y >> 1, step: step, width: detail.width) { tile, columns in
          guard tile.isMixed && isDrawn(tile) else { return }
          for x in columns where marks[x >> 1] & DetailMarks.drawn != 0 {
            let key = keys[x]
            guard !key.isSharp && key.index <= fullIndex else { continue }
            let color = SIMD4(light[x], weight: 1) * resolutions.share(0, key.index)
            sink.add(position: x, width: detail.width, key: key, color: color)
          }
        }
      })
  }

  /// The samples of a lower resolution: for each block of pixels and each bin the mean of the block's pixels in that
  /// bin.
  func reduced(_ storage: SampleStorage, level: Int) -> SampleRows {
    let reader = BlockReader(frame: frame, tiles: tiles, detail: detail, level: level, resolutions: resolutions)
    return storage.build(
      width: reader.width, height: reader.height, shape: shape, workers: workers,
      capacity: { y in reader.capacity(y, shape) }, write: { y, sink in reader.write(y, to: &sink) })
  }
}
