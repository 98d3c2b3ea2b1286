/// A frame of which all is known at half resolution, and what is nearly sharp at full resolution too.
struct PreviewFrame {
  /// Half resolution: linear light, with 1 in `w`.
  let half: Frame
  let marks: DetailMarks
  /// Full resolution, valid in the marked blocks only: linear light, and from `PreviewStage.blur` on the result.
  let detail: Plane<SIMD4<Float>>
  let keys: Plane<DepthKey>
  /// 1 where a pixel is in focus and no other disc reaches it; valid everywhere.
  let untouched: Plane<UInt8>

  var width: Int { detail.width }
  var height: Int { detail.height }

  /// The pixels of full resolution of a run of blocks.
  func pixels(_ blocks: Range<Int>) -> Range<Int> {
    2 &* blocks.lowerBound..<min(2 &* blocks.upperBound, width)
  }

  /// The rows of full resolution of a row of blocks.
  func rows(_ y: Int) -> Range<Int> { 2 &* y..<min(2 &* y &+ 2, height) }
}

/// The preview's blur: everything at half resolution and lower, and what is nearly sharp at full resolution.
///
/// Half resolution alone makes the picture wherever full resolution draws nothing; elsewhere its layers are brought to
/// full resolution and composited with what is drawn there.
final class PreviewStage {
  private let stage: BlurStage
  private let disparities: DisparityStage
  private let workers: Workers
  private let marks = Storage<UInt8>()
  private let marksScratch = Storage<UInt8>()
  private let detail = Storage<SIMD4<Float>>()
  private let keys = Storage<DepthKey>()
  private let untouched = Storage<UInt8>()
  private let behind = BlockStorage()

  init(stage: BlurStage, disparities: DisparityStage) {
    self.stage = stage
    self.disparities = disparities
    workers = stage.workers
  }

  var byteCount: Int {
    marks.byteCount + marksScratch.byteCount + detail.byteCount + keys.byteCount + untouched.byteCount
      + behind.byteCount
  }

  /// What there is to blur.
  struct Input {
    /// The size of full resolution.
    let width: Int
    let height: Int
    /// Linear light at half resolution, which is used up.
    let light: Plane<SIMD4<Float>>
    /// What `disparities` made for `light`.
    let disparity: Plane<Float>
    /// In pixels of full resolution.
    let circle: CircleOfConfusion
    /// Reads the linear light of pixels of a row of full resolution into their places in that row.
    let read: (_ worker: Int, _ y: Int, _ columns: Range<Int>, _ row: UnsafeMutablePointer<SIMD4<Float>>) -> Void
  }

  /// Blurs a picture; the planes of the result are valid until the next call.
  ///
  /// - Parameter finishRow: is called, by any worker, for each row of blocks as soon as it is done.
  func blur(_ input: Input, finishRow: (_ frame: PreviewFrame, _ y: Int) -> Void) -> PreviewFrame {
    let frame = makeFrame(input)
    let largest = stage.findRadii(frame.half, input.circle)
    let hidden = stage.hiddenLayer(
      frame.half, input.circle.reduced(by: 2), DepthKey(index: largest.index / 2, bin: 0))
    let resolutions = Resolutions(
      firstBand: stage.effort.halfResolutionBand, reducedLimit: stage.effort.reducedLimit, largest: largest.index,
      finest: 1)
    frame.marks.mark(
      frame.half.keys, below: resolutions.firstBand.upperBound,
      scratch: marksScratch.plane(frame.half.width, frame.half.height), workers: workers)
    readDetail(frame, input)
    let samples = SampleStage(
      frame: frame.half, tiles: stage.findTiles(frame.half, detail: frame), resolutions: resolutions,
      shape: input.circle.look.discs, workers: workers, splitter: nil, detail: frame)
    let layers = fillHalf(frame, samples, input.circle, hidden)
    fillDetail(frame, samples, input.circle, layers, finishRow)
    return frame
  }

  private func makeFrame(_ input: Input) -> PreviewFrame {
    let (width, height) = (input.light.width, input.light.height)
    return PreviewFrame(
      half: stage.makeFrame(input.light, input.disparity),
      marks: DetailMarks(plane: marks.plane(width, height)), detail: detail.plane(input.width, input.height),
      keys: keys.plane(input.width, input.height), untouched: untouched.plane(input.width, input.height))
  }

  /// Reads the marked blocks' light and disparity, and finds their radii.
  private func readDetail(_ frame: PreviewFrame, _ input: Input) {
    let disparity = disparities.detail(frame.width, frame.height)
    workers.rows(frame.half.height) { worker, blockRows in
      for y in blockRows {
        frame.marks.forEachRun(y, DetailMarks.shown) { blocks in
          for row in frame.rows(y) {
            input.read(worker, row, frame.pixels(blocks), frame.detail.row(row))
            disparity.read(frame.detail, row, frame.pixels(blocks), worker: worker)
          }
          frame.findKeys(y, blocks, disparity.full, input.circle)
        }
      }
    }
  }

  /// Fills half resolution: its result, and its layers where full resolution is shown.
  private func fillHalf(
    _ frame: PreviewFrame, _ samples: SampleStage, _ circle: CircleOfConfusion, _ hidden: BlockPlane?
  ) -> HalfLayers {
    let coarser = stage.fillReduced(samples, circle, downTo: 2)
    let rows = stage.reduced(samples, level: 1)
    let layers = stage.layerPlanes(1, rows, SharedBins(circle, samples.resolutions, level: 1))
    let fill = FillStage(samples: rows, bins: circle.bins, coarser: coarser, hidden: hidden)
    let behind = hidden == nil ? nil : behind.plane(rows.width, rows.height)
    stage.fillRows(rows.width, rows.height) { y, scratch in
      fill.fillHalf(frame, layers, behind, y: y, scratch: scratch)
    }
    return HalfLayers(layers: layers, behind: behind)
  }

