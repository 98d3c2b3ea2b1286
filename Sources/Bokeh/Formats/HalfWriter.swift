import CoreVideo

/// Stores a preview as 4:2:0 of 8 or 10 bits: half resolution's luma is enlarged as codes, and its chroma is of the
/// target's resolution already; only pixels of full resolution are coded one by one.
struct HalfWriter {
  let target: PictureMemory
  let siting: ChromaSiting
  let codes: PlainCodes
  let frame: PreviewFrame
  let originals: PlainOriginals?
  /// Half resolution's codes of luma in 14 bits, and those of Cb and Cr in turn.
  let luma: Plane<UInt16>
  let chroma: Plane<Float>

  /// The bits of a luma code on its way.
  private static let bits = 14

  /// Codes row `y` of half resolution, and writes the luma of its shown pixels; all is R'G'B' by now.
  func code(_ y: Int) {
    if target.format.sample == .uint8 {
      code(UInt8Sample.self, y)
    } else {
      code(UInt10Sample.self, y)
    }
  }

  @inline(__always)
  private func code<S: PlainSample>(_: S.Type, _ y: Int) {
    let unit = Float(1 << (HalfWriter.bits - target.format.bitsPerComponent))
    let (pixels, lumas, chromas) = (frame.half.result.row(y), luma.row(y), chroma.row(y))
    @inline(__always)
    func keep(_ code: SIMD4<Float>, _ x: Int) {
      lumas[x] = UInt16(truncatingIfNeeded: codes.nearest(code.x, unit: unit))
      (chromas[2 &* x], chromas[2 &* x &+ 1]) = (code.y, code.z)
    }
    frame.marks.forEachRun(y, without: DetailMarks.shown) { blocks in
      for x in blocks { keep(codes(pixels[x]), x) }
    }
    let rows = frame.rows(y)
    let (upper, lower) = (DetailRow(S.self, self, rows.lowerBound), DetailRow(S.self, self, rows.upperBound &- 1))
    let last = target.width &- 1
    frame.marks.forEachRun(y, DetailMarks.shown) { blocks in
      for x in blocks {
        let (left, right) = (2 &* x, min(2 &* x &+ 1, last))
        keep((upper.code(left) + upper.code(right) + lower.code(left) + lower.code(right)) * 0.25, x)
      }
      guard let originals else { return }
      for row in rows { originals.copyLuma(S.self, row, frame.pixels(blocks), to: target) }
    }
  }

  /// A row of pixels of full resolution.
  private struct DetailRow<S: PlainSample> {
    private let codes: PlainCodes
    private let pixels: UnsafePointer<SIMD4<Float>>
    private let out: UnsafeMutablePointer<S.Bits>
    private let dither: SIMD8<Float>

    @inline(__always)
    init(_: S.Type, _ writer: HalfWriter, _ y: Int) {
      codes = writer.codes
      pixels = UnsafePointer(writer.frame.detail.row(y))
      out = writer.target.colors[0].row(y).assumingMemoryBound(to: S.Bits.self)
      dither = Dither(writer.target.format, y).pattern * Float(S.Bits.max &>> S.shift)
    }

    /// Writes the luma of pixel `x`, and returns its codes.
    @inline(__always)
    func code(_ x: Int) -> SIMD4<Float> {
      let code = codes(pixels[x])
      out[x] = codes.bits(S.self, luma: code.x, dither, x)
      return code
    }
  }

  /// Values that a worker needs for a row.
  static func room(_ width: Int) -> Int { 2 * width + 4 }

  /// Writes what is left of row `y` of half resolution, all rows of which must have been coded.
  ///
  /// - Parameter room: `room` values for half resolution's width, to work in.
  func write(_ y: Int, room: UnsafeMutablePointer<Float>) {
    if target.format.sample == .uint8 {
      write(UInt8Sample.self, y, room)
    } else {
      write(UInt10Sample.self, y, room)
    }
  }

