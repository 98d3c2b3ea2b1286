internal import CProRes

/// Decodes the slices of one frame on one thread.
struct SliceDecoder {
  let sample: UnsafeRawBufferPointer
  let frame: ProResFrame
  let destination: ProResDestination
  let workspace: SliceWorkspace
  private let scale: ProResScale
  private let matrix: ColorMatrix
  private var dequantiser: Dequantiser
  private var slice: DecodedSlice
  private let blocks: [ProResLayout.Block]
  private let table = SymbolTable.shared

  /// More than a core's own caches hold.
  private static let leastStreamedByteCount = 4 << 20

  private var chroma: ProResFrameHeader.Chroma { frame.header.chroma }
  private var depth: Int { destination.layout.depth }

  init(
    _ sample: UnsafeRawBufferPointer, _ frame: ProResFrame, _ destination: ProResDestination,
    _ workspace: SliceWorkspace, _ options: ProResDecoder.Options
  ) {
    self.sample = sample
    self.frame = frame
    self.destination = destination
    self.workspace = workspace
    scale = options.scale
    matrix = ColorMatrix(code: options.matrix ?? frame.header.matrix, isFullRange: options.isFullRange)
    dequantiser = Dequantiser(frame.header, depth: destination.layout.depth, scale, weights: workspace.weights)
    blocks = destination.layout.blocks(frame.header.chroma, planeCount: destination.planes.count)
    slice = DecodedSlice(workspace.samples)
    slice.isStreaming =
      destination.planes.reduce(0) { $0 + $1.bytesPerRow * destination.height } >= Self.leastStreamedByteCount
    if !frame.header.hasAlpha { fillAlpha() }
  }

  /// Decodes row `row` of macroblocks of a picture; its first slice has the number `firstSlice` in the frame.
  mutating func decode(row: Int, of picture: ProResPicture, firstSlice: Int) {
    let columns = picture.columns.columns
    let offsets = picture.sliceOffsets
    place(row: row, in: picture)
    for index in stride(from: 0, to: columns.count, by: 2) {
      let number = row * columns.count + index
      let hasSecond = index + 1 < columns.count
      if scale == .eighth { prefetchMeans(after: number, offsets) }
      var first = begin(workspace.slots.0, offsets[number]..<offsets[number + 1], columns[index])
      var second: ReadSlice?
      if hasSecond { second = begin(workspace.slots.1, offsets[number + 1]..<offsets[number + 2], columns[index + 1]) }
      if !slice.isStreaming {
        // Their rows are far from each other and from what was written last; reading takes longer than fetching them.
        prefetch(columns[index])
        if hasSecond { prefetch(columns[index + 1]) }
      }
      read(&first, &second)
      finish(first, workspace.slots.0, columns[index], number: firstSlice + number)
      if hasSecond { finish(second, workspace.slots.1, columns[index + 1], number: firstSlice + number + 1) }
    }
  }

  /// Lets other threads see what was written.
  func end() { if slice.isStreaming { cprores_stream_end() } }

  /// Where only DCs are read, no slice is long enough for the processor to see where the next one begins.
  private func prefetchMeans(after number: Int, _ offsets: [Int]) {
    guard let base = sample.baseAddress else { return }
    for slice in number + 4..<number + 6 where slice + 1 < offsets.count {
      cprores_prefetch_input(base + offsets[slice], 2 * CoefficientLane.mostDCBytes)
    }
    for slice in number + 2..<number + 4 where slice + 1 < offsets.count {
      let range = offsets[slice]..<offsets[slice + 1]
      guard let parts = SliceParts(sample, range, hasAlpha: frame.header.hasAlpha) else { continue }
      cprores_prefetch_input(base + parts.planes.chromaBlue.lowerBound, CoefficientLane.mostDCBytes)
      cprores_prefetch_input(base + parts.planes.chromaRed.lowerBound, CoefficientLane.mostDCBytes)
    }
  }

