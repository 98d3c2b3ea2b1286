/// The blur from disparity and linear light to the blurred picture: radii → layers → scatter → fill.
final class BlurStage {
  let effort: Effort
  let workers: Workers
  private let keys = Storage<DepthKey>()
  private let untouched = Storage<UInt8>()
  private let tiles = Storage<KeyTiles.Tile>()
  private let result = Storage<SIMD4<Float>>()
  private let hidden: HiddenLayer
  private let samples = SampleStorage()
  private let reducedSamples = SampleStorage()
  private let layers: [BlockStorage]
  private let scratch = FillMemory()
  let looks = LookStage()

  init(effort: Effort, workers: Workers) {
    self.effort = effort
    self.workers = workers
    hidden = HiddenLayer(effort)
    layers = (0..<9).map { _ in BlockStorage() }
  }

  var byteCount: Int {
    keys.byteCount + untouched.byteCount + tiles.byteCount + result.byteCount + hidden.byteCount + samples.byteCount
      + reducedSamples.byteCount + scratch.byteCount + looks.byteCount + layers.reduce(0) { $0 + $1.byteCount }
  }

  /// Blurs a picture; the planes of the result are valid until the next call.
  ///
  /// - Parameter finishRow: is called, by any worker, for each row as soon as it is done.
  func blur(
    _ linear: Plane<SIMD4<Float>>, _ disparity: Plane<Float>, _ circle: CircleOfConfusion,
    finishRow: (_ frame: Frame, _ y: Int) -> Void = { _, _ in }
  ) -> Frame {
    let frame = makeFrame(linear, disparity)
    let largest = findRadii(frame, circle)
    let resolutions = Resolutions(
      firstBand: effort.halfResolutionBand, reducedLimit: effort.reducedLimit, largest: largest.index)
    let splitter = effort.splitsEdges ? splitEdges(frame, circle, resolutions) : nil
    let stage = SampleStage(
      frame: frame, tiles: findTiles(frame), resolutions: resolutions, shape: circle.look.discs, workers: workers,
      splitter: splitter)
    let hidden = hiddenLayer(frame, circle, largest)
    let coarser = fillReduced(stage, circle)
    let fill = FillStage(
      samples: stage.full(samples), bins: circle.bins, nearBins: circle.nearBins, coarser: coarser, hidden: hidden)
    fillRows(frame.width, frame.height) { y, scratch in
      fill.fillPicture(frame, y: y, scratch: scratch)
      finishRow(frame, y)
    }
    return frame
  }

  /// Room for what becomes of a picture.
  func makeFrame(_ linear: Plane<SIMD4<Float>>, _ disparity: Plane<Float>) -> Frame {
    let (width, height) = (linear.width, linear.height)
    return Frame(
      width: width, height: height, linear: linear, disparity: disparity, keys: keys.plane(width, height),
      result: result.plane(width, height), untouched: untouched.plane(width, height))
  }

  /// Calls `body` for each of `count` rows with memory for filling rows of `width` pixels.
  func fillRows(_ width: Int, _ count: Int, _ body: (_ y: Int, _ scratch: FillScratch) -> Void) {
    scratch.reserve(width: width, workers: workers)
    workers.rows(count) { worker, rows in
      for y in rows { body(y, scratch[worker]) }
    }
  }

  /// The samples of a lower resolution, until the next call.
  func reduced(_ stage: SampleStage, level: Int) -> SampleRows { stage.reduced(reducedSamples, level: level) }

  /// The samples of full resolution, of a frame that is known in parts there.
  func detailed(_ stage: SampleStage) -> SampleRows { stage.detailed(samples) }

  /// Finds each pixel's radius and bin, and the largest radius; and gives blurred highlights their light.
  func findRadii(_ frame: Frame, _ circle: CircleOfConfusion) -> DepthKey {
    let largest = scratch.largest(workers)
    let highlights = circle.look.highlights
    highlights?.measure(frame.linear, workers: workers)
    workers.rows(frame.height) { worker, rows in
      var most: UInt32 = 0
      for y in rows {
        let keys = frame.keys.row(y)
        most = max(most, circle.findKeys(frame.disparity.row(y), keys, frame.width))
        highlights?.apply(frame.linear.row(y), keys, 0..<frame.width, y: y, size: (frame.width, frame.height))
      }
      largest[worker] = max(largest[worker], most)
    }
    return DepthKey(index: (0..<workers.count).reduce(0) { max($0, largest[$1]) }, bin: 0)
  }

  /// Finds where a frame's keys are much the same.
  func findTiles(_ frame: Frame, detail: PreviewFrame? = nil) -> KeyTiles {
    KeyTiles(frame.keys, detail: detail, memory: tiles, workers: workers)
  }

