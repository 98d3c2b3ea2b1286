/// Brings disparity to the picture's resolution: clean → steady in time → edges where the picture has them → upsampled.
final class DisparityStage {
  private let workers: Workers
  private let coarse = Storage<Float>()
  private let refined = Storage<Float>()
  private let slopes = Storage<SIMD4<Float>>()
  private let guide = Storage<SIMD4<Float>>()
  private let guideColumns = Storage<GuideStage.Taps>()
  private let edges = Storage<UInt8>()
  private let least = Storage<Float>()
  private let most = Storage<Float>()
  private let cells = Storage<UInt8>()
  private let lines = Storage<Float>()
  private let unions = Storage<UInt8>()
  private let sums = Storage<ColorSlope.Sums>()
  private let full = Storage<Float>()
  private let columns = PixelColumns.Memory()
  private let detail = Storage<Float>()
  /// What the last call upsampled, and with what; without an upsampler the samples are fine enough.
  private var last: (samples: Plane<Float>, upsampler: GuidedUpsampler?)?
  private let holes = HoleFiller()
  private let history = DisparityHistory()
  private let range = DisparityRange()

  init(workers: Workers) {
    self.workers = workers
  }

  /// Room for the samples of a frame as they are stored; NaN marks what is not valid.
  func input(_ width: Int, _ height: Int) -> Plane<Float> { coarse.plane(width, height) }

  /// The disparity of every pixel of `picture`, and the range of the frame's disparities.
  ///
  /// - Parameters:
  ///   - samples: what `input` gave; it is used up.
  ///   - picture: linear light.
  ///   - focus: the disparity in focus, which also stands where no sample is valid.
  ///   - tolerance: differences in 1/m that nobody sees: what makes a radius of less than a pixel.
  ///   - isRough: whether samples that are finer give way to the nearest of them, as `detail` looks at them again
  ///     where that shows.
  ///   - isSteady: whether samples may be smoothed with those of the frame before.
  func upsample(
    _ samples: Plane<Float>, to picture: Plane<SIMD4<Float>>, focus: Float, tolerance: Float, isSteady: Bool,
    isRough: Bool = false
  ) -> (disparity: Plane<Float>, range: ClosedRange<Float>) {
    holes.fill(samples, fallback: focus, workers: workers)
    let range = range.measure(samples)
    let step = max(tolerance, (range.upperBound - range.lowerBound) * DisparityStage.edgeShare)
    let full = full.plane(picture.width, picture.height)
    guard samples.width < picture.width || samples.height < picture.height else {
      history.forget()
      pick(samples, full, isRough: isRough)
      last = (samples, nil)
      if !isRough { takeLampRims(picture, full) }
      return (full, range)
    }
    let upsampler = prepare(samples, picture, step, focus, isSteady: isSteady)
    last = (upsampler.samples, upsampler)
    let between = WorkerRows(samples.width + 1, in: lines, workers)
    workers.rows(full.height) { worker, rows in
      for y in rows { upsampler.apply(picture, full, y, 0..<full.width, between[worker]) }
    }
    if !isRough { takeLampRims(picture, full) }
    return (full, range)
  }

  /// Gives the rims of lamps the lamps' disparity.
  private func takeLampRims(_ picture: Plane<SIMD4<Float>>, _ full: Plane<Float>) {
    let rims = LampRims(picture: picture, disparity: full)
    workers.rows(full.height) { _, rows in
      for y in rows { rims.apply(y) }
    }
  }

  /// Steadies the samples, moves edges to where the picture has them, and learns how disparity goes with colour beside them.
  private func prepare(
    _ samples: Plane<Float>, _ picture: Plane<SIMD4<Float>>, _ step: Float, _ focus: Float, isSteady: Bool
  ) -> GuidedUpsampler {
    let guide = guide.plane(samples.width, samples.height)
    let stage = GuideStage(picture: picture, guide: guide, columns: guideColumns, workers: workers)
    if isSteady {
      stage.reduce()
      history.smooth(samples, guide: guide, step: step, workers: workers)
    } else {
      history.forget()
    }
    let edges = findEdges(samples, step)
    if !isSteady { stage.reduce(around: edges.marks, reach: DisparityStage.edgeReach, unions: unions) }
    let refined = refine(samples, guide, edges, origin: focus)
    let cells = findCells(refined, edges, step)
    return GuidedUpsampler(
      samples: refined, guide: guide, cells: cells, slopes: findSlopes(refined, guide, edges, cells, origin: focus),
      focus: focus, size: (picture.width, picture.height), columns: columns)
  }

  private func findEdges(_ samples: Plane<Float>, _ step: Float) -> EdgeMap {
    let (width, height) = (samples.width, samples.height)
    let map = EdgeMap(
      marks: edges.plane(width, height), least: least.plane(width, height), most: most.plane(width, height))
    map.mark(samples, step: step, reach: DisparityStage.edgeReach, lines: lines, workers: workers)
    return map
  }

  private func refine(
    _ samples: Plane<Float>, _ guide: Plane<SIMD4<Float>>, _ edges: EdgeMap, origin: Float
  ) -> Plane<Float> {
    let refined = refined.plane(samples.width, samples.height)
    let sums = WorkerRows(samples.width, in: sums, workers)
    let wide = ColorSlope(samples: samples, guide: guide, reach: DisparityStage.edgeReach, origin: origin)
    workers.rows(refined.height) { worker, rows in
      for y in rows { wide.refine(refined, y, edges, sums[worker]) }
    }
    return refined
  }

