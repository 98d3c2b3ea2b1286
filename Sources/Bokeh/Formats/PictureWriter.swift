import CoreVideo

/// Writes a picture of R'G'B' and alpha, in stored orientation, to a buffer in the orientation in which it is shown.
struct PictureWriter {
  let target: PictureMemory
  let orientation: Orientation
  let matrix: YCbCrMatrix
  let siting: ChromaSiting
  /// R'G'B' and alpha.
  let picture: Plane<SIMD4<Float>>
  /// 1 where a pixel's codes are the source's.
  let untouched: Plane<UInt8>
  /// The source, if its codes mean the same as the target's.
  let source: PictureMemory?

  /// Writes the rows `rows` of the target, and the rows of chroma that begin with them.
  func write(_ rows: Range<Int>) {
    switch target.format.sample {
    case .uint8: write(UInt8Sample.self, rows)
    case .uint16: write(UInt16Sample.self, rows)
    case .uint16BigEndian: write(UInt16BigEndianSample.self, rows)
    case .uint10InUpperBits: write(UInt10Sample.self, rows)
    case .uint12InUpperBits: write(UInt12Sample.self, rows)
    case .half: write(HalfSample.self, rows)
    case .float, .packed10: write(FloatSample.self, rows)
    }
  }

  @inline(__always)
  private func write<S: StoredSample>(_: S.Type, _ rows: Range<Int>) {
    let chroma = ChromaWriter(self)
    for v in rows {
      switch target.format.model {
      case .yCbCr:
        writeLuma(S.self, v)
        if v % chroma.down == 0 { chroma.write(S.self, v / chroma.down) }
      case .rgb:
        for i in 0..<3 { writeColor(S.self, v, i) }
      default:
        writeGrey(S.self, v)
      }
      if target.alpha != nil { writeAlpha(S.self, v) }
    }
  }

  private func writeLuma<S: StoredSample>(_: S.Type, _ v: Int) {
    let range = YCbCrRange(target.format)
    let dither = Dither(target.format, v)
    writeRow(S.self, v, target.colors[0], source?.colors[0]) { pixel, u in
      range.limited(range.stored(luma: matrix.luma(pixel)) + dither[u])
    }
  }

  private func writeColor<S: StoredSample>(_: S.Type, _ v: Int, _ component: Int) {
    let dither = Dither(target.format, v)
    writeRow(S.self, v, target.colors[component], source?.colors[component]) { pixel, u in
      pixel[component] + dither[u]
    }
  }

  private func writeGrey<S: StoredSample>(_: S.Type, _ v: Int) {
    let dither = Dither(target.format, v)
    writeRow(S.self, v, target.colors[0], source?.colors[0]) { pixel, u in matrix.luma(pixel) + dither[u] }
  }

  private func writeAlpha<S: StoredSample>(_: S.Type, _ v: Int) {
    guard let alpha = target.alpha else { return }
    writeRow(S.self, v, alpha, source?.alpha) { pixel, _ in pixel.w }
  }

  /// Writes one component of a row: the source's own code where the pixel is untouched, else what `number` makes of its
  /// colour.
  @inline(__always)
  private func writeRow<S: StoredSample>(
    _: S.Type, _ v: Int, _ view: ComponentView, _ original: ComponentView?,
    _ number: (_ pixel: SIMD4<Float>, _ u: Int) -> Float
  ) {
    let out = view.row(v)
    let first = orientation.stored(0, v, picture.width, picture.height)
    let second = orientation.stored(1, v, picture.width, picture.height)
    let step = (x: second.x &- first.x, y: second.y &- first.y)
    var (x, y) = first
    for u in 0..<target.width {
      let index = y &* picture.width &+ x
      if let original, untouched.base[index] != 0 {
        let bits: S.Bits = original.row(y).sample(x, original.step)
        out.setSample(u, view.step, bits)
      } else {
        out.setSample(u, view.step, S.bits(number(picture.base[index], u)))
      }
      x &+= step.x
      y &+= step.y
    }
  }
}

/// Writes rows of chroma: each sample is the mean of the pixels around its place, whose siting is the stored picture's.
private struct ChromaWriter {
  private let writer: PictureWriter
  /// Pixels of the target that a chroma sample stands for.
  private let across: Int
  let down: Int
  private let tapsX: Taps
  private let tapsY: Taps

  init(_ writer: PictureWriter) {
    self.writer = writer
    let format = writer.target.format
    across = format.chromaSubsampling.horizontal
    down = format.chromaSubsampling.vertical
    let isTransposed = writer.orientation.isTransposed
    let (storedAcross, storedDown) = isTransposed ? (down, across) : (across, down)
    // Where only one direction is subsampled and it becomes the other, the stored siting says nothing about it.
    let siting =
      isTransposed && across != down ? ChromaSiting(horizontal: 0.5, vertical: 0.5) : writer.siting
    tapsX = Taps(subsampling: storedAcross, siting: siting.horizontal)
    tapsY = Taps(subsampling: storedDown, siting: siting.vertical)
  }

  func write<S: StoredSample>(_: S.Type, _ row: Int) {
    let (blue, red) = (writer.target.colors[1], writer.target.colors[2])
    let (blues, reds) = (blue.row(row), red.row(row))
    let range = YCbCrRange(writer.target.format)
    if writer.orientation == .identity, across == 2 { return writePlain(S.self, row, range) }
    for i in 0..<blue.width {
      let place = corner(i, row)
      if let bits: (S.Bits, S.Bits) = original(place) {
        blues.setSample(i, blue.step, bits.0)
        reds.setSample(i, red.step, bits.1)
        continue
      }
      let stored = range.stored(chroma: writer.matrix.chroma(mean(place.x, place.y)))
      blues.setSample(i, blue.step, S.bits(range.limited(stored.x)))
      reds.setSample(i, red.step, S.bits(range.limited(stored.y)))
    }
  }

