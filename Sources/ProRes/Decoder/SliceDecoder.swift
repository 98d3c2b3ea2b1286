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
  private let table = SymbolTable.shared

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
    dequantiser = Dequantiser(frame.header, depth: destination.layout.depth, scale, steps: workspace.steps)
    if !frame.header.hasAlpha { fillAlpha() }
  }

  /// Decodes row `row` of macroblocks of a picture; its first slice has the number `firstSlice` in the frame.
  mutating func decode(row: Int, of picture: ProResPicture, firstSlice: Int) {
    let columns = picture.columns.columns
    place(row: row, in: picture)
    for (index, column) in columns.enumerated() {
      let number = row * columns.count + index
      place(column)
      if !decode(picture.sliceOffsets[number]..<picture.sliceOffsets[number + 1], column) {
        conceal(slice: firstSlice + number)
      }
      workspace.slice.write(to: destination, chroma, matrix)
    }
  }

  private func place(row: Int, in picture: ProResPicture) {
    let rowsInSlice = 16 / scale.rawValue
    let visible = (destination.height - picture.firstRow + picture.rowStep - 1) / picture.rowStep
    workspace.slice.firstRow = picture.firstRow + row * rowsInSlice * picture.rowStep
    workspace.slice.rowStep = picture.rowStep
    workspace.slice.rows = max(0, min(rowsInSlice, visible - row * rowsInSlice))
  }

  private func place(_ column: SliceColumns.Column) {
    let macroblock = 16 / scale.rawValue
    let x = column.firstMacroblock * macroblock
    let width = min(macroblock << column.log2Width, destination.width - x)
    let last = workspace.slice.width
    let needsNeighbours = destination.layout == .v210 || destination.layout.chroma(of: chroma) != chroma
    workspace.slice.advance(
      to: x, width: width, keepingChromaWidth: needsNeighbours ? chroma == .halved ? last / 2 : last : nil)
  }

  /// Puts grey, opaque samples in place of what is damaged, and reports it where it is seen.
  private func conceal(slice number: Int) {
    let slice = workspace.slice
    for row in 0..<16 {
      let start = row * DecodedSlice.pitch
      for plane in [slice.luma, slice.chromaBlue, slice.chromaRed] {
        (plane + start).update(repeating: 1 << UInt16(depth - 1), count: 128)
      }
      (slice.alpha + start).update(repeating: .max, count: 128)
    }
    guard slice.rows > 0 else { return }
    workspace.damage.append(
      .init(
        slice: number, columns: slice.x..<slice.x + slice.width,
        rows: slice.firstRow..<slice.firstRow + (slice.rows - 1) * slice.rowStep + 1, rowStep: slice.rowStep))
  }
}

extension SliceDecoder {
  /// Decodes a slice into the workspace. False where it is damaged.
  private mutating func decode(_ range: Range<Int>, _ column: SliceColumns.Column) -> Bool {
    guard let parts = SliceParts(sample, range, hasAlpha: frame.header.hasAlpha) else { return false }
    dequantiser.set(quantiserScale: parts.quantiserScale)
    guard readPlanes(parts, column) else {
      workspace.stores.luma.clear()
      workspace.stores.chromaBlue.clear()
      workspace.stores.chromaRed.clear()
      return false
    }
    transform(column)
    return true
  }

  private func readPlanes(_ parts: SliceParts, _ column: SliceColumns.Column) -> Bool {
    var offset = 0
    let log2Luma = column.log2Width + 2
    let log2Chroma = chroma == .halved ? column.log2Width + 1 : log2Luma
    func lane(
      _ range: Range<Int>, _ store: CoefficientStore, _ steps: UnsafePointer<ScanStep>, _ log2Blocks: Int
    ) -> CoefficientLane {
      CoefficientLane(
        bytes: workspace.padded(sample, range, after: &offset), byteCount: range.count, store: store, steps: steps,
        log2Blocks: log2Blocks, wanted: scale.wantedPositions)
    }
    var luma = lane(parts.planes.luma, workspace.stores.luma, dequantiser.lumaSteps, log2Luma)
    var blue = lane(parts.planes.chromaBlue, workspace.stores.chromaBlue, dequantiser.chromaSteps, log2Chroma)
    var red = lane(parts.planes.chromaRed, workspace.stores.chromaRed, dequantiser.chromaSteps, log2Chroma)
    guard luma.readDC(), blue.readDC(), red.readDC() else { return false }
    guard scale == .eighth || CoefficientLane.readAll(&luma, &blue, &red, table) else { return false }
    guard frame.header.hasAlpha else { return true }
    let alpha = workspace.padded(sample, parts.planes.alpha, after: &offset)
    guard
      AlphaCode.read(
        alpha, byteCount: parts.planes.alpha.count, isSixteenBits: frame.header.alpha == .sixteenBits,
        into: workspace.codedAlpha, count: 256 << column.log2Width)
    else { return false }
    placeAlpha(column)
    return true
  }

  private func transform(_ column: SliceColumns.Column) {
    let slice = workspace.slice
    let lumaBlocks = 4 << column.log2Width
    let chromaBlocks = chroma == .halved ? lumaBlocks / 2 : lumaBlocks
    transform(workspace.stores.luma, lumaBlocks, dequantiser.dcScales.luma, slice.luma, inRows: true)
    transform(workspace.stores.chromaBlue, chromaBlocks, dequantiser.dcScales.chroma, slice.chromaBlue, inRows: false)
    transform(workspace.stores.chromaRed, chromaBlocks, dequantiser.dcScales.chroma, slice.chromaRed, inRows: false)
  }

  private func transform(
    _ store: CoefficientStore, _ blocks: Int, _ dcScale: Int32, _ samples: UnsafeMutablePointer<UInt16>, inRows: Bool
  ) {
    let plane = PlaneTransform.Plane(
      coefficients: store.coefficients, last: store.last, dc: store.dc, blocks: Int32(blocks), dcScale: dcScale,
      dcShift: dequantiser.dcShift, inRows: inRows, isInterlaced: frame.header.isInterlaced,
      middle: 1 << Int32(depth - 1), most: 1 << Int32(depth) - 1, samples: samples, samplesPerRow: DecodedSlice.pitch)
    if scale == .full { PlaneTransform.run(plane) } else { ReducedTransform.run(plane, scale) }
    UnsafeMutableRawPointer(store.last).initializeMemory(as: UInt8.self, repeating: 0, count: blocks)
  }

  /// Alpha for streams without it.
  private func fillAlpha() {
    for row in 0..<16 { (workspace.slice.alpha + row * DecodedSlice.pitch).update(repeating: .max, count: 128) }
  }

  /// Moves alpha to where the other planes are; of reduced sizes, means of squares.
  private func placeAlpha(_ column: SliceColumns.Column) {
    let width = 16 << column.log2Width
    let side = scale.rawValue
    for row in 0..<16 / side {
      let to = workspace.slice.alpha + row * DecodedSlice.pitch
      let from = workspace.codedAlpha + row * side * width
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
