/// What a lower resolution hands to the next finer one: everything nearer than its samples, and everything farther.
struct LayerPlanes {
  /// Premultiplied light and filled part of the aperture.
  let front: Plane<SIMD4<Float>>
  let back: Plane<SIMD4<Float>>
}

/// One row of a plane of half the resolution, brought to the rows of the finer one.
struct UpsampledRow {
  private let values: UnsafeMutablePointer<SIMD4<Float>>
  private let width: Int

  /// Blends the two rows of `plane` around row `y` of the finer picture into `values`, which has room for one row of `plane`.
  init(_ plane: Plane<SIMD4<Float>>, y: Int, values: UnsafeMutablePointer<SIMD4<Float>>) {
    self.values = values
    width = plane.width
    let near = plane.clampedRow(y >> 1)
    let other = plane.clampedRow((y >> 1) &+ (y & 1 == 0 ? -1 : 1))
    for x in 0..<width { values[x] = near[x] * 0.75 + other[x] * 0.25 }
  }

  /// The value at pixel `x` of the finer picture.
  @inline(__always)
  subscript(x: Int) -> SIMD4<Float> {
    let near = min(x >> 1, width &- 1)
    let other = x & 1 == 0 ? max(near &- 1, 0) : min(near &+ 1, width &- 1)
    return values[near] * 0.75 + values[other] * 0.25
  }
}