  /// Marks the pixels that have a near and a far part.
  private func splitEdges(
    _ frame: Frame, _ circle: CircleOfConfusion, _ resolutions: Resolutions
  ) -> EdgeSplitter {
    let splitter = EdgeSplitter(
      linear: frame.linear, disparity: frame.disparity, circle: circle, largestIndex: resolutions.firstBand.lowerBound)
    workers.rows(frame.height) { _, rows in
      for y in rows {
        for x in 0..<frame.width {
          switch splitter.judge(x, y, frame.keys[x, y]) {
          case .whole(let key): frame.keys[x, y] = key
          case .split: frame.keys[x, y] = frame.keys[x, y].split
          }
        }
      }
    }
    return splitter
  }

  /// Fills the hidden layer's own aperture: what it holds is only used where all else leaves something over.
  func hiddenLayer(_ frame: Frame, _ circle: CircleOfConfusion, _ largest: DepthKey) -> BlockPlane? {
    let radius = Float(largest.index) / DiscTable.stepsPerPixel
    guard let rows = hidden.build(frame, circle: circle, largestRadius: radius, workers: workers) else { return nil }
    let layer = layers[8].plane(rows.width, rows.height)
    let fill = FillStage(samples: rows, bins: circle.bins, coarser: nil, hidden: nil)
    fillRows(rows.width, rows.height) { y, scratch in fill.fillWhole(layer, y: y, scratch: scratch) }
    return layer
  }

  /// Fills the lower resolutions, coarsest first, and returns the layers of the last, half resolution without a value.
  func fillReduced(_ stage: SampleStage, _ circle: CircleOfConfusion, downTo last: Int = 1) -> LayerPlanes? {
    var coarser: LayerPlanes?
    for level in stride(from: stage.resolutions.coarsest, through: last, by: -1) {
      let rows = reduced(stage, level: level)
      let planes = layerPlanes(level, rows, SharedBins(circle, stage.resolutions, level: level))
      let fill = FillStage(samples: rows, bins: circle.bins, coarser: coarser, hidden: nil)
      fillRows(rows.width, rows.height) { y, scratch in fill.fillLayers(planes, y: y, scratch: scratch) }
      coarser = planes
    }
    return coarser
  }
}

extension BlurStage {
  /// Room for a resolution's layers; the next finer one has other memory.
  func layerPlanes(_ level: Int, _ rows: SampleRows, _ bins: SharedBins) -> LayerPlanes {
    func plane(_ i: Int) -> BlockPlane { layers[(level & 1) * 4 + i].plane(rows.width, rows.height) }
    return LayerPlanes(bins: bins, front: plane(0), near: plane(1), far: plane(2), back: plane(3))
  }
}

/// The workers' memory for filling.
final class FillMemory {
  private let cells = Storage<SIMD4<Float>>()
  private let rows = Storage<SIMD4<Float>>()
  private let bins = Storage<Int>()
  private let marks = Storage<UInt32>()
  private let sums = Storage<SIMD4<Float>>()
  private let light = Storage<SIMD4<Float>>()
  private let weights = Storage<Float>()
  private let radii = Storage<UInt32>()
  private var width = 0

  var byteCount: Int {
    cells.byteCount + rows.byteCount + bins.byteCount + marks.byteCount + sums.byteCount + light.byteCount
      + weights.byteCount + radii.byteCount
  }

  /// Makes room for rows of `width` pixels and clears the bins.
  func reserve(width: Int, workers: Workers) {
    self.width = width
    let count = workers.count * FillMemory.cellCount(width)
    cells.reserve(count).update(repeating: .zero, count: count)
    _ = rows.reserve(workers.count * FillMemory.rowLength(width) * FillScratch.rowCount)
    _ = bins.reserve(workers.count * (Effort.maximumBins + 1))
    let markCount = workers.count * BinRow.markCount(width)
    marks.reserve(markCount).update(repeating: 0, count: markCount)
    _ = sums.reserve(workers.count * Effort.maximumBins)
    _ = light.reserve(workers.count * BinRow.block)
    _ = weights.reserve(workers.count * BinRow.block)
  }

  private static func cellCount(_ width: Int) -> Int { Effort.maximumBins * BinRow.stride(width) }

  /// Room for a row of half the resolution and a value at each end.
  private static func rowLength(_ width: Int) -> Int { (width + 1) / 2 + 2 }

  /// What worker number `worker` may use.
  subscript(worker: Int) -> FillScratch {
    return FillScratch(
      cells: cells.reserve(0) + worker * FillMemory.cellCount(width),
      marks: marks.reserve(0) + worker * BinRow.markCount(width),
      bins: BinScratch(
        bins: bins.reserve(0) + worker * (Effort.maximumBins + 1),
        sums: sums.reserve(0) + worker * Effort.maximumBins),
      light: light.reserve(0) + worker * BinRow.block, weights: weights.reserve(0) + worker * BinRow.block,
      rows: rows.reserve(0) + worker * FillMemory.rowLength(width) * FillScratch.rowCount,
      rowLength: FillMemory.rowLength(width))
  }

  /// A number for each worker, all 0.
  func largest(_ workers: Workers) -> UnsafeMutablePointer<UInt32> {
    let numbers = radii.reserve(workers.count)
    numbers.update(repeating: 0, count: workers.count)
    return numbers
  }
}