  private func prefetch(_ column: SliceColumns.Column) {
    let macroblock = 16 / scale.rawValue
    let x = column.firstMacroblock * macroblock
    let width = min(macroblock << column.log2Width, destination.width - x)
    for (plane, block) in zip(destination.planes, blocks) {
      let from = slice.row(0, of: plane) + x / block.pixels * block.byteCount
      cprores_prefetch(
        from, slice.rowStep * plane.bytesPerRow, slice.rows, width / block.pixels * block.byteCount)
    }
  }

  private mutating func place(row: Int, in picture: ProResPicture) {
    let rowsInSlice = 16 / scale.rawValue
    let visible = (destination.height - picture.firstRow + picture.rowStep - 1) / picture.rowStep
    slice.firstRow = picture.firstRow + row * rowsInSlice * picture.rowStep
    slice.rowStep = picture.rowStep
    slice.rows = max(0, min(rowsInSlice, visible - row * rowsInSlice))
  }

  private mutating func place(_ column: SliceColumns.Column) {
    let macroblock = 16 / scale.rawValue
    let x = column.firstMacroblock * macroblock
    let width = min(macroblock << column.log2Width, destination.width - x)
    let last = slice.width
    let needsNeighbours = destination.layout == .v210 || destination.layout.chroma(of: chroma) != chroma
    slice.advance(
      to: x, width: width, keepingChromaWidth: needsNeighbours ? chroma == .halved ? last / 2 : last : nil)
  }

  /// Puts grey, opaque samples in place of what is damaged, and reports it where it is seen.
  private func conceal(slice number: Int) {
    for row in 0..<16 {
      let start = row * DecodedSlice.pitch
      for plane in [slice.luma, slice.chromaBlue, slice.chromaRed] {
        (plane + start).update(repeating: 1 << UInt16(depth - 1), count: 128)
      }
      (slice.alpha + start).update(repeating: .max, count: 128)
    }
    if let damage = frame.damage(ofSlice: number, scale: scale) { workspace.damage.append(damage) }
  }
}

// MARK: One slice

/// What is known of a slice while it is read.
private struct ReadSlice {
  let quantiserScale: Int
  /// Y', Cb, Cr.
  var lanes: (CoefficientLane, CoefficientLane, CoefficientLane)
}

extension SliceDecoder {
  /// Reads a slice's header, DCs and alpha. Nil where they are damaged.
  private func begin(_ slot: SliceSlot, _ range: Range<Int>, _ column: SliceColumns.Column) -> ReadSlice? {
    guard let parts = SliceParts(sample, range, hasAlpha: frame.header.hasAlpha) else { return nil }
    var offset = 0
    let log2Luma = column.log2Width + 2
    let log2Chroma = chroma == .halved ? column.log2Width + 1 : log2Luma
    let isInterlaced = frame.header.isInterlaced
    func lane(_ whole: Range<Int>, _ store: CoefficientStore, _ log2Blocks: Int) -> CoefficientLane {
      let range = scale == .eighth ? whole.prefix(CoefficientLane.mostDCBytes) : whole
      return CoefficientLane(
        bytes: slot.padded(sample, range, after: &offset), byteCount: range.count, store: store,
        scan: .table(isInterlaced: isInterlaced, scale, log2Blocks: log2Blocks), log2Blocks: log2Blocks,
        wanted: scale.wantedPositions)
    }
    var lanes = (
      lane(parts.planes.luma, slot.stores.luma, log2Luma),
      lane(parts.planes.chromaBlue, slot.stores.chromaBlue, log2Chroma),
      lane(parts.planes.chromaRed, slot.stores.chromaRed, log2Chroma)
    )
    guard CoefficientLane.readDCs(&lanes.0, &lanes.1, &lanes.2) else { return nil }
    if frame.header.hasAlpha {
      let alpha = slot.padded(sample, parts.planes.alpha, after: &offset)
      guard
        AlphaCode.read(
          alpha, byteCount: parts.planes.alpha.count, isSixteenBits: frame.header.alpha == .sixteenBits,
          into: slot.codedAlpha, count: 256 << column.log2Width)
      else { return nil }
    }
    return ReadSlice(quantiserScale: parts.quantiserScale, lanes: lanes)
  }

