internal import CProRes

/// Transforms of a block's lowest frequencies into fewer samples: the same cosines, looked at in the middle of larger pixels.
enum ReducedTransform {
  /// What coefficient `(v, u)` is multiplied by beside its weight and scale, for codes of `depth` bits.
  static func factor(_ v: Int, _ u: Int, depth: Int) -> Double {
    let root = 0.5.squareRoot()
    return (v == 0 ? root : 1) * (u == 0 ? root : 1) / 32 * Double(1 << depth) / 512
  }

  static func run(_ plane: PlaneTransform.Plane, _ scale: ProResScale) {
    let side = scale.samplesPerBlock
    for block in 0..<Int(plane.blocks) {
      let x = plane.inRows ? block >> 2 * 2 + block & 1 : block >> 1
      let y = plane.inRows ? block >> 1 & 1 : block & 1
      let out = plane.samples + y * side * plane.samplesPerRow + x * side
      let (dc, fraction) = PlaneTransform.dc(plane, block)
      let levels = plane.levels + block * 64
      switch scale {
      case .full: preconditionFailure("a whole block is transformed elsewhere")
      case .half: four(levels, dc, fraction, plane, out)
      case .quarter: two(levels, dc, fraction, plane, out)
      case .eighth: out[0] = code(dc, fraction, plane)
      }
    }
  }

  @inline(__always)
  private static func code(_ dc: Int32, _ rest: Float, _ plane: PlaneTransform.Plane) -> UInt16 {
    // Halves go up, though a sum in single precision may be a little below.
    let half: Float = plane.dcShift > 0 ? 0.5 + 1 / 8192 : 0.5
    let rounded = Int32(max(-4_000_000, min(4_000_000, rest + half)).rounded(.down))
    return UInt16(truncatingIfNeeded: max(0, min(plane.most, plane.middle &+ dc &+ rounded)))
  }

  private static func two(
    _ levels: UnsafeMutablePointer<Int16>, _ dc: Int32, _ fraction: Float, _ plane: PlaneTransform.Plane,
    _ out: UnsafeMutablePointer<UInt16>
  ) {
    let cosine: Float = 0.70710678119
    // A mean has no factor: that of `(0, 0)` is within the DC's own.
    func take(_ place: Int) -> Float {
      defer { levels[place] = 0 }
      return Float(levels[place]) * plane.weights[place]
    }
    let across = take(8) * cosine
    let down = take(1) * cosine
    let both = take(9) * 0.5
    out[0] = code(dc, fraction + across + down + both, plane)
    out[1] = code(dc, fraction - across + down - both, plane)
    out[plane.samplesPerRow] = code(dc, fraction + across - down - both, plane)
    out[plane.samplesPerRow + 1] = code(dc, fraction - across - down + both, plane)
  }

  private static func four(
    _ levels: UnsafeMutablePointer<Int16>, _ dc: Int32, _ fraction: Float, _ plane: PlaneTransform.Plane,
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
    for (y, row) in [rows.0, rows.1, rows.2, rows.3].enumerated() {
      for x in 0..<4 { out[y * plane.samplesPerRow + x] = code(dc, row[x], plane) }
    }
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
