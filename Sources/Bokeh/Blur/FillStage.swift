/// Composites the bins of a row, near to far.
struct FillStage {
  let samples: SampleRows
  let bins: Int
  /// Of these those nearer than the focus; what fills layers does not ask.
  var nearBins = 0
  /// Layers of half this resolution, which enclose this one's bins.
  let coarser: LayerPlanes?
  /// What lies behind, at this resolution or half of it; it only gets what all else leaves over.
  let hidden: BlockPlane?

  /// Scatters what reaches row `y` and makes its bins ready to be summed.
  func sums(_ y: Int, _ scratch: FillScratch) -> BinSums {
    let row = BinRow(samples.width, scratch)
    let touched = row.scatter(samples, y: y)
    return BinSums(row, touched: touched, scratch: scratch.bins)
  }

  /// What a coarser resolution hands to row `y`.
  func upsampled(_ y: Int, _ scratch: FillScratch) -> UpsampledLayers? {
    coarser.map { UpsampledLayers($0, y: y, scratch) }
  }

  /// What lies behind row `y`.
  func hidden(_ y: Int, _ scratch: FillScratch) -> HiddenRow? {
    hidden.map { HiddenRow($0, size: (samples.width, samples.height), y: y, scratch: scratch.row(4)) }
  }

  /// Computes row `y` of a layer that is composited from all bins.
  func fillWhole(_ layer: BlockPlane, y: Int, scratch: FillScratch) {
    let sums = sums(y, scratch)
    forEachBlock { block, columns in
      guard !sums.isQuiet(block) else { return layer.setEmpty(columns, y) }
      fillBlurred(layer.row(y), sums, LayerBlock(), columns)
      layer.note(columns, y)
    }
    sums.finish(samples.width)
  }

