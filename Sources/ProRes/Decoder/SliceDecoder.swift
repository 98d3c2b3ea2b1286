internal import CProRes

/// Decodes the slices of one frame on one thread.
struct SliceDecoder {
  let sample: UnsafeRawBufferPointer
  let frame: ProResFrame
  let destination: ProResDestination
  let workspace: SliceWorkspace
  private var dequantiser: Dequantiser
  private let table = SymbolTable.shared
  private var depth: Int { destination.layout.depth }

  init(
    _ sample: UnsafeRawBufferPointer, _ frame: ProResFrame, _ destination: ProResDestination,
    _ workspace: SliceWorkspace
  ) {
    self.sample = sample
    self.frame = frame
    self.destination = destination
    self.workspace = workspace
    let depth = destination.layout.depth
    dequantiser = Dequantiser(frame.header, depth: depth, steps: workspace.steps) {
      PlaneTransform.factor($0, $1, depth: depth)
    }
    workspace.slice.isChromaHalved = frame.header.chroma == .halved
  }

  /// Decodes row `row` of macroblocks of a picture; its first slice has the number `firstSlice` in the frame.
  mutating func decode(row: Int, of picture: ProResPicture, firstSlice: Int) {
    let columns = picture.columns.columns
    for (index, column) in columns.enumerated() {
      let number = row * columns.count + index
      let range = picture.sliceOffsets[number]..<picture.sliceOffsets[number + 1]
      if !decode(range, column) {
        workspace.damaged.append(firstSlice + number)
        conceal()
      }
      place(row: row, column, in: picture)
      workspace.slice.write(to: destination)
    }
  }

  private func place(row: Int, _ column: SliceColumns.Column, in picture: ProResPicture) {
    workspace.slice.x = column.firstMacroblock * 16
    workspace.slice.width = min(16 << column.log2Width, frame.header.width - column.firstMacroblock * 16)
    workspace.slice.firstRow = picture.firstRow + row * 16 * picture.rowStep
    workspace.slice.alphaPitch = 16 << column.log2Width
    workspace.slice.rowStep = picture.rowStep
    workspace.slice.rows = max(0, min(16, picture.rows - row * 16))
  }

  /// Grey, opaque samples in place of what is damaged.
  private func conceal() {
    let count = DecodedSlice.planeSampleCount
    workspace.slice.luma.update(repeating: 1 << UInt16(depth - 1), count: 3 * count)
    workspace.slice.alpha.update(repeating: .max, count: count)
  }
}

extension SliceDecoder {
  /// Decodes a slice into the workspace. False where it is damaged.
  private mutating func decode(_ range: Range<Int>, _ column: SliceColumns.Column) -> Bool {
    guard let parts = SliceParts(sample, range, hasAlpha: frame.header.hasAlpha) else { return false }
    dequantiser.set(scale: parts.quantiserScale)
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
    let log2Chroma = frame.header.chroma == .halved ? column.log2Width + 1 : log2Luma
    func lane(
      _ range: Range<Int>, _ store: CoefficientStore, _ steps: UnsafePointer<ScanStep>, _ log2Blocks: Int
    ) -> CoefficientLane {
      CoefficientLane(
        bytes: workspace.padded(sample, range, after: &offset), byteCount: range.count, store: store, steps: steps,
        log2Blocks: log2Blocks)
    }
    var luma = lane(parts.planes.luma, workspace.stores.luma, dequantiser.lumaSteps, log2Luma)
    var blue = lane(parts.planes.chromaBlue, workspace.stores.chromaBlue, dequantiser.chromaSteps, log2Chroma)
    var red = lane(parts.planes.chromaRed, workspace.stores.chromaRed, dequantiser.chromaSteps, log2Chroma)
    guard luma.readDC(), blue.readDC(), red.readDC() else { return false }
    guard CoefficientLane.readAll(&luma, &blue, &red, table) else { return false }
    guard frame.header.hasAlpha else { return true }
    return AlphaCode.read(
      workspace.padded(sample, parts.planes.alpha, after: &offset), byteCount: parts.planes.alpha.count,
      isSixteenBits: frame.header.alpha == .sixteenBits, into: workspace.slice.alpha, count: 256 << column.log2Width)
  }

  private func transform(_ column: SliceColumns.Column) {
    let slice = workspace.slice
    let lumaBlocks = 4 << column.log2Width
    let chromaBlocks = frame.header.chroma == .halved ? lumaBlocks / 2 : lumaBlocks
    PlaneTransform.run(plane(workspace.stores.luma, lumaBlocks, dequantiser.dcScales.luma, slice.luma, inRows: true))
    let scale = dequantiser.dcScales.chroma
    PlaneTransform.run(plane(workspace.stores.chromaBlue, chromaBlocks, scale, slice.chromaBlue, inRows: false))
    PlaneTransform.run(plane(workspace.stores.chromaRed, chromaBlocks, scale, slice.chromaRed, inRows: false))
  }

  private func plane(
    _ store: CoefficientStore, _ blocks: Int, _ dcScale: Int32, _ samples: UnsafeMutablePointer<UInt16>, inRows: Bool
  ) -> PlaneTransform.Plane {
    PlaneTransform.Plane(
      coefficients: store.coefficients, last: store.last, dc: store.dc, blocks: Int32(blocks), dcScale: dcScale,
      dcShift: dequantiser.dcShift, inRows: inRows, isInterlaced: frame.header.isInterlaced,
      middle: 1 << Int32(depth - 1), most: 1 << Int32(depth) - 1, samples: samples, samplesPerRow: DecodedSlice.pitch)
  }
}
