internal import CProRes

/// Transforms of a block's lowest frequencies into fewer samples: the same cosines, looked at in the middle of larger pixels.
enum ReducedTransform {
  /// What coefficient `(v, u)` is multiplied by beside its weight and scale, for codes of `depth` bits.
  static func factor(_ v: Int, _ u: Int, depth: Int) -> Double {
    let root = 0.5.squareRoot()
    return (v == 0 ? root : 1) * (u == 0 ? root : 1) / 32 * Double(1 << depth) / 512
  }

  static func run(_ plane: PlaneTransform.Plane, _ scale: ProResScale) {
    switch scale {
    case .full: preconditionFailure("a whole block is transformed elsewhere")
    case .half: run(plane, side: 4, four)
    case .quarter: run(plane, side: 2, two)
    case .eighth: means(plane)
    }
  }

  @inline(__always)
  private static func run(
    _ plane: PlaneTransform.Plane, side: Int,
    _ transform: (UnsafeMutablePointer<Int16>, Int32, Float, PlaneTransform.Plane, UnsafeMutablePointer<UInt16>) -> Void
  ) {
    // Halves go up, though a sum in single precision may be a little below.
    let up: Float = plane.dcShift > 0 ? 1 / 8192 : 0
    for block in 0..<Int(plane.blocks) {
      let (dc, fraction) = PlaneTransform.dc(plane, block)
      transform(plane.levels + block * 64, plane.middle &+ dc, fraction + up, plane, place(plane, block, side))
    }
  }

  @inline(__always)
  private static func place(_ plane: PlaneTransform.Plane, _ block: Int, _ side: Int) -> UnsafeMutablePointer<UInt16> {
    let x = plane.inRows ? block >> 2 * 2 + block & 1 : block >> 1
    let y = plane.inRows ? block >> 1 & 1 : block & 1
    return plane.samples + y * side * plane.samplesPerRow + x * side
  }

  /// One sample a block.
  private static func means(_ plane: PlaneTransform.Plane) {
    let half = (Int64(1) &<< Int64(plane.dcShift)) &>> 1
    for block in 0..<Int(plane.blocks) {
      let product = Int64(plane.dc[block]) &* Int64(plane.dcScale)
      let code = Int64(plane.middle) &+ (product &+ half) &>> Int64(plane.dcShift)
      place(plane, block, 1)[0] = UInt16(truncatingIfNeeded: max(0, min(Int64(plane.most), code)))
    }
  }

  /// Stores the first `count` codes of a row.
  @inline(__always)
  private static func store(
    _ values: SIMD4<Float>, _ base: Int32, _ plane: PlaneTransform.Plane, _ out: UnsafeMutablePointer<UInt16>,
    count: Int
  ) {
    // Adding this rounds to an integer, which is then in the lowest bits.
    let magic = SIMD4<Float>(repeating: 12_582_912)
    let bounded = values.clamped(lowerBound: SIMD4(repeating: -4_000_000), upperBound: SIMD4(repeating: 4_000_000))
    let codes =
      unsafeBitCast(bounded + magic, to: SIMD4<Int32>.self)
      &+ SIMD4(repeating: base &- Int32(bitPattern: magic[0].bitPattern))
    let samples = SIMD4<UInt16>(
      truncatingIfNeeded: codes.clamped(lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: plane.most)))
    for x in 0..<count { out[x] = samples[x] }
  }

  private static func two(
    _ levels: UnsafeMutablePointer<Int16>, _ base: Int32, _ fraction: Float, _ plane: PlaneTransform.Plane,
    _ out: UnsafeMutablePointer<UInt16>
  ) {
    let cosine: Float = 0.70710678119
    func take(_ place: Int) -> Float {
      defer { levels[place] = 0 }
      return Float(levels[place]) * plane.weights[place]
    }
    let across = take(8) * cosine
    let down = take(1) * cosine
    let both = take(9) * 0.5
    let (upper, lower) = (fraction + down, fraction - down)
    let samples = SIMD4(
      upper + (across + both), upper - (across + both), lower + (across - both), lower - (across - both))
    store(samples, base, plane, out, count: 2)
    store(
      SIMD4(lowHalf: samples.highHalf, highHalf: samples.highHalf), base, plane, out + plane.samplesPerRow, count: 2)
  }

  private static func four(
    _ levels: UnsafeMutablePointer<Int16>, _ base: Int32, _ fraction: Float, _ plane: PlaneTransform.Plane,
    _ out: UnsafeMutablePointer<UInt16>
  ) {
    func column(_ u: Int) -> SIMD4<Float> {
      let memory = UnsafeMutableRawPointer(levels + u * 8)
      let column = memory.load(as: SIMD4<Int16>.self)
      memory.storeBytes(of: SIMD4(repeating: 0), as: SIMD4<Int16>.self)
      return SIMD4(Float(column[0]), Float(column[1]), Float(column[2]), Float(column[3]))
        * UnsafeRawPointer(plane.weights + u * 8).load(as: SIMD4<Float>.self)
    }
    var first = column(0)
    first[0] = fraction
    var (a, b, c, d) = four(first, column(1), column(2), column(3))
    (a, b, c, d) = (
      SIMD4(a[0], b[0], c[0], d[0]), SIMD4(a[1], b[1], c[1], d[1]), SIMD4(a[2], b[2], c[2], d[2]),
      SIMD4(a[3], b[3], c[3], d[3])
    )
    let rows = four(a, b, c, d)
    store(rows.0, base, plane, out, count: 4)
    store(rows.1, base, plane, out + plane.samplesPerRow, count: 4)
    store(rows.2, base, plane, out + 2 * plane.samplesPerRow, count: 4)
    store(rows.3, base, plane, out + 3 * plane.samplesPerRow, count: 4)
  }

  /// Four inverse transforms of four values side by side.
  @inline(__always)
  private static func four(
    _ v0: SIMD4<Float>, _ v1: SIMD4<Float>, _ v2: SIMD4<Float>, _ v3: SIMD4<Float>
  ) -> (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) {
    let even = v2 * 0.70710678119
    let odd0 = v1 * 0.92387953251 + v3 * 0.38268343236
    let odd1 = v1 * 0.38268343236 - v3 * 0.92387953251
    return (v0 + even + odd0, v0 - even + odd1, v0 - even - odd1, v0 + even - odd0)
  }
}