  /// Computes row `y` of a lower resolution's layers.
  func fillLayers(_ layers: LayerPlanes, y: Int, scratch: FillScratch) {
    let sums = sums(y, scratch)
    let upsampled = upsampled(y, scratch)
    forEachBlock { block, columns in
      let coarser = upsampled?.enter(columns) ?? LayerBlock()
      if sums.isQuiet(block), coarser.hasOnlyBack {
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

  /// Hands a block of which at most the background of a coarser resolution is seen to the finer one.
  func passOn(_ coarser: LayerBlock, _ layers: LayerPlanes, _ columns: Range<Int>, _ y: Int) {
    layers.setEmpty(columns, y)
    guard let back = coarser.back else { return }
    let row = layers.back.row(y)
    for x in columns { row[x] = back[x] }
    layers.back.note(columns, y)
  }

  /// Computes a block of a lower resolution's layers, and its apertures in `seen` if it is seen at this one too.
  func fillLayers(
    _ layers: LayerPlanes, _ sums: BinSums, _ coarser: LayerBlock, _ columns: Range<Int>, _ y: Int,
    seen: UnsafeMutablePointer<SIMD4<Float>>? = nil
  ) {
    let (front, near) = (layers.front.row(y), layers.near.row(y))
    let (far, back) = (layers.far.row(y), layers.back.row(y))
    let active = sums.enter(columns.lowerBound / BinRow.block, coarser.bins)
    let isOpen = active & layers.bins.before == 0 && coarser.front == nil
    if !isOpen { for x in columns { (front[x], near[x], far[x]) = (.zero, .zero, .zero) } }
    for x in columns { back[x] = .zero }
    if let other = coarser.front { for x in columns { Aperture.fill(&front[x], with: other[x]) } }
    if let seen { for x in columns { seen[x] = isOpen ? .zero : front[x] } }
    var isBehind = isOpen
    for i in 0..<sums.count {
      let bin = sums.bin(i)
      if bin > layers.bins.far.upperBound && !isBehind {
        isBehind = true
        for x in columns { back[x].w = LayerPlanes.occupied(front[x], near[x], far[x]) }
      }
      sums.sum(i, columns, coarser.bin(bin)) { x, sum in
        // Whatever is nearer to the focus than the shared bins is not drawn here.
        if bin < layers.bins.near.lowerBound {
          Aperture.fill(&front[x], with: sum)
        } else if bin <= layers.bins.near.upperBound {
          near[x] += sum
        } else if bin <= layers.bins.far.upperBound {
          far[x] += sum
        } else {
          Aperture.fill(&back[x], with: sum)
        }
        if let seen { Aperture.fill(&seen[x], with: sum) }
      }
    }
    if let other = coarser.back, let seen { for x in columns { Aperture.fill(&seen[x], with: other[x]) } }
    finishLayers(layers, coarser, columns, y, isOpen: isOpen, isBehind: isBehind)
  }

  /// Adds the background of a coarser resolution to a block of layers, and notes what they hold.
  ///
  /// - Parameters:
  ///   - isOpen: whether nothing lies before `back`.
  ///   - isBehind: whether `back` has the part of the apertures that is filled before it.
  private func finishLayers(
    _ layers: LayerPlanes, _ coarser: LayerBlock, _ columns: Range<Int>, _ y: Int, isOpen: Bool, isBehind: Bool
  ) {
    let back = layers.back.row(y)
    if isOpen {
      if let other = coarser.back { for x in columns { Aperture.fill(&back[x], with: other[x]) } }
      layers.setEmpty(columns, y)
    } else {
      let (front, near, far) = (layers.front.row(y), layers.near.row(y), layers.far.row(y))
      for x in columns {
        let occupied = LayerPlanes.occupied(front[x], near[x], far[x])
        if !isBehind { back[x].w = occupied }
        if let other = coarser.back { Aperture.fill(&back[x], with: other[x]) }
        back[x].w -= occupied
      }
      layers.front.note(columns, y)
      layers.near.note(columns, y)
      layers.far.note(columns, y)
    }
    layers.back.note(columns, y)
  }

  /// Fills the apertures of a block of pixels none of which is sharp, in `row`.
  @inline(__always)
  func fillBlurred(
    _ row: UnsafeMutablePointer<SIMD4<Float>>, _ sums: BinSums, _ coarser: LayerBlock, _ columns: Range<Int>
  ) {
    for x in columns { row[x] = .zero }
    if let front = coarser.front { for x in columns { Aperture.fill(&row[x], with: front[x]) } }
    sums.enter(columns.lowerBound / BinRow.block, coarser.bins)
    for i in 0..<sums.count {
      sums.sum(i, columns, coarser.bin(sums.bin(i))) { x, sum in Aperture.fill(&row[x], with: sum) }
    }
    if let back = coarser.back { for x in columns { Aperture.fill(&row[x], with: back[x]) } }
  }

  /// Computes row `y` of the picture.
  func fillPicture(_ frame: Frame, y: Int, scratch: FillScratch) {
    let sums = sums(y, scratch)
    let (upsampled, hidden) = (upsampled(y, scratch), hidden(y, scratch))
    let row = PictureRow(
      y: y, keys: frame.keys, own: frame.linear.row(y), result: frame.result.row(y), untouched: frame.untouched.row(y))
    forEachBlock { _, columns in
      fill(row, columns, sums, upsampled?.enter(columns) ?? LayerBlock(), hidden, scratch)
    }
    sums.finish(samples.width)
  }

  /// Computes a block of pixels.
  func fill(
    _ row: PictureRow, _ columns: Range<Int>, _ sums: BinSums, _ coarser: LayerBlock, _ hidden: HiddenRow?,
    _ scratch: FillScratch
  ) {
    let isNarrow = row.hasNarrow(columns)
    if sums.isQuiet(columns.lowerBound / BinRow.block), coarser.hasOnlyBack {
      if !isNarrow, let back = coarser.back, coarser.isWhole { return row.show(back, columns) }
      if coarser.back == nil, row.isSharp(columns) { return row.keep(columns) }
    }
    let light = scratch.light - columns.lowerBound
    let weights = scratch.weights - columns.lowerBound
    if isNarrow {
      fillNarrow(row, light, weights, sums, coarser, columns)
    } else {
      fillBlurred(light, sums, coarser, columns)
    }
    _ = hidden?.forEach(columns) { x, behind in Aperture.fill(&light[x], with: behind) }
    for x in columns {
      let own = row.own[x]
      let isUntouched = isNarrow && row.key(x).isSharp && weights[x] < BinSums.leastWeight
      row.untouched[x] = isUntouched ? 1 : 0
      row.result[x] =
        isUntouched || light[x].w <= Aperture.least ? own : SIMD4(light[x] * (1 / light[x].w), weight: own.w)
    }
  }

  /// Fills the apertures of a block of pixels some of which are sharp or may leave gaps, in `light`, and adds up the
  /// weights of all that others spread there.
  private func fillNarrow(
    _ row: PictureRow, _ light: UnsafeMutablePointer<SIMD4<Float>>, _ weights: UnsafeMutablePointer<Float>,
    _ sums: BinSums, _ coarser: LayerBlock, _ columns: Range<Int>
  ) {
    var closingBins: UInt32 = 0
    for x in columns {
      (light[x], weights[x]) = (.zero, 0)
      if row.key(x).isNarrow { closingBins |= 1 &<< row.key(x).bin | 1 &<< closingBin(row.key(x)) }
    }
    @inline(__always)
    func take(_ x: Int, _ layer: SIMD4<Float>, sharp: SIMD4<Float> = .zero) {
      weights[x] += max(layer.w, 0)
      Aperture.fill(&light[x], with: layer + sharp)
    }
    if let front = coarser.front { for x in columns { take(x, front[x]) } }
    sums.enter(columns.lowerBound / BinRow.block, closingBins | coarser.bins)
    for i in 0..<sums.count {
      let bin = sums.bin(i)
      if closingBins & 1 &<< UInt32(bin) == 0 {
        sums.sum(i, columns, coarser.bin(bin)) { x, sum in take(x, sum) }
      } else {
        sums.sum(i, columns, coarser.bin(bin)) { x, sum in
          let isSharp = row.key(x).isSharp && row.key(x).bin == bin
          take(x, sum, sharp: isSharp ? SIMD4(row.own[x], weight: 1) : .zero)
        }
        closeGaps(row, light, columns, bin)
      }
    }
    if let back = coarser.back { for x in columns { take(x, back[x]) } }
  }

  /// The bin after which a pixel's gap is closed: its own one, or the next if more of its surface may lie there.
  @inline(__always)
  private func closingBin(_ key: DepthKey) -> UInt32 {
    key.isTight ? key.bin : min(key.bin &+ 1, UInt32(truncatingIfNeeded: bins &- 1))
  }

  /// Closes gaps once all up to the pixels' closing bins has been taken.
  @inline(__always)
  private func closeGaps(
    _ row: PictureRow, _ light: UnsafeMutablePointer<SIMD4<Float>>, _ columns: Range<Int>, _ bin: Int
  ) {
    for x in columns {
      let key = row.key(x)
      guard key.isNarrow, !key.isSharp, closingBin(key) == bin, light[x].w < (key.isTight ? 1 : FillStage.leastWhole),
        Surface(row.keys, x, row.y, nearBins).closesGap
      else { continue }
      light[x] += SIMD4(row.own[x], weight: 1) * (1 - light[x].w)
    }
  }

  /// What is filled at least this far has no gap that anyone sees.
  private static let leastWhole: Float = 0.98
}

/// A row of pixels that are composited from what is spread there and, where they are sharp, from themselves.
struct PictureRow {
  let y: Int
  let keys: Plane<DepthKey>
  /// Linear light; `w` is the picture's own alpha, which is kept.
  let own: UnsafeMutablePointer<SIMD4<Float>>
  /// May be the same memory.
  let result: UnsafeMutablePointer<SIMD4<Float>>
  /// 1 where a pixel is in focus and no other disc reaches it.
  let untouched: UnsafeMutablePointer<UInt8>

  @inline(__always)
  func key(_ x: Int) -> DepthKey { keys.base[y &* keys.width &+ x] }

  /// Whether any pixel is sharp or may leave a gap.
  @inline(__always)
  func hasNarrow(_ columns: Range<Int>) -> Bool {
    var found: UInt32 = 0
    for x in columns { found |= key(x).isNarrow ? 1 : 0 }
    return found != 0
  }

  /// Whether all pixels are sharp.
  @inline(__always)
  func isSharp(_ columns: Range<Int>) -> Bool {
    for x in columns where !key(x).isSharp { return false }
    return true
  }

  /// Shows the background of a coarser resolution alone.
  func show(_ back: UpsampledBlock, _ columns: Range<Int>) {
    for x in columns {
      untouched[x] = 0
      let light = back[x]
      result[x] = SIMD4(light * (1 / light.w), weight: own[x].w)
    }
  }

  /// Keeps pixels as they are.
  func keep(_ columns: Range<Int>) {
    for x in columns {
      untouched[x] = 1
      result[x] = own[x]
    }
  }
}

/// A worker's memory for one row of bins and of coarser layers.
struct FillScratch {
  let cells: UnsafeMutablePointer<SIMD4<Float>>
  let marks: UnsafeMutablePointer<UInt32>
  let bins: BinScratch
  /// Of a block of pixels.
  let light: UnsafeMutablePointer<SIMD4<Float>>
  let weights: UnsafeMutablePointer<Float>
  let rows: UnsafeMutablePointer<SIMD4<Float>>
  let rowLength: Int
  static let rowCount = 5

  /// Room for one row of a coarser plane and a value at each end.
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
