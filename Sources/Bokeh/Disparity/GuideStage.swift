/// The picture as a guide: its colours, about evenly spaced to the eye, as means under each disparity sample.
struct GuideStage {
  let picture: Plane<SIMD4<Float>>
  let guide: Plane<SIMD4<Float>>
  let workers: Workers
  /// Those of a row's pixels for each of its samples.
  private let columns: UnsafePointer<Taps>

  /// The pixels of a row or a column that are looked at for one sample.
  struct Taps: BitwiseCopyable {
    let first: Int32
    let end: Int32
    let step: Int32
    /// One by their number.
    let share: Float

    private static let most = 4

    /// - Parameters:
    ///   - place: the sample's number of `count`.
    ///   - size: the number of pixels.
    init(_ place: Int, of count: Int, over size: Int) {
      let start = place * size / count
      let end = max(start + 1, (place + 1) * size / count)
      let step = max(1, (end - start) / Taps.most)
      first = Int32(start + step / 2)
      share = 1 / Float((end - start - step / 2 + step - 1) / step)
      (self.end, self.step) = (Int32(end), Int32(step))
    }
  }

  /// - Parameter columns: memory that is in use as long as this is.
  init(picture: Plane<SIMD4<Float>>, guide: Plane<SIMD4<Float>>, columns: Storage<Taps>, workers: Workers) {
    (self.picture, self.guide, self.workers) = (picture, guide, workers)
    let taps = columns.reserve(guide.width)
    for x in 0..<guide.width { taps[x] = Taps(x, of: guide.width, over: picture.width) }
    self.columns = UnsafePointer(taps)
  }

  /// A colour of linear light in steps that look about even: its square root, within some 10⁻⁷ of it.
  @inline(__always)
  static func color(_ light: SIMD4<Float>) -> SIMD4<Float> {
    let limited = brightest.least(darkest.most(light))
    // Halving the exponent comes within 4 %, and each of Newton's steps doubles the digits. The root of a vector would
    // be taken number by number.
    let half = unsafeBitCast(limited, to: SIMD4<UInt32>.self) &>> 1 &+ 0x1FBD_1DF5
    let guess = unsafeBitCast(half, to: SIMD4<Float>.self)
    let better = (guess + limited / guess) * 0.5
    return (better + limited / better) * SIMD4(0.5, 0.5, 0.5, 0)
  }

  private static var darkest: SIMD4<Float> { SIMD4(repeating: 1e-10) }
  private static var brightest: SIMD4<Float> { SIMD4(repeating: 1.5) }

  /// Computes the whole guide.
  func reduce() {
    workers.rows(guide.height) { _, rows in
      for y in rows { reduce(y, 0..<guide.width) }
    }
  }

  /// Computes the guide up to `reach` samples away from those that are marked.
  func reduce(around marks: Plane<UInt8>, reach: Int, unions: Storage<UInt8>) {
    let unions = WorkerRows(guide.width, in: unions, workers)
    workers.rows(guide.height) { worker, rows in
      for y in rows {
        let rows = max(0, y &- reach)...min(y &+ reach, guide.height &- 1)
        var run = 0..<0
        marks.union(of: rows, in: unions[worker]).forEachMark(0) { x in
          let first = max(0, x &- reach)
          if first > run.upperBound {
            reduce(y, run)
            run = first..<first
          }
          run = run.lowerBound..<min(x &+ reach &+ 1, guide.width)
        }
        reduce(y, run)
      }
    }
  }

  private func reduce(_ y: Int, _ samples: Range<Int>) {
    let rows = Taps(y, of: guide.height, over: picture.height)
    let out = guide.row(y)
    for x in samples { out[x] = .zero }
    for row in stride(from: Int(rows.first), to: Int(rows.end), by: Int(rows.step)) {
      let light = picture.row(row)
      for x in samples {
        let taps = columns[x]
        var (sum, column) = (out[x], taps.first)
        while column < taps.end {
          sum += GuideStage.color(light[Int(column)])
          column &+= taps.step
        }
        out[x] = sum
      }
    }
    for x in samples { out[x] *= columns[x].share * rows.share }
  }
}

extension SIMD4<Float> {
  @inline(__always)
  func least(_ other: SIMD4<Float>) -> SIMD4<Float> { replacing(with: other, where: other .< self) }

  @inline(__always)
  func most(_ other: SIMD4<Float>) -> SIMD4<Float> { replacing(with: other, where: other .> self) }

  @inline(__always)
  var smallest: Float {
    let pairs = least(SIMD4(z, w, x, y))
    return Swift.min(pairs.x, pairs.y)
  }

  @inline(__always)
  var largest: Float {
    let pairs = most(SIMD4(z, w, x, y))
    return Swift.max(pairs.x, pairs.y)
  }

  /// The sum, whose order suits vectors better than that of `sum()`.
  @inline(__always)
  var total: Float {
    let pairs = self + SIMD4(z, w, x, y)
    return pairs.x + pairs.y
  }
}

extension UnsafeMutablePointer<Float> {
  /// Four values from number `first` on.
  @inline(__always)
  func four(_ first: Int) -> SIMD4<Float> { UnsafeRawPointer(self + first).loadUnaligned(as: SIMD4<Float>.self) }
}

/// How alike two colours of a guide are.
enum Likeness {
  /// Colours that differ by this much (square root of light) are hardly alike.
  private static let spread: Float = 0.08
  /// What quite different colours still count, so that place decides where colours say nothing.
  private static let least: Float = 0.03

  /// From `least` to 1.
  @inline(__always)
  static func weight(_ a: SIMD4<Float>, _ b: SIMD4<Float>) -> Float {
    let difference = a - b
    let distance = (difference * difference).sum() * (1 / (2 * spread * spread))
    // A rational fall-off in place of an exponential: (1 + x/4)⁻⁴.
    let base = 1 / (1 + distance * 0.25)
    let square = base * base
    return least + (1 - least) * square * square
  }
}