  private func findCells(_ samples: Plane<Float>, _ edges: EdgeMap, _ step: Float) -> Plane<UInt8> {
    let cells = cells.plane(samples.width, samples.height)
    let marker = SampleCells(samples: samples, step: step)
    workers.rows(cells.height) { _, rows in
      for y in rows { marker.mark(cells, y, edges.marks) }
    }
    return cells
  }

  private func findSlopes(
    _ samples: Plane<Float>, _ guide: Plane<SIMD4<Float>>, _ edges: EdgeMap, _ cells: Plane<UInt8>, origin: Float
  ) -> Plane<SIMD4<Float>> {
    let slopes = slopes.plane(samples.width, samples.height)
    let sums = WorkerRows(samples.width, in: sums, workers)
    let unions = WorkerRows(samples.width, in: unions, workers)
    let slope = ColorSlope(samples: samples, guide: guide, reach: DisparityStage.slopeReach, origin: origin)
    workers.rows(slopes.height) { worker, rows in
      for y in rows {
        let near = cells.union(of: max(y &- 1, 0)...y, in: unions[worker])
        slope.apply(slopes, y, edges, cells: near, sums[worker])
      }
    }
    return slopes
  }

  /// What brings the last call's disparity to a higher resolution in parts.
  func detail(_ width: Int, _ height: Int) -> DetailDisparity {
    guard let last else { preconditionFailure("Parts of a frame come after the whole.") }
    return DetailDisparity(
      upsampler: last.upsampler.map { $0.resized(width, height, columns: columns) }, samples: last.samples,
      full: detail.plane(width, height), rows: WorkerRows(last.samples.width + 1, in: lines, workers))
  }

  /// Differences in 1/m that nobody sees.
  static func tolerance(_ radiusPerDisparity: Float) -> Float {
    invisibleRadius / max(radiusPerDisparity, .leastNormalMagnitude)
  }

  /// Differences of radius in pixels that nobody sees.
  private static let invisibleRadius: Float = 0.75

  var byteCount: Int {
    coarse.byteCount + refined.byteCount + slopes.byteCount + guide.byteCount + guideColumns.byteCount
      + edges.byteCount + least.byteCount + most.byteCount + cells.byteCount + lines.byteCount + unions.byteCount
      + sums.byteCount
      + full.byteCount + columns.byteCount + detail.byteCount + holes.byteCount + history.byteCount
  }

  /// How many samples around an edge are looked at: coarse disparity has it this far from where the picture does.
  private static let edgeReach = 3
  /// How many samples around one say how disparity goes with colour there.
  private static let slopeReach = 2

  /// The part of a frame's range of disparities by which the two sides of an edge differ at least.
  static let edgeShare: Float = 0.1

  /// Takes the nearest sample: what there is is fine enough.
  private func pick(_ samples: Plane<Float>, _ full: Plane<Float>, isRough: Bool) {
    workers.rows(full.height) { _, rows in
      for y in rows {
        if isRough {
          DisparityStage.pickNearest(samples, full, y)
        } else {
          DisparityStage.pick(samples, full, y, 0..<full.width)
        }
      }
    }
  }

  /// Takes the sample nearest to the camera of those that a value stands for.
  private static func pickNearest(_ samples: Plane<Float>, _ full: Plane<Float>, _ y: Int) {
    let top = y &* samples.height / full.height
    let rows = top...max(top, (y &+ 1) &* samples.height / full.height &- 1)
    var left = 0
    for x in 0..<full.width {
      let next = (x &+ 1) &* samples.width / full.width
      full[x, y] = samples.range(left...max(left, next &- 1), rows).upperBound
      left = next
    }
  }

  static func pick(_ samples: Plane<Float>, _ full: Plane<Float>, _ y: Int, _ columns: Range<Int>) {
    let source = samples.row((2 &* y &+ 1) &* samples.height / (2 &* full.height))
    for x in columns { full[x, y] = source[(2 &* x &+ 1) &* samples.width / (2 &* full.width)] }
  }
}

/// Replaces samples that are not valid by what is around them.
final class HoleFiller {
  private let values = Storage<SIMD4<Float>>()
  private let weights = Storage<Float>()
  private let pushPull = PushPull()

  var byteCount: Int { values.byteCount + weights.byteCount + pushPull.byteCount }

  /// A sample is valid if it is a number from 0 to this.
  static let largestValid: Float = 10_000

  static func isValid(_ disparity: Float) -> Bool { disparity >= 0 && disparity <= largestValid }

  /// - Parameter fallback: the value of all samples where none is valid.
  func fill(_ plane: Plane<Float>, fallback: Float, workers: Workers) {
    var holes = 0
    for i in 0..<plane.count where !HoleFiller.isValid(plane.base[i]) { holes &+= 1 }
    guard holes > 0 else { return }
    guard holes < plane.count else { return plane.fill(fallback) }
    let values = values.plane(plane.width, plane.height)
    let weights = weights.plane(plane.width, plane.height)
    for i in 0..<plane.count {
      let isValid = HoleFiller.isValid(plane.base[i])
      values.base[i] = SIMD4(repeating: isValid ? plane.base[i] : 0)
      weights.base[i] = isValid ? 1 : 0
    }
    pushPull.fill(values, weight: weights, reach: max(plane.width, plane.height), workers: workers)
    for i in 0..<plane.count where !HoleFiller.isValid(plane.base[i]) {
      plane.base[i] = weights.base[i] > 0 ? values.base[i].x : fallback
    }
  }
}
