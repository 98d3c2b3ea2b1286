import CoreVideo

/// Reads rows of a picture as R'G'B' and alpha; greys become equal components, missing alpha 1.
struct PictureReader {
  let memory: PictureMemory
  private let matrix: YCbCrMatrix
  private let siting: ChromaSiting
  private let range: YCbCrRange

  init(_ memory: PictureMemory, color: ColorDescription) {
    self.memory = memory
    matrix = color.matrix
    siting = color.siting
    range = YCbCrRange(memory.format)
  }

  /// Reads columns of row `y`.
  ///
  /// - Parameters:
  ///   - row: room for the picture's width.
  ///   - chroma: room for the picture's width, to work in.
  func read(
    _ y: Int, _ columns: Range<Int>, into row: UnsafeMutablePointer<SIMD4<Float>>,
    chroma: UnsafeMutablePointer<SIMD2<Float>>
  ) {
    switch memory.format.sample {
    case .uint8: read(UInt8Sample.self, y, columns, row, chroma)
    case .uint16: read(UInt16Sample.self, y, columns, row, chroma)
    case .uint16BigEndian: read(UInt16BigEndianSample.self, y, columns, row, chroma)
    case .uint10InUpperBits: read(UInt10Sample.self, y, columns, row, chroma)
    case .uint12InUpperBits: read(UInt12Sample.self, y, columns, row, chroma)
    case .half: read(HalfSample.self, y, columns, row, chroma)
    case .float, .packed10: read(FloatSample.self, y, columns, row, chroma)
    }
  }

  @inline(__always)
  private func read<S: StoredSample>(
    _: S.Type, _ y: Int, _ columns: Range<Int>, _ row: UnsafeMutablePointer<SIMD4<Float>>,
    _ chroma: UnsafeMutablePointer<SIMD2<Float>>
  ) {
    switch memory.format.model {
    case .yCbCr: readYCbCr(S.self, y, columns, row, chroma)
    case .rgb: readRGB(S.self, y, columns, row)
    default: readGrey(S.self, y, columns, row)
    }
    readAlpha(S.self, y, columns, row)
  }

  /// Reads the alpha alone of columns of row `y`, if there is any.
  func readAlpha(_ y: Int, _ columns: Range<Int>, into row: UnsafeMutablePointer<SIMD4<Float>>) {
    switch memory.format.sample {
    case .uint8: readAlpha(UInt8Sample.self, y, columns, row)
    case .uint16: readAlpha(UInt16Sample.self, y, columns, row)
    case .uint16BigEndian: readAlpha(UInt16BigEndianSample.self, y, columns, row)
    case .uint10InUpperBits: readAlpha(UInt10Sample.self, y, columns, row)
    case .uint12InUpperBits: readAlpha(UInt12Sample.self, y, columns, row)
    case .half: readAlpha(HalfSample.self, y, columns, row)
    case .float, .packed10: readAlpha(FloatSample.self, y, columns, row)
    }
  }

  @inline(__always)
  private func readAlpha<S: StoredSample>(
    _: S.Type, _ y: Int, _ columns: Range<Int>, _ row: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    guard let alpha = memory.alpha else { return }
    let source = alpha.row(y)
    for x in columns { row[x].w = S.value(source.sample(x, alpha.step)) }
  }

  private func readRGB<S: StoredSample>(
    _: S.Type, _ y: Int, _ columns: Range<Int>, _ row: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    let (red, green, blue) = (memory.colors[0], memory.colors[1], memory.colors[2])
    let (reds, greens, blues) = (red.row(y), green.row(y), blue.row(y))
    for x in columns {
      row[x] = SIMD4(
        S.value(reds.sample(x, red.step)), S.value(greens.sample(x, green.step)), S.value(blues.sample(x, blue.step)),
        1)
    }
  }

  private func readGrey<S: StoredSample>(
    _: S.Type, _ y: Int, _ columns: Range<Int>, _ row: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    let grey = memory.colors[0]
    let greys = grey.row(y)
    for x in columns { row[x] = SIMD4(SIMD4(repeating: S.value(greys.sample(x, grey.step))), weight: 1) }
  }

  private func readYCbCr<S: StoredSample>(
    _: S.Type, _ y: Int, _ columns: Range<Int>, _ row: UnsafeMutablePointer<SIMD4<Float>>,
    _ chroma: UnsafeMutablePointer<SIMD2<Float>>
  ) {
    let luma = memory.colors[0]
    let lumas = luma.row(y)
    let isShared = memory.colors[1].width < memory.width
    readChroma(S.self, y, isShared ? columns.lowerBound / 2 &- 1..<columns.upperBound / 2 &+ 2 : columns, chroma)
    let last = memory.colors[1].width &- 1
    for x in columns {
      let (first, part) = isShared ? ChromaSiting.place(x, siting.horizontal) : (x, 0)
      let left = chroma[max(first, 0)]
      let c = left + (chroma[min(first &+ 1, last)] - left) * part
      row[x] = matrix.rgb(range.luma(stored: S.value(lumas.sample(x, luma.step))), c.x, c.y, alpha: 1)
    }
  }

  /// The chroma at the height of row `y`, one value for each of some columns of chroma.
  @inline(__always)
  private func readChroma<S: StoredSample>(
    _: S.Type, _ y: Int, _ columns: Range<Int>, _ chroma: UnsafeMutablePointer<SIMD2<Float>>
  ) {
    let (blue, red) = (memory.colors[1], memory.colors[2])
    let isShared = blue.height < memory.height
    let (first, part) = isShared ? ChromaSiting.place(y, siting.vertical) : (y, 0)
    let (blues, moreBlues) = (blue.clampedRow(first), blue.clampedRow(first &+ 1))
    let (reds, moreReds) = (red.clampedRow(first), red.clampedRow(first &+ 1))
    for x in columns.clamped(to: 0..<blue.width) {
      let upper = SIMD2(S.value(blues.sample(x, blue.step)), S.value(reds.sample(x, red.step)))
      let lower = SIMD2(S.value(moreBlues.sample(x, blue.step)), S.value(moreReds.sample(x, red.step)))
      chroma[x] = range.chroma(stored: upper + (lower - upper) * part)
    }
  }
}

extension ChromaSiting {
  /// The chroma sample before luma position `x` in one direction, and how far `x` is on the way to the next.
  @inline(__always)
  static func place(_ x: Int, _ siting: Float) -> (first: Int, part: Float) {
    if x & 1 == 1 { return (x >> 1, 0.5 - siting / 2) }
    return siting == 0 ? (x >> 1, 0) : (x >> 1 &- 1, 1 - siting / 2)
  }
}

extension UnsafeMutableRawPointer {
  /// The sample number `x` of a row whose samples are `step` bytes apart.
  @inline(__always)
  func sample<Bits: BitwiseCopyable>(_ x: Int, _ step: Int) -> Bits {
    UnsafeRawPointer(self + x &* step).loadUnaligned(as: Bits.self)
  }

  @inline(__always)
  func setSample<Bits: BitwiseCopyable>(_ x: Int, _ step: Int, _ bits: Bits) {
    (self + x &* step).storeBytes(of: bits, as: Bits.self)
  }
}