  /// The same where the target lies as the picture does, and a sample stands for two columns: the rows around are added
  /// first.
  private func writePlain<S: StoredSample>(_: S.Type, _ row: Int, _ range: YCbCrRange) {
    let (blue, red) = (writer.target.colors[1], writer.target.colors[2])
    let (blues, reds) = (blue.row(row), red.row(row))
    let (first, last) = (down &* row &+ tapsY.first, writer.picture.width &- 1)
    let upper = writer.picture.clampedRow(first)
    let (middle, lower) = (writer.picture.clampedRow(first &+ 1), writer.picture.clampedRow(first &+ 2))
    @inline(__always)
    func column(_ x: Int) -> SIMD4<Float> {
      let x = min(max(x, 0), last)
      switch tapsY.count {
      case 1: return upper[x]
      case 2: return upper[x] * tapsY[0] + middle[x] * tapsY[1]
      default: return (upper[x] + lower[x]) * tapsY[0] + middle[x] * tapsY[1]
      }
    }
    for i in 0..<blue.width {
      if let bits: (S.Bits, S.Bits) = original((2 &* i, down &* row)) {
        blues.setSample(i, blue.step, bits.0)
        reds.setSample(i, red.step, bits.1)
        continue
      }
      let x = 2 &* i &+ tapsX.first
      var mean = column(x) * tapsX[0] + column(x &+ 1) * tapsX[1]
      if tapsX.count == 3 { mean += column(x &+ 2) * tapsX[2] }
      let stored = range.stored(chroma: writer.matrix.chroma(mean))
      blues.setSample(i, blue.step, S.bits(range.limited(stored.x)))
      reds.setSample(i, red.step, S.bits(range.limited(stored.y)))
    }
  }

  /// The stored place of the first of the pixels that chroma sample (i, j) stands for.
  private func corner(_ i: Int, _ j: Int) -> (x: Int, y: Int) {
    let (width, height) = (writer.picture.width, writer.picture.height)
    let one = writer.orientation.stored(i &* across, j &* down, width, height)
    let other = writer.orientation.stored(
      i &* across &+ across &- 1, j &* down &+ down &- 1, width, height)
    return (min(one.x, other.x), min(one.y, other.y))
  }

  /// The source's own codes, where all pixels around are untouched and its samples stand for the same pixels.
  @inline(__always)
  private func original<Bits: BitwiseCopyable>(_ place: (x: Int, y: Int)) -> (Bits, Bits)? {
    guard let source = writer.source else { return nil }
    guard place.x >= 0, place.y >= 0, writer.untouched[place.x, place.y] != 0 else { return nil }
    let (storedAcross, storedDown) = (tapsX.subsampling, tapsY.subsampling)
    guard place.x % storedAcross == 0, place.y % storedDown == 0 else { return nil }
    for y in 0..<tapsY.count {
      let row = writer.untouched.clampedRow(place.y &+ tapsY.first &+ y)
      for x in 0..<tapsX.count {
        if row[min(max(place.x &+ tapsX.first &+ x, 0), writer.untouched.width &- 1)] == 0 { return nil }
      }
    }
    let (blue, red) = (source.colors[1], source.colors[2])
    let (x, y) = (place.x / storedAcross, place.y / storedDown)
    return (blue.row(y).sample(x, blue.step), red.row(y).sample(x, red.step))
  }

  @inline(__always)
  private func mean(_ x: Int, _ y: Int) -> SIMD4<Float> {
    let picture = writer.picture
    var sum = SIMD4<Float>.zero
    for j in 0..<tapsY.count {
      let row = picture.clampedRow(y &+ tapsY.first &+ j)
      for i in 0..<tapsX.count {
        let column = min(max(x &+ tapsX.first &+ i, 0), picture.width &- 1)
        sum += row[column] * (tapsX[i] * tapsY[j])
      }
    }
    return sum
  }
}

/// Which pixels around a chroma sample it is the mean of, in one direction: those that a linear interpolation between
/// samples gives part of it.
struct Taps {
  let subsampling: Int
  let first: Int
  let count: Int
  private let outer: Float

  init(subsampling: Int, siting: Float) {
    self.subsampling = subsampling
    let isBetween = siting == 0.5
    first = subsampling == 1 || isBetween ? 0 : siting == 0 ? -1 : 0
    count = subsampling == 1 ? 1 : isBetween ? 2 : 3
    outer = subsampling == 1 ? 1 : isBetween ? 0.5 : 0.25
  }

  @inline(__always)
  subscript(i: Int) -> Float { count == 3 && i == 1 ? 0.5 : outer }
}

/// A fixed pattern that is added before rounding to 8 bits, so that smooth blur does not fall into bands.
struct Dither {
  /// What is added to a row's pixels, again and again: within ±0.45 of a code, by the ordered pattern of 8 x 8.
  let pattern: SIMD8<Float>

  init(_ format: PixelFormat, _ row: Int) {
    // Added to a negative zero, it leaves even that.
    var pattern = SIMD8<Float>(repeating: -0.0)
    if format.sample == .uint8 {
      for x in 0..<8 {
        let y = (row ^ x) & 7
        let bits = (y & 1) << 5 | (x & 1) << 4 | (y & 2) << 2 | (x & 2) << 1 | (y & 4) >> 1 | (x & 4) >> 2
        pattern[x] = (Float(bits) - 31.5) * (0.9 / 255 / 64)
      }
    }
    self.pattern = pattern
  }

  @inline(__always)
  subscript(u: Int) -> Float { pattern[u & 7] }
}