  @inline(__always)
  private func write<S: PlainSample>(_: S.Type, _ y: Int, _ room: UnsafeMutablePointer<Float>) {
    room.withMemoryRebound(to: UInt16.self, capacity: 2 * HalfWriter.room(luma.width)) { line in
      for row in frame.rows(y) { enlarge(S.self, row, line + 1) }
    }
    writeChroma(S.self, y, room + 2)
  }

  /// Enlarges half resolution's luma to row `y` where full resolution is not shown: a blend of two rows, and along the
  /// row of two columns each.
  @inline(__always)
  private func enlarge<S: PlainSample>(_: S.Type, _ y: Int, _ line: UnsafeMutablePointer<UInt16>) {
    let (near, other) = (luma.row(y >> 1), luma.clampedRow((y >> 1) &+ (y & 1 == 0 ? -1 : 1)))
    for x in 0..<luma.width { line[x] = (near[x] &* 3 &+ other[x] &+ 2) &>> 2 }
    (line[-1], line[luma.width]) = (line[0], line[luma.width &- 1])
    let out = target.colors[0].row(y).assumingMemoryBound(to: S.Bits.self)
    let rounding = Rounding(target.format, y)
    let pairs = target.width / 2
    frame.marks.forEachRun(y >> 1, without: DetailMarks.shown) { blocks in
      for x in blocks.lowerBound..<min(blocks.upperBound, pairs) {
        let own = line[x] &* 3
        out[2 &* x] = rounding.code(own &+ line[x &- 1], 2 &* x)
        out[2 &* x &+ 1] = rounding.code(own &+ line[x &+ 1], 2 &* x &+ 1)
      }
      guard blocks.upperBound > pairs else { return }
      out[2 &* pairs] = rounding.code(line[pairs] &* 3 &+ line[pairs &- 1], 2 &* pairs)
    }
  }

  /// Writes row `y` of chroma: the source's own where all pixels are untouched that it stands for.
  @inline(__always)
  private func writeChroma<S: PlainSample>(_: S.Type, _ y: Int, _ line: UnsafeMutablePointer<Float>) {
    let (across, down) = (Neighbour(siting: siting.horizontal), Neighbour(siting: siting.vertical))
    let (near, other, count) = (chroma.row(y), chroma.clampedRow(y &+ down.step), chroma.width)
    for k in 0..<count { line[k] = near[k] + (other[k] - near[k]) * down.part }
    (line[-2], line[-1]) = (line[0], line[1])
    (line[count], line[count &+ 1]) = (line[count &- 2], line[count &- 1])
    let out = target.colors[1].row(y).assumingMemoryBound(to: S.Bits.self)
    let beside = line + 2 &* across.step
    for k in 0..<count { out[k] = codes.bits(S.self, line[k] + (beside[k] - line[k]) * across.part) }
    guard let originals else { return }
    frame.marks.forEachRun(y, DetailMarks.shown) { blocks in
      originals.copyChroma(S.self, y, blocks, to: target)
    }
  }
}

/// Makes codes of a row from numbers of 16 bits; those of 8 bits get a fixed pattern.
private struct Rounding {
  private let pattern: SIMD8<UInt16>

  init(_ format: PixelFormat, _ row: Int) {
    let dither = Dither(format, row)
    var pattern = SIMD8<UInt16>(repeating: 32)
    if format.sample == .uint8 {
      for u in 0..<8 { pattern[u] = UInt16(128 + dither[u] * 255 * 256) }
    }
    self.pattern = pattern
  }

  @inline(__always)
  func code<Bits: FixedWidthInteger>(_ number: UInt16, _ u: Int) -> Bits {
    Bits.bitWidth == 16
      ? Bits(truncatingIfNeeded: (number &+ 32) & 0xFFC0)
      : Bits(truncatingIfNeeded: (number &+ pattern[u & 7]) &>> 8)
  }
}
