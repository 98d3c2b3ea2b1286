/// Composites the bins of a row, near to far.
struct FillStage {
  let samples: SampleRows
  let bins: Int
  /// Of these those nearer than the focus; what fills layers does not ask.
  var nearBins = 0
  /// Layers of half this resolution, which enclose this one's bins.
  let coarser: LayerPlanes?
  /// What lies behind, at this resolution or half of it; it only gets what all else leaves over.
  let hidden: Plane<SIMD4<Float>>?

  /// Scatters what reaches row `y` and makes its bins ready to be summed.
  func sums(_ y: Int, _ scratch: FillScratch) -> BinSums {
    let row = BinRow(samples.width, scratch)
    let touched = row.scatter(samples, y: y)
    return BinSums(row, touched: touched, always: coarser?.bins.touched ?? 0, scratch: scratch.bins)
  }

  /// Computes row `y` of a layer that is composited from all bins.
  func fillWhole(_ layer: Plane<SIMD4<Float>>, y: Int, scratch: FillScratch) {
    let sums = sums(y, scratch)
    let row = layer.row(y)
    row.update(repeating: .zero, count: samples.width)
    forEachBlock { _, columns in
      sums.sumBlock(columns) { _, x, sum in Aperture.fill(&row[x], with: sum) }
    }
    sums.finish(samples.width)
  }

  /// Computes row `y` of a lower resolution's layers.
  func fillLayers(_ layers: LayerPlanes, y: Int, scratch: FillScratch) {
    let sums = sums(y, scratch)
    let coarser = coarser.map { UpsampledLayers($0, y: y, scratch) }
    forEachBlock { block, columns in
      if let coarser, sums.isQuiet(block), coarser.hasOnlyBack(columns, least: 0) {
        passOn(coarser, layers, columns, y)
      } else {
        fillLayers(layers, sums, coarser, columns, y)
      }
    }
    sums.finish(samples.width)
  }

  /// Calls `body` for each block of a row.
  @inline(__always)
  func forEachBlock(_ body: (_ block: Int, _ columns: Range<Int>) -> Void) {
    for first in stride(from: 0, to: samples.width, by: BinRow.block) {
      body(first / BinRow.block, first..<min(first &+ BinRow.block, samples.width))
    }
  }

  /// Hands a block of which only the background of a coarser resolution is seen to the finer one.
  private func passOn(_ coarser: UpsampledLayers, _ layers: LayerPlanes, _ columns: Range<Int>, _ y: Int) {
    (layers.front.row(y) + columns.lowerBound).update(repeating: .zero, count: columns.count)
    (layers.near.row(y) + columns.lowerBound).update(repeating: .zero, count: columns.count)
    (layers.far.row(y) + columns.lowerBound).update(repeating: .zero, count: columns.count)
    let back = layers.back.row(y)
    for x in columns { back[x] = coarser.back[x] }
  }

  /// Computes a block of a lower resolution's layers.
  private func fillLayers(
    _ layers: LayerPlanes, _ sums: BinSums, _ coarser: UpsampledLayers?, _ columns: Range<Int>, _ y: Int
  ) {
    let (front, near) = (layers.front.row(y), layers.near.row(y))
    let (far, back) = (layers.far.row(y), layers.back.row(y))
    for x in columns {
      (front[x], near[x], far[x], back[x]) = (.zero, .zero, .zero, .zero)
      if let coarser { Aperture.fill(&front[x], with: coarser.front[x]) }
    }
    sums.sumBlock(columns, coarser) { bin, x, sum in
      if bin < layers.bins.near.lowerBound { Aperture.fill(&front[x], with: sum) }
      if layers.bins.near.contains(bin) { near[x] += sum }
      if layers.bins.far.contains(bin) { far[x] += sum }
      guard bin > layers.bins.far.upperBound else { return }
      if back[x].w == 0 { back[x].w = LayerPlanes.occupied(front[x], near[x], far[x]) }
      Aperture.fill(&back[x], with: sum)
    }
    for x in columns {
      let occupied = LayerPlanes.occupied(front[x], near[x], far[x])
      if back[x].w == 0 { back[x].w = occupied }
      if let coarser { Aperture.fill(&back[x], with: coarser.back[x]) }
      back[x].w -= occupied
    }
  }

  /// Fills the apertures of a block of pixels none of which is sharp, in `row`.
  @inline(__always)
  func fillBlurred(
    _ row: UnsafeMutablePointer<SIMD4<Float>>, _ sums: BinSums, _ coarser: UpsampledLayers?, _ columns: Range<Int>
  ) {
    for x in columns {
      row[x] = .zero
      if let coarser { Aperture.fill(&row[x], with: coarser.front[x]) }
    }
    sums.sumBlock(columns, coarser) { _, x, sum in Aperture.fill(&row[x], with: sum) }
    guard let coarser else { return }
    for x in columns { Aperture.fill(&row[x], with: coarser.back[x]) }
  }

  /// A background that fills at least this part of an aperture is all that is seen there: the rest counts as a gap.
  static let leastBackground: Float = 0.99

