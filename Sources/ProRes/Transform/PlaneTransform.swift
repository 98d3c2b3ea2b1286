package import CProRes

/// The inverse transform of the blocks of a plane (RDD 36, 7.4 and 7.5), with the dequantisation's last step folded in.
///
/// The samples of a block are `middle + code of the DC + what its other coefficients add`: the DC is kept apart, as an exact
/// integer and a fraction, so that single precision is enough for 16 bits.
package enum PlaneTransform {
  package typealias Plane = CProResPlane

  package static let hasAVX2 = cprores_has_avx2()

  @inline(__always)
  static func run(_ plane: Plane) {
    if hasAVX2 {
      withUnsafePointer(to: plane) { cprores_transform_avx2($0) }
    } else {
      runPortably(plane)
    }
  }

  /// What coefficient `(v, u)` is multiplied by beside its weight and scale, for codes of `depth` bits: the standard's factors
  /// and those that the flow graph leaves out.
  package static func factor(_ v: Int, _ u: Int, depth: Int) -> Double {
    func left(_ k: Int) -> Double { k == 0 ? 1 : Double.sqrt2 * cosine(k) }
    return left(v) * left(u) / 64 * Double(1 << depth) / 512
  }

  private static func cosine(_ k: Int) -> Double { cosines[k] }

  /// cos(kπ/16).
  private static let cosines = [
    1, 0.980785280403230449126, 0.923879532511286756128, 0.831469612302545237079, 0.707106781186547524401,
    0.555570233019602224743, 0.382683432365089771728, 0.195090322016128267848,
  ]
}

extension Double {
  fileprivate static let sqrt2 = 1.41421356237309504880
}

extension PlaneTransform {
  /// What a block's DC adds to its codes: an integer and a fraction.
  @inline(__always)
  static func dc(_ plane: Plane, _ block: Int) -> (whole: Int32, fraction: Float) {
    let product = Int64(plane.dc[block]) * Int64(plane.dcScale)
    let scaled = max(-(1 << 28), min(1 << 28, product))
    let unit = Int64(1) &<< Int64(plane.dcShift)
    return (
      Int32(truncatingIfNeeded: scaled &>> Int64(plane.dcShift)), Float(scaled & (unit - 1)) / Float(unit)
    )
  }

  /// On every processor, and the specification of the one above.
  package static func runPortably(_ plane: Plane) {
    for block in 0..<Int(plane.blocks) {
      let x = plane.inRows ? block >> 2 * 16 + block & 1 * 8 : block >> 1 * 8
      let y = plane.inRows ? (block >> 1 & 1) * 8 : (block & 1) * 8
      let out = plane.samples + y * plane.samplesPerRow + x
      let (whole, fraction) = dc(plane, block)
      let levels = plane.levels + block * 64
      if isZero(levels) {
        let code = plane.middle &+ whole &+ (fraction >= 0.5 ? 1 : 0)
        store(SIMD8(repeating: Int32(code)), plane, out, rows: 0..<8)
        continue
      }
      // Halves go up, as in a block that has only a DC; nothing else is as near to a half.
      transform(levels, fraction + (plane.dcShift > 0 ? 1 / 8192 : 0), plane, whole, out)
    }
  }

  private static func isZero(_ levels: UnsafeMutablePointer<Int16>) -> Bool {
    let memory = UnsafeRawPointer(levels)
    let left = memory.load(as: SIMD32<Int16>.self)
    let right = memory.load(fromByteOffset: 64, as: SIMD32<Int16>.self)
    return left | right == SIMD32(repeating: 0)
  }

  private static func transform(
    _ levels: UnsafeMutablePointer<Int16>, _ fraction: Float, _ plane: Plane, _ dc: Int32,
    _ out: UnsafeMutablePointer<UInt16>
  ) {
    withUnsafeTemporaryAllocation(of: SIMD8<Float>.self, capacity: 8) { memory in
      let columns = memory.baseAddress!
      let coefficients = UnsafeMutableRawPointer(columns)
      for place in 0..<64 {
        let coefficient = place == 0 ? fraction : Float(levels[place]) * plane.weights[place]
        coefficients.storeBytes(of: coefficient, toByteOffset: 4 * place, as: Float.self)
        levels[place] = 0
      }
      transformEight(columns)
      transpose(coefficients)
      transformEight(columns)
      round(columns, plane, dc, out)
    }
  }

  /// `memory` holds eight rows of eight single-precision values.
  private static func transpose(_ memory: UnsafeMutableRawPointer) {
    for y in 0..<8 {
      for x in 0..<y {
        let (lower, upper) = (4 * (y * 8 + x), 4 * (x * 8 + y))
        let kept = memory.load(fromByteOffset: lower, as: Float.self)
        memory.storeBytes(
          of: memory.load(fromByteOffset: upper, as: Float.self), toByteOffset: lower, as: Float.self)
        memory.storeBytes(of: kept, toByteOffset: upper, as: Float.self)
      }
    }
  }

  private static func round(
    _ rows: UnsafeMutablePointer<SIMD8<Float>>, _ plane: Plane, _ dc: Int32, _ out: UnsafeMutablePointer<UInt16>
  ) {
    // Adding this rounds to an integer, which is then in the lowest bits.
    let magic = SIMD8<Float>(repeating: 12_582_912)
    let base = SIMD8(repeating: plane.middle &+ dc &- Int32(bitPattern: magic[0].bitPattern))
    for y in 0..<8 {
      let bounded = rows[y].clamped(
        lowerBound: SIMD8(repeating: -4_000_000), upperBound: SIMD8(repeating: 4_000_000))
      let bits = unsafeBitCast(bounded + magic, to: SIMD8<Int32>.self)
      store(bits &+ base, plane, out, rows: y..<y + 1)
    }
  }

  private static func store(
    _ codes: SIMD8<Int32>, _ plane: Plane, _ out: UnsafeMutablePointer<UInt16>, rows: Range<Int>
  ) {
    let bounded = codes.clamped(lowerBound: SIMD8(repeating: 0), upperBound: SIMD8(repeating: plane.most))
    let samples = SIMD8<UInt16>(truncatingIfNeeded: bounded)
    for y in rows {
      UnsafeMutableRawPointer(out + y * plane.samplesPerRow).storeBytes(of: samples, as: SIMD8<UInt16>.self)
    }
  }

  /// Eight inverse transforms of eight values side by side, after Arai, Agui and Nakajima.
  private static func transformEight(_ v: UnsafeMutablePointer<SIMD8<Float>>) {
    let sum = v[0] + v[4]
    let difference = v[0] - v[4]
    let pair = v[2] + v[6]
    let turned = (v[2] - v[6]) * 1.41421356237 - pair
    let a = v[1] + v[7]
    let c = v[1] - v[7]
    let b = v[5] + v[3]
    let d = v[5] - v[3]
    let odd0 = a + b
    let odd1 = c * 1.84775906502 - d * 0.76536686473 - odd0
    let odd2 = (a - b) * 1.41421356237 - odd1
    let odd3 = c * 0.76536686473 + d * 1.84775906502 - odd2
    (v[0], v[7]) = (sum + pair + odd0, sum + pair - odd0)
    (v[1], v[6]) = (difference + turned + odd1, difference + turned - odd1)
    (v[2], v[5]) = (difference - turned + odd2, difference - turned - odd2)
    (v[3], v[4]) = (sum - pair + odd3, sum - pair - odd3)
  }
}
