import CoreVideo

/// Stores rows of R'G'B' as 4:2:0 of 8 or 10 bits, in the orientation of the picture: luma at once, and chroma when the
/// rows around are there.
struct PlainWriter {
  let target: PictureMemory
  let siting: ChromaSiting
  let codes: PlainCodes
  /// A row for each of the target: what it gives to its samples of chroma, Cb and Cr in turn, in codes.
  let chroma: Plane<Float>
  private(set) var originals: PlainOriginals?

  /// Returns nil for other formats.
  ///
  /// - Parameters:
  ///   - siting: the picture's.
  ///   - room: memory that is in use as long as this is.
  init?(_ target: PictureMemory, matrix: YCbCrMatrix, siting: ChromaSiting, room: Storage<Float>) {
    guard target.isPlain420 else { return nil }
    self.target = target
    self.siting = siting
    codes = PlainCodes(target.format, matrix)
    chroma = room.plane(2 * target.colors[1].width, target.height)
  }

  /// The same, with the codes of some pixels copied.
  func copying(_ originals: PlainOriginals?) -> PlainWriter {
    var copy = self
    copy.originals = originals
    return copy
  }

  /// Codes row `y`.
  func code(_ y: Int, _ row: UnsafePointer<SIMD4<Float>>) {
    if target.format.sample == .uint8 {
      code(UInt8Sample.self, y, row)
    } else {
      code(UInt10Sample.self, y, row)
    }
  }

  @inline(__always)
  private func code<S: PlainSample>(_: S.Type, _ y: Int, _ row: UnsafePointer<SIMD4<Float>>) {
    let out = target.colors[0].row(y).assumingMemoryBound(to: S.Bits.self)
    let sums = chroma.row(y)
    let taps = Taps(subsampling: 2, siting: siting.horizontal)
    // Samples lie between two columns, or at the first of them.
    let (before, first, second) = taps.count == 3 ? (taps[0], taps[1], taps[2]) : (0, taps[0], taps[1])
    let dither = Dither(target.format, y).pattern * Float(S.Bits.max &>> S.shift)
    let last = target.width &- 1
    var left = codes(row[0])
    for i in 0..<target.colors[1].width {
      let (x, next) = (2 &* i, min(2 &* i &+ 1, last))
      let (own, right) = (codes(row[x]), codes(row[next]))
      out[x] = codes.bits(S.self, luma: own.x, dither, x)
      out[next] = codes.bits(S.self, luma: right.x, dither, next)
      let sum = left * before + own * first + right * second
      (sums[2 &* i], sums[2 &* i &+ 1]) = (sum.y, sum.z)
      left = right
    }
    originals?.copyLuma(S.self, y, 0..<target.width, to: target)
  }

  /// Writes row `j` of chroma when all rows have been coded.
  func writeChroma(_ j: Int) {
    if target.format.sample == .uint8 {
      writeChroma(UInt8Sample.self, j)
    } else {
      writeChroma(UInt10Sample.self, j)
    }
  }

  @inline(__always)
  private func writeChroma<S: PlainSample>(_: S.Type, _ j: Int) {
    let taps = Taps(subsampling: 2, siting: siting.vertical)
    let first = 2 &* j &+ taps.first
    let (upper, middle) = (chroma.clampedRow(first), chroma.clampedRow(first &+ 1))
    let out = target.colors[1].row(j).assumingMemoryBound(to: S.Bits.self)
    let (outer, inner) = (taps[0], taps[1])
    if taps.count == 3 {
      let lower = chroma.clampedRow(first &+ 2)
      for k in 0..<chroma.width { out[k] = codes.bits(S.self, (upper[k] + lower[k]) * outer + middle[k] * inner) }
    } else {
      for k in 0..<chroma.width { out[k] = codes.bits(S.self, upper[k] * outer + middle[k] * inner) }
    }
    originals?.copyChroma(S.self, j, 0..<target.colors[1].width, to: target)
  }
}

/// The codes of a 4:2:0 source that mean the same as the target's, for what is shown as it was.
struct PlainOriginals {
  private let source: PictureMemory
  private let untouched: Plane<UInt8>
  private let across: Taps
  private let down: Taps

  /// - Parameter untouched: 1 where a pixel's codes are the source's.
  init(_ source: PictureMemory, siting: ChromaSiting, untouched: Plane<UInt8>) {
    self.source = source
    self.untouched = untouched
    across = Taps(subsampling: 2, siting: siting.horizontal)
    down = Taps(subsampling: 2, siting: siting.vertical)
  }

  /// Copies the luma of untouched pixels of row `y`.
  @inline(__always)
  func copyLuma<S: PlainSample>(_: S.Type, _ y: Int, _ columns: Range<Int>, to target: PictureMemory) {
    let marks = untouched.row(y)
    let from = source.colors[0].row(y).assumingMemoryBound(to: S.Bits.self)
    let out = target.colors[0].row(y).assumingMemoryBound(to: S.Bits.self)
    for x in columns { out[x] = marks[x] != 0 ? from[x] : out[x] }
  }

  /// Copies the chroma of row `j` whose pixels are all untouched.
  @inline(__always)
  func copyChroma<S: PlainSample>(_: S.Type, _ j: Int, _ columns: Range<Int>, to target: PictureMemory) {
    let from = source.colors[1].row(j).assumingMemoryBound(to: SIMD2<S.Bits>.self)
    let out = target.colors[1].row(j).assumingMemoryBound(to: SIMD2<S.Bits>.self)
    let own = untouched.row(2 &* j)
    for i in columns where own[2 &* i] != 0 && isUntouched(i, j) { out[i] = from[i] }
  }

  /// Whether all pixels are untouched that a linear interpolation between chroma samples gives part of sample (i, j).
  private func isUntouched(_ i: Int, _ j: Int) -> Bool {
    var all: UInt8 = 1
    for y in 0..<down.count {
      let row = untouched.clampedRow(2 &* j &+ down.first &+ y)
      for x in 0..<across.count {
        all &= row[min(max(2 &* i &+ across.first &+ x, 0), untouched.width &- 1)]
      }
    }
    return all != 0
  }
}