  /// Fills the shown blocks at full resolution.
  private func fillDetail(
    _ frame: PreviewFrame, _ samples: SampleStage, _ circle: CircleOfConfusion, _ half: HalfLayers,
    _ finishRow: (_ frame: PreviewFrame, _ y: Int) -> Void
  ) {
    let fill = FillStage(
      samples: stage.detailed(samples), bins: circle.bins, nearBins: circle.nearBins, coarser: half.layers,
      hidden: half.behind)
    stage.fillRows(frame.width, frame.half.height) { y, scratch in
      for row in frame.rows(y) { fill.fillDetail(frame, y: row, scratch: scratch) }
      finishRow(frame, y)
    }
  }
}

/// Half resolution as full resolution needs it.
struct HalfLayers {
  let layers: LayerPlanes
  /// What lies behind, or nil where nothing hides anything.
  let behind: BlockPlane?
}

extension PreviewFrame {
  /// Finds the keys of the pixels of a run of blocks of row `y`, and gives blurred highlights their light; those that full
  /// resolution does not draw have the key of half resolution.
  func findKeys(_ y: Int, _ blocks: Range<Int>, _ disparity: Plane<Float>, _ circle: CircleOfConfusion) {
    let (marks, halfKeys) = (marks.plane.row(y), half.keys.row(y))
    for row in rows(y) {
      let (values, keys) = (disparity.row(row), keys.row(row))
      for x in pixels(blocks) {
        keys[x] = marks[x >> 1] & DetailMarks.drawn != 0 ? circle.key(values[x]) : halfKeys[x >> 1]
      }
      circle.look.highlights?.apply(detail.row(row), keys, pixels(blocks), y: row, size: (width, height))
    }
  }
}

extension FillStage {
  /// Computes row `y` of half resolution: its result, and its layers where full resolution looks at them.
  func fillHalf(
    _ frame: PreviewFrame, _ layers: LayerPlanes, _ behind: BlockPlane?, y: Int, scratch: FillScratch
  ) {
    let sums = sums(y, scratch)
    let (upsampled, hidden) = (upsampled(y, scratch), hidden(y, scratch))
    let (result, linear) = (frame.half.result.row(y), frame.half.linear.row(y))
    forEachBlock { block, columns in
      let coarser = upsampled?.enter(columns) ?? LayerBlock()
      let isQuiet = sums.isQuiet(block) && coarser.hasOnlyBack
      let isRead = frame.marks.has(DetailMarks.read, y, columns)
      if !isRead {
        layers.setEmpty(columns, y)
        behind?.setEmpty(columns, y)
      } else if isQuiet {
        passOn(coarser, layers, columns, y)
      } else {
        fillLayers(layers, sums, coarser, columns, y, seen: result)
      }
      if !isRead && isQuiet && coarser.isWhole, let back = coarser.back {
        for x in columns { result[x] = back[x] / back[x].w }
        return
      }
      if isQuiet || !isRead { fillBlurred(result, sums, coarser, columns) }
      fillBehind(result, isRead ? behind : nil, hidden, columns, y)
      for x in columns { result[x] = result[x].w > Aperture.least ? result[x] / result[x].w : linear[x] }
    }
    sums.finish(samples.width)
  }

  /// Adds what lies behind to a block of half resolution, and hands it to full resolution.
  private func fillBehind(
    _ result: UnsafeMutablePointer<SIMD4<Float>>, _ behind: BlockPlane?, _ hidden: HiddenRow?, _ columns: Range<Int>,
    _ y: Int
  ) {
    guard let hidden else { return }
    let row = behind?.row(y)
    let isSeen = hidden.forEach(columns) { x, light in
      row?[x] = light
      Aperture.fill(&result[x], with: light)
    }
    guard let behind else { return }
    if isSeen { behind.note(columns, y) } else { behind.setEmpty(columns, y) }
  }

  /// Computes the shown pixels of row `y` of full resolution.
  func fillDetail(_ frame: PreviewFrame, y: Int, scratch: FillScratch) {
    frame.untouched.row(y).update(repeating: 0, count: frame.width)
    guard frame.marks.has(DetailMarks.shown, y >> 1) else { return }
    let sums = sums(y, scratch)
    let (upsampled, hidden) = (upsampled(y, scratch), hidden(y, scratch))
    let row = PictureRow(
      y: y, keys: frame.keys, own: frame.detail.row(y), result: frame.detail.row(y), untouched: frame.untouched.row(y))
    let (marks, halfKeys) = (frame.marks.plane.row(y >> 1), frame.half.keys.row(y >> 1))
    forEachBlock { _, columns in
      guard frame.marks.has(DetailMarks.shown, y >> 1, columns.lowerBound >> 1..<(columns.upperBound &+ 1) >> 1) else {
        return
      }
      // What is not shown is computed all the same, so it must not pass for sharp.
      for x in columns where marks[x >> 1] & DetailMarks.shown == 0 { frame.keys[x, y] = halfKeys[x >> 1] }
      fill(row, columns, sums, upsampled?.enter(columns) ?? LayerBlock(), hidden, scratch)
    }
    sums.finish(samples.width)
  }
}
