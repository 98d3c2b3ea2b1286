import CoreVideo

/// Stores a preview as 4:2:0 of 8 or 10 bits: half resolution's luma is enlarged as codes, and its chroma is what is
/// stored already; only pixels of full resolution are coded one by one.
struct HalfWriter {
  let target: PictureMemory
  let matrix: YCbCrMatrix
  let siting: ChromaSiting
  let frame: PreviewFrame
  /// The source, if its codes mean the same as the target's.
  let source: PictureMemory?
  /// Half resolution's codes of luma in 14 bits, and its chroma as stored.
  let luma: Plane<UInt16>
  let chroma: Plane<SIMD2<Float>>

  /// The bits of a luma code on its way.
  private static let bits = 14

  /// Codes row `y` of half resolution, whose result is R'G'B' by now.
  func code(_ y: Int) {
    let range = YCbCrRange(target.format)
    let most = Float(1 << target.format.bitsPerComponent - 1)
    let unit = most * Float(1 << (HalfWriter.bits - target.format.bitsPerComponent))
    let (pixels, lumas, chromas) = (frame.half.result.row(y), luma.row(y), chroma.row(y))
    for x in 0..<luma.width {
      let stored = range.limited(range.stored(luma: matrix.luma(pixels[x])))
      lumas[x] = UInt16(truncatingIfNeeded: Int32(max(0, stored * unit + 0.5)))
      chromas[x] = range.stored(chroma: matrix.chroma(pixels[x]))
    }
  }

  /// Writes the rows of row `y` of half resolution, all of which must have been coded.
  ///
  /// - Parameter scratch: room for a row of half resolution and two values more.
  func write(_ y: Int, scratch: UnsafeMutablePointer<UInt16>) {
    if target.format.sample == .uint8 {
      write(UInt8Sample.self, y, scratch)
    } else {
      write(UInt10Sample.self, y, scratch)
    }
  }

  @inline(__always)
  private func write<S: StoredSample>(_: S.Type, _ y: Int, _ scratch: UnsafeMutablePointer<UInt16>)
  where S.Bits: FixedWidthInteger & SIMDScalar {
    for row in frame.rows(y) {
      enlarge(S.self, row, scratch)
      writeDetail(S.self, row)
    }
    writeChroma(S.self, y)
  }

  /// Enlarges half resolution's luma to row `y`: a blend of two rows, and along the row of two columns each.
  @inline(__always)
  private func enlarge<S: StoredSample>(_: S.Type, _ y: Int, _ scratch: UnsafeMutablePointer<UInt16>)
  where S.Bits: FixedWidthInteger & SIMDScalar {
    let (near, other) = (luma.row(y >> 1), luma.clampedRow((y >> 1) &+ (y & 1 == 0 ? -1 : 1)))
    let line = scratch + 1
    for x in 0..<luma.width { line[x] = (near[x] &* 3 &+ other[x] &+ 2) &>> 2 }
    (line[-1], line[luma.width]) = (line[0], line[luma.width &- 1])
    let out = target.colors[0].row(y).assumingMemoryBound(to: S.Bits.self)
    let rounding = Rounding(target.format, y)
    let pairs = target.width / 2
    for x in 0..<pairs {
      let own = line[x] &* 3
      out[2 &* x] = rounding.code(own &+ line[x &- 1], 2 &* x)
      out[2 &* x &+ 1] = rounding.code(own &+ line[x &+ 1], 2 &* x &+ 1)
    }
    if target.width & 1 == 1 { out[2 &* pairs] = rounding.code(line[pairs] &* 3 &+ line[pairs &- 1], 2 &* pairs) }
  }

  /// Writes the shown pixels of row `y`: the source's own codes where they are untouched.
  @inline(__always)
  private func writeDetail<S: StoredSample>(_: S.Type, _ y: Int) where S.Bits: FixedWidthInteger & SIMDScalar {
    let out = target.colors[0].row(y).assumingMemoryBound(to: S.Bits.self)
    let original = source?.colors[0].row(y).assumingMemoryBound(to: S.Bits.self)
    let (untouched, pixels) = (frame.untouched.row(y), frame.detail.row(y))
    let range = YCbCrRange(target.format)
    let dither = Dither(target.format, y)
    frame.marks.forEachRun(y >> 1, DetailMarks.shown) { blocks in
      for x in frame.pixels(blocks) {
        if let original, untouched[x] != 0 {
          out[x] = original[x]
        } else {
          out[x] = S.bits(range.limited(range.stored(luma: matrix.luma(pixels[x])) + dither[x]))
        }
      }
    }
  }

  /// Writes row `y` of chroma: the source's own where all pixels are untouched that it stands for.
  @inline(__always)
  private func writeChroma<S: StoredSample>(_: S.Type, _ y: Int) where S.Bits: FixedWidthInteger & SIMDScalar {
    let (across, down) = (Neighbour(siting: siting.horizontal), Neighbour(siting: siting.vertical))
    let (near, other) = (chroma.row(y), chroma.clampedRow(y &+ down.step))
    let out = target.colors[1].row(y).assumingMemoryBound(to: SIMD2<S.Bits>.self)
    let range = YCbCrRange(target.format)
    for x in 0..<chroma.width {
      let beside = min(max(x &+ across.step, 0), chroma.width &- 1)
      let first = near[x] + (other[x] - near[x]) * down.part
      let second = near[beside] + (other[beside] - near[beside]) * down.part
      let stored = first + (second - first) * across.part
      out[x] = SIMD2(S.bits(range.limited(stored.x)), S.bits(range.limited(stored.y)))
    }
    guard let source else { return }
    let original = source.colors[1].row(y).assumingMemoryBound(to: SIMD2<S.Bits>.self)
    frame.marks.forEachRun(y, DetailMarks.shown) { blocks in
      for x in blocks where isUntouched(x, y, across, down) { out[x] = original[x] }
    }
  }

  /// Whether all pixels are untouched that a linear interpolation between chroma samples gives part of sample (x, y).
  private func isUntouched(_ x: Int, _ y: Int, _ across: Neighbour, _ down: Neighbour) -> Bool {
    for row in 2 &* y &+ min(down.step, 0)...2 &* y &+ 1 &+ max(down.step, 0) {
      let untouched = frame.untouched.clampedRow(row)
      for column in 2 &* x &+ min(across.step, 0)...2 &* x &+ 1 &+ max(across.step, 0)
      where untouched[min(max(column, 0), frame.width &- 1)] == 0 { return false }
    }
    return true
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