  /// Hands what the bins hold at pixel (x, y) to the finer resolution.
  @inline(__always)
  func splitLayers(_ layers: LayerPlanes, _ x: Int, _ y: Int, _ sums: BinSums, _ coarser: UpsampledLayers?) {
    var front = Aperture()
    if let coarser { front.take(coarser.front[x]) }
    sums.fill(&front, from: 0, to: layers.bins.near.lowerBound)
    let (near, far) = (sums.sum(layers.bins.near), sums.sum(layers.bins.far))
    let occupied = LayerPlanes.occupied(front.light, near, far)
    var back = Aperture(light: SIMD4(.zero, weight: occupied))
    sums.fill(&back, from: layers.bins.far.upperBound &+ 1, to: bins)
    if let coarser { back.take(coarser.back[x]) }
    layers.front[x, y] = front.light
    (layers.near[x, y], layers.far[x, y]) = (near, far)
    layers.back[x, y] = SIMD4(back.light, weight: back.light.w - occupied)
  }

  /// Computes row `y` of the picture.
  func fillPicture(_ frame: Frame, y: Int, scratch: FillScratch) {
    let sums = sums(y, scratch)
    let coarser = coarser.map { UpsampledLayers($0, y: y, scratch) }
    let hidden = hidden.map { HiddenRow($0, size: (samples.width, samples.height), y: y, scratch: scratch.row(4)) }
    forEachBlock { block, columns in
      if hasTight(frame.keys.row(y), columns) {
        for x in columns { fillPixel(frame, x, y, sums, coarser, hidden) }
        return
      }
      (frame.untouched.row(y) + columns.lowerBound).update(repeating: 0, count: columns.count)
      if let coarser, sums.isQuiet(block), coarser.hasOnlyBack(columns, least: FillStage.leastBackground) {
        return fillBackground(frame, coarser, columns, y)
      }
      let (result, linear) = (frame.result.row(y), frame.linear.row(y))
      fillBlurred(result, sums, coarser, columns)
      for x in columns {
        var aperture = Aperture(light: result[x])
        if let hidden { aperture.take(hidden[x]) }
        result[x] = SIMD4(aperture.whole ?? linear[x], weight: linear[x].w)
      }
    }
    sums.finish(samples.width)
  }

  /// Whether any pixel is sharp or has next to no blur.
  @inline(__always)
  private func hasTight(_ keys: UnsafeMutablePointer<DepthKey>, _ columns: Range<Int>) -> Bool {
    var found: UInt32 = 0
    for x in columns { found |= keys[x].isTight ? 1 : 0 }
    return found != 0
  }

  /// Computes pixels of which only the background of a coarser resolution is seen.
  private func fillBackground(_ frame: Frame, _ coarser: UpsampledLayers, _ columns: Range<Int>, _ y: Int) {
    let (linear, result) = (frame.linear.row(y), frame.result.row(y))
    for x in columns {
      let back = coarser.back[x]
      result[x] = SIMD4(back / back.w, weight: linear[x].w)
    }
  }

  @inline(__always)
  private func fillPixel(
    _ frame: Frame, _ x: Int, _ y: Int, _ sums: BinSums, _ coarser: UpsampledLayers?, _ hidden: HiddenRow?
  ) {
    var weight = sums.advance(x)
    var (front, back) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    if let coarser {
      (front, back) = (coarser.front[x], coarser.back[x])
      weight += coarser.add(x, to: sums) + front.w + back.w
    }
    let own = frame.linear[x, y]
    let key = frame.keys[x, y]
    let isUntouched = key.isSharp && weight < BinSums.leastWeight
    frame.untouched[x, y] = isUntouched ? 1 : 0
    frame.result[x, y] =
      isUntouched
      ? own
      : SIMD4(
        composite(own, Surface(frame.keys, x, y, nearBins), sums, front, back, hidden?[x] ?? .zero), weight: own.w)
  }

  /// The light of a pixel whose own is `own`, from all layers.
  @inline(__always)
  func composite(
    _ own: SIMD4<Float>, _ surface: Surface, _ sums: BinSums, _ front: SIMD4<Float>, _ back: SIMD4<Float>,
    _ hidden: SIMD4<Float>
  ) -> SIMD4<Float> {
    let bin = Int(truncatingIfNeeded: surface.key.bin)
    var aperture = Aperture()
    aperture.take(front)
    if surface.key.isSharp {
      sums.fill(&aperture, sharp: SIMD4(own, weight: 1), in: bin)
    } else if surface.key.isTight {
      sums.fill(&aperture, from: 0, to: bin &+ 1)
      if aperture.light.w < 1, surface.isUnbroken { aperture.close(own) }
      sums.fill(&aperture, from: bin &+ 1, to: bins)
    } else {
      sums.fill(&aperture)
    }
    aperture.take(back)
    aperture.take(hidden)
    return aperture.whole ?? own
  }
}

/// A worker's memory for one row of bins and of coarser layers.
struct FillScratch {
  let cells: UnsafeMutablePointer<SIMD4<Float>>
  let marks: UnsafeMutablePointer<UInt32>
  let bins: BinScratch
  let rows: UnsafeMutablePointer<SIMD4<Float>>
  let rowLength: Int
  static let rowCount = 5

  /// Room for one row of a coarser plane.
  func row(_ number: Int) -> UnsafeMutablePointer<SIMD4<Float>> { rows + number &* rowLength }
}

extension SIMD4<Float> {
  /// The same light with another weight.
  @inline(__always)
  init(_ light: SIMD4<Float>, weight: Float) {
    self = light
    w = weight
  }
}
