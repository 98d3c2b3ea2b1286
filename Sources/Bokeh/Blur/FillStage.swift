/// Composites the bins of a row, near to far.
struct FillStage {
  let samples: SampleRows
  let bins: Int
  let nearBins: Int
  /// Layers of half this resolution, which enclose this one's bins.
  let coarser: LayerPlanes?
  /// What lies behind, at half this resolution; it only gets what all else leaves over.
  let hidden: Plane<SIMD4<Float>>?

  /// Computes row `y` of a lower resolution's layers.
  func fillLayers(_ layers: LayerPlanes, y: Int, scratch: FillScratch) {
    let width = samples.width
    let row = BinRow(cells: scratch.cells, stride: BinRow.stride(width), width: width)
    let sums = BinSums(row, touched: row.scatter(samples, y: y), scratch: scratch.bins)
    let front = coarser.map { UpsampledRow($0.front, y: y, values: scratch.front) }
    let back = coarser.map { UpsampledRow($0.back, y: y, values: scratch.back) }
    for x in 0..<width {
      _ = sums.advance(x)
      var near = Aperture()
      if let front { near.take(front[x]) }
      sums.fill(&near, from: 0, to: nearBins)
      layers.front[x, y] = near.light
      var far = Aperture()
      sums.fill(&far, from: nearBins, to: bins)
      if let back { far.take(back[x]) }
      layers.back[x, y] = far.light
    }
    sums.finish(width)
  }

  /// Computes row `y` of a layer that is composited from all bins.
  func fillWhole(_ layer: Plane<SIMD4<Float>>, y: Int, scratch: FillScratch) {
    let width = samples.width
    let row = BinRow(cells: scratch.cells, stride: BinRow.stride(width), width: width)
    let sums = BinSums(row, touched: row.scatter(samples, y: y), scratch: scratch.bins)
    for x in 0..<width {
      _ = sums.advance(x)
      var aperture = Aperture()
      sums.fill(&aperture)
      layer[x, y] = aperture.light
    }
    sums.finish(width)
  }

  /// Computes row `y` of the picture.
  func fillPicture(_ frame: Frame, y: Int, scratch: FillScratch) {
    let width = samples.width
    let row = BinRow(cells: scratch.cells, stride: BinRow.stride(width), width: width)
    let sums = BinSums(row, touched: row.scatter(samples, y: y), scratch: scratch.bins)
    let front = coarser.map { UpsampledRow($0.front, y: y, values: scratch.front) }
    let back = coarser.map { UpsampledRow($0.back, y: y, values: scratch.back) }
    let hidden = hidden.map { UpsampledRow($0, y: y, values: scratch.hidden) }
    for x in 0..<width {
      var weight = sums.advance(x)
      let near = front?[x] ?? .zero
      let far = back?[x] ?? .zero
      weight += near.w + far.w
      let own = frame.linear[x, y]
      let key = frame.keys[x, y]
      if key.isSharp && weight < BinSums.leastWeight {
        frame.result[x, y] = own
        frame.untouched[x, y] = 1
        continue
      }
      var aperture = Aperture()
      aperture.take(near)
      if key.isSharp {
        sums.fill(&aperture, sharp: SIMD4(own, weight: 1), in: Int(truncatingIfNeeded: key.bin))
      } else {
        sums.fill(&aperture)
      }
      aperture.take(far)
      if let hidden { aperture.take(hidden[x]) }
      frame.result[x, y] = SIMD4(aperture.whole ?? own, weight: own.w)
      frame.untouched[x, y] = 0
    }
    sums.finish(width)
  }
}

/// A worker's memory for one row of bins and of coarser layers.
struct FillScratch {
  let cells: UnsafeMutablePointer<SIMD4<Float>>
  let bins: BinScratch
  let front: UnsafeMutablePointer<SIMD4<Float>>
  let back: UnsafeMutablePointer<SIMD4<Float>>
  let hidden: UnsafeMutablePointer<SIMD4<Float>>
}

extension SIMD4<Float> {
  /// The same light with another weight.
  @inline(__always)
  init(_ light: SIMD4<Float>, weight: Float) {
    self = light
    w = weight
  }
}
