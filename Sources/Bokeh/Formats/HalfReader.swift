import CoreVideo

/// Loads a 4:2:0 picture of 8 or 10 bits as linear light at half resolution, where each chroma sample has one pixel.
///
/// Its colour is that of the mean luma; its brightness that of the mean light, so that small lights keep theirs.
struct HalfReader {
  private let memory: PictureMemory
  private let color: ColorDescription
  private let tables: TransferTables
  private let range: YCbCrRange
  private let codes: UnsafePointer<Float>
  private let codeCount: Int

  /// Returns nil for other formats.
  ///
  /// - Parameter room: memory that is in use as long as this is.
  init?(_ memory: PictureMemory, color: ColorDescription, tables: TransferTables, room: Storage<Float>) {
    guard memory.isPlain420 else { return nil }
    self.memory = memory
    self.color = color
    self.tables = tables
    range = YCbCrRange(memory.format)
    codeCount = 1 << memory.format.bitsPerComponent
    let most = Float(codeCount - 1)
    let light = room.reserve(5 * codeCount)
    for code in 0..<codeCount { light[code] = tables.light(range.luma(stored: Float(code) / most)) }
    for sum in 0..<4 * codeCount {
      let plain = 4 * tables.light(range.luma(stored: Float(sum) / (4 * most)))
      light[codeCount + sum] = plain > 1e-5 ? 1 / plain : 0
    }
    codes = UnsafePointer(light)
  }

  /// Reads row `y` of half resolution.
  func read(_ y: Int, into row: UnsafeMutablePointer<SIMD4<Float>>, chroma: UnsafeMutablePointer<SIMD2<Float>>) {
    if memory.format.sample == .uint8 {
      read(UInt8.self, shift: 0, y, row, chroma)
    } else {
      read(UInt16.self, shift: 6, y, row, chroma)
    }
  }

  @inline(__always)
  private func read<Bits: FixedWidthInteger & SIMDScalar>(
    _: Bits.Type, shift: Bits, _ y: Int, _ row: UnsafeMutablePointer<SIMD4<Float>>,
    _ chroma: UnsafeMutablePointer<SIMD2<Float>>
  ) {
    readChroma(Bits.self, shift, y, chroma)
    let (luma, last) = (memory.colors[0], memory.width &- 1)
    let upper = luma.row(2 &* y).assumingMemoryBound(to: Bits.self)
    let lower = luma.clampedRow(2 &* y &+ 1).assumingMemoryBound(to: Bits.self)
    let scale = 1 / (4 * Float(codeCount - 1) * range.lumaScale)
    let offset = range.lumaOffset / range.lumaScale
    let inverses = codes + codeCount
    let matrix = color.matrix
    for x in 0..<(memory.width &+ 1) / 2 {
      let (left, right) = (2 &* x, min(2 &* x &+ 1, last))
      let (a, b) = (Int(truncatingIfNeeded: upper[left] >> shift), Int(truncatingIfNeeded: upper[right] >> shift))
      let (c, d) = (Int(truncatingIfNeeded: lower[left] >> shift), Int(truncatingIfNeeded: lower[right] >> shift))
      let sum = a &+ b &+ c &+ d
      let brightness = (codes[a] + codes[b] + codes[c] + codes[d]) * inverses[sum]
      let signal = matrix.rgb(Float(sum) * scale - offset, chroma[x].x, chroma[x].y, alpha: 1)
      row[x] = SIMD4(tables.light(signal) * (brightness > 0 ? brightness : 1), weight: 1)
    }
  }

  /// The chroma in the middle of each block of row `y`.
  @inline(__always)
  private func readChroma<Bits: FixedWidthInteger & SIMDScalar>(
    _: Bits.Type, _ shift: Bits, _ y: Int, _ chroma: UnsafeMutablePointer<SIMD2<Float>>
  ) {
    let (blue, width) = (memory.colors[1], memory.colors[1].width)
    let across = Neighbour(siting: 1 - color.siting.horizontal)
    let down = Neighbour(siting: 1 - color.siting.vertical)
    let near = blue.row(y).assumingMemoryBound(to: SIMD2<Bits>.self)
    let other = blue.clampedRow(y &+ down.step).assumingMemoryBound(to: SIMD2<Bits>.self)
    let scale = 1 / (Float(codeCount - 1) * range.chromaScale)
    let offset = range.chromaOffset / range.chromaScale
    @inline(__always)
    func value(_ x: Int) -> SIMD2<Float> {
      let first = SIMD2<Float>(Float(near[x].x >> shift), Float(near[x].y >> shift))
      let second = SIMD2<Float>(Float(other[x].x >> shift), Float(other[x].y >> shift))
      return first + (second - first) * down.part
    }
    for x in 0..<width {
      let (own, beside) = (value(x), value(min(max(x &+ across.step, 0), width &- 1)))
      chroma[x] = (own + (beside - own) * across.part) * scale - offset
    }
  }
}

/// Where half resolution's pixels and chroma samples lie apart: what is at one place is its own sample and a part of
/// the one beside it.
struct Neighbour {
  let step: Int
  let part: Float

  /// - Parameter siting: of a chroma sample that is made of half resolution's pixels, 0 at the first of two pixels; for
  ///   the way back, counted from the other end.
  init(siting: Float) {
    step = siting < 0.5 ? -1 : siting > 0.5 ? 1 : 0
    part = abs(siting - 0.5) / 2
  }
}

extension PictureMemory {
  /// Whether this is 4:2:0 in two planes, of 8 bits or of 10 in the upper ones of 16.
  var isPlain420: Bool {
    guard format.model == .yCbCr, alpha == nil, format.planes.count == 2 else { return false }
    let size = format.sample.byteCount
    return (format.sample == .uint8 || format.sample == .uint10InUpperBits)
      && format.chromaSubsampling == (2, 2) && colors[0].step == size && colors[1].step == 2 * size
      && colors[2].base == colors[1].base + size
  }
}