  /// Reads the coefficients of two slices together, and makes nil of those that are damaged.
  private func read(_ first: inout ReadSlice?, _ second: inout ReadSlice?) {
    guard scale != .eighth else { return }
    var count = 0
    // Long planes first, so that two are left to the end.
    for lane in [first?.lanes.0, second?.lanes.0, first?.lanes.1, second?.lanes.1, first?.lanes.2, second?.lanes.2] {
      guard let lane else { continue }
      (workspace.lanes.baseAddress! + count).initialize(to: lane)
      count += 1
    }
    guard count > 0 else { return }
    let sound = CoefficientLane.readAll(
      UnsafeMutableBufferPointer(rebasing: workspace.lanes[..<count]), table)
    let isBoth = count == 6
    let planes: UInt32 = isBoth ? 0b010101 : 0b111
    if sound & planes != planes, first != nil { first = nil } else if !isBoth, sound & planes != planes { second = nil }
    if isBoth, sound & 0b101010 != 0b101010 { second = nil }
  }

  private mutating func finish(_ read: ReadSlice?, _ slot: SliceSlot, _ column: SliceColumns.Column, number: Int) {
    place(column)
    if let read {
      dequantiser.set(quantiserScale: read.quantiserScale)
      if frame.header.hasAlpha { placeAlpha(slot, column) }
      transform(slot, column)
    } else {
      slot.clear()
      conceal(slice: number)
    }
    slice.write(to: destination, chroma, matrix)
  }

  private func transform(_ slot: SliceSlot, _ column: SliceColumns.Column) {
    let lumaBlocks = 4 << column.log2Width
    let chromaBlocks = chroma == .halved ? lumaBlocks / 2 : lumaBlocks
    transform(slot.stores.luma, lumaBlocks, slice.luma, isLuma: true)
    transform(slot.stores.chromaBlue, chromaBlocks, slice.chromaBlue, isLuma: false)
    transform(slot.stores.chromaRed, chromaBlocks, slice.chromaRed, isLuma: false)
  }

  private func transform(
    _ store: CoefficientStore, _ blocks: Int, _ samples: UnsafeMutablePointer<UInt16>, isLuma: Bool
  ) {
    let plane = PlaneTransform.Plane(
      levels: store.levels, weights: dequantiser.weights + (isLuma ? 0 : 64), dc: store.dc, blocks: Int32(blocks),
      dcScale: isLuma ? dequantiser.dcScales.luma : dequantiser.dcScales.chroma, dcShift: dequantiser.dcShift,
      inRows: isLuma, middle: 1 << Int32(depth - 1), most: 1 << Int32(depth) - 1, samples: samples,
      samplesPerRow: DecodedSlice.pitch)
    if scale == .full { PlaneTransform.run(plane) } else { ReducedTransform.run(plane, scale) }
  }

  /// Alpha for streams without it.
  private func fillAlpha() {
    for row in 0..<16 { (slice.alpha + row * DecodedSlice.pitch).update(repeating: .max, count: 128) }
  }

  /// Moves alpha to where the other planes are; of reduced sizes, means of squares.
  private func placeAlpha(_ slot: SliceSlot, _ column: SliceColumns.Column) {
    let width = 16 << column.log2Width
    let side = scale.rawValue
    for row in 0..<16 / side {
      let to = slice.alpha + row * DecodedSlice.pitch
      let from = slot.codedAlpha + row * side * width
      if side == 1 {
        to.update(from: from, count: width)
        continue
      }
      for column in 0..<width / side {
        var sum = side * side / 2
        for y in 0..<side { for x in 0..<side { sum += Int(from[y * width + column * side + x]) } }
        to[column] = UInt16(truncatingIfNeeded: sum / (side * side))
      }
    }
  }
}
