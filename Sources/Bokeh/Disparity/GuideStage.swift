/// The picture as a guide: its colours, about evenly spaced to the eye, as means under each disparity sample.
struct GuideStage {
  let picture: Plane<SIMD4<Float>>
  let guide: Plane<SIMD4<Float>>
  let workers: Workers
  /// The picture's column where each sample of a row begins, and where the last one ends.
  private let starts: UnsafePointer<Int32>

  /// How many pixels in each direction are looked at for one sample.
  private static let taps = 4

  /// - Parameter starts: memory that is in use as long as this is.
  init(
    picture: Plane<SIMD4<Float>>, guide: Plane<SIMD4<Float>>, starts: Storage<Int32>, workers: Workers
  ) {
    (self.picture, self.guide, self.workers) = (picture, guide, workers)
    let places = starts.reserve(guide.width + 1)
    for x in 0...guide.width { places[x] = Int32(x * picture.width / guide.width) }
    self.starts = UnsafePointer(places)
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
  func reduce(around marks: Plane<UInt8>, reach: Int) {
    workers.rows(guide.height) { _, rows in
      for y in rows {
        var done = 0
        marks.withUnion(of: max(0, y &- reach)...min(y &+ reach, guide.height &- 1)) { near in
          near.forEachMark(0) { x in
            let end = min(x &+ reach &+ 1, guide.width)
            reduce(y, max(done, x &- reach)..<end)
            done = end
          }
        }
      }
    }
  }

  private func reduce(_ y: Int, _ columns: Range<Int>) {
    let top = y &* picture.height / guide.height
    let bottom = max(top &+ 1, (y &+ 1) &* picture.height / guide.height)
    let down = max(1, (bottom &- top) / GuideStage.taps)
    let out = guide.row(y)
    for x in columns { out[x] = .zero }
    var rows: Float = 0
    for row in stride(from: top &+ down / 2, to: bottom, by: down) {
      let light = picture.row(row)
      for x in columns { out[x] += span(x).sum(light) }
      rows += 1
    }
    for x in columns { out[x] /= span(x).count * rows }
  }

  /// The picture's columns that are looked at for one sample.
  private struct Span {
    let first: Int
    let end: Int
    let step: Int

    var count: Float { Float((end &- first &+ step &- 1) / step) }

    @inline(__always)
    func sum(_ light: UnsafeMutablePointer<SIMD4<Float>>) -> SIMD4<Float> {
      var sum = SIMD4<Float>.zero
      var column = first
      while column < end {
        sum += GuideStage.color(light[column])
        column &+= step
      }
      return sum
    }
  }

  @inline(__always)
  private func span(_ x: Int) -> Span {
    let left = Int(starts[x])
    let right = max(left &+ 1, Int(starts[x &+ 1]))
    let step = max(1, (right &- left) / GuideStage.taps)
    return Span(first: left &+ step / 2, end: right, step: step)
  }
}

extension SIMD4<Float> {
  @inline(__always)
  func least(_ other: SIMD4<Float>) -> SIMD4<Float> { replacing(with: other, where: other .< self) }

  @inline(__always)
  func most(_ other: SIMD4<Float>) -> SIMD4<Float> { replacing(with: other, where: other .> self) }
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
