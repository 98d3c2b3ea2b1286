/// What a lower resolution hands to the next finer one: everything nearer than its samples, everything farther, and on
/// either side of the focus the bins of the radii that both draw, as one: the surfaces there go on at the finer resolution.
struct LayerPlanes {
  let bins: SharedBins
  /// Premultiplied light and filled part of the aperture, from all bins nearer than the shared ones.
  let front: Plane<SIMD4<Float>>
  /// Sums of the shared bins, of which the finer resolution has the rest.
  let near: Plane<SIMD4<Float>>
  let far: Plane<SIMD4<Float>>
  /// As `front`, from all bins farther than the shared ones, as far as these and what is nearer leave the aperture open: a
  /// surface that goes on from a shared bin to the next would else let what is behind it through.
  let back: Plane<SIMD4<Float>>

  /// The part of the aperture that is filled before `back`.
  @inline(__always)
  static func occupied(_ front: SIMD4<Float>, _ near: SIMD4<Float>, _ far: SIMD4<Float>) -> Float {
    min(front.w + near.w + far.w, 1)
  }
}

/// The bins of the radii that a resolution and the next finer one both draw, on either side of the focus.
struct SharedBins {
  let near: ClosedRange<Int>
  let far: ClosedRange<Int>

  init(_ circle: CircleOfConfusion, _ resolutions: Resolutions, level: Int) {
    let first = Float(resolutions.start(level)) / DiscTable.stepsPerPixel
    let last = Float(resolutions.sharedEnd(level)) / DiscTable.stepsPerPixel
    near = Int(circle.nearBin(last))...Int(circle.nearBin(first))
    far = Int(circle.farBin(first))...Int(circle.farBin(last))
  }

  /// Those with the smallest radii, which the finer resolution adds both sides' sums to.
  var nearBin: Int { near.upperBound }
  var farBin: Int { far.lowerBound }

  /// Bits of these two.
  var touched: UInt32 { 1 << UInt32(nearBin) | 1 << UInt32(farBin) }
}

/// The layers of a lower resolution in a row of the finer one.
struct UpsampledLayers {
  let front: UpsampledRow
  let back: UpsampledRow
  private let near: UpsampledRow
  private let far: UpsampledRow
  private let nearBin: Int
  private let farBin: Int

  /// - Parameter columns: those of the layers that are read, and one more on each side.
  init(_ layers: LayerPlanes, y: Int, _ scratch: FillScratch, columns: Range<Int>? = nil) {
    front = UpsampledRow(layers.front, y: y, values: scratch.row(0), columns: columns)
    near = UpsampledRow(layers.near, y: y, values: scratch.row(1), columns: columns)
    far = UpsampledRow(layers.far, y: y, values: scratch.row(2), columns: columns)
    back = UpsampledRow(layers.back, y: y, values: scratch.row(3), columns: columns)
    nearBin = layers.bins.nearBin
    farBin = layers.bins.farBin
  }

  /// Whether nothing but `back` is seen at pixels of the finer picture, and fills at least `least` of each aperture.
  @inline(__always)
  func hasOnlyBack(_ columns: Range<Int>, least: Float) -> Bool {
    back.weights(columns).lowerBound >= least && front.weights(columns).upperBound < BinSums.leastWeight
      && near.weights(columns).upperBound < BinSums.leastWeight
      && far.weights(columns).upperBound < BinSums.leastWeight
  }

  /// What a bin holds here, nil if it is none of the two.
  @inline(__always)
  func row(of bin: Int) -> UpsampledRow? { bin == nearBin ? near : bin == farBin ? far : nil }

  /// Adds what the two bins hold at pixel `x`, and returns its weight.
  @inline(__always)
  func add(_ x: Int, to sums: BinSums) -> Float {
    let (near, far) = (near[x], far[x])
    sums[nearBin] += near
    sums[farBin] += far
    return near.w + far.w
  }
}

/// One row of a plane of half the resolution, brought to the rows of the finer one.
struct UpsampledRow {
  private let values: UnsafeMutablePointer<SIMD4<Float>>
  private let width: Int

  /// Blends the two rows of `plane` around row `y` of the finer picture into `values`, which has room for one row of
  /// `plane`.
  ///
  /// - Parameter columns: those of `plane` that are read, and one more on each side; all without a value.
  init(
    _ plane: Plane<SIMD4<Float>>, y: Int, values: UnsafeMutablePointer<SIMD4<Float>>, columns: Range<Int>? = nil
  ) {
    self.values = values
    width = plane.width
    let near = plane.clampedRow(y >> 1)
    let other = plane.clampedRow((y >> 1) &+ (y & 1 == 0 ? -1 : 1))
    let all = 0..<width
    let read = columns.map { ($0.lowerBound &- 1..<$0.upperBound &+ 1).clamped(to: all) } ?? all
    for x in read { values[x] = near[x] * 0.75 + other[x] * 0.25 }
  }

  /// The range of weights that pixels of the finer picture are made of.
  @inline(__always)
  func weights(_ columns: Range<Int>) -> ClosedRange<Float> {
    let (first, last) = (max(columns.lowerBound >> 1 &- 1, 0), min((columns.upperBound &+ 1) >> 1, width &- 1))
    var (least, most) = (values[last].w, values[last].w)
    for x in first..<last {
      let weight = values[x].w
      least = weight < least ? weight : least
      most = weight > most ? weight : most
    }
    return least...most
  }

  /// The value at pixel `x` of the finer picture.
  @inline(__always)
  subscript(x: Int) -> SIMD4<Float> {
    let near = min(x >> 1, width &- 1)
    let other = x & 1 == 0 ? max(near &- 1, 0) : min(near &+ 1, width &- 1)
    return values[near] * 0.75 + values[other] * 0.25
  }
}

/// One row of the hidden layer, which has the picture's resolution or half of it.
struct HiddenRow {
  private let whole: UnsafeMutablePointer<SIMD4<Float>>
  private let half: UpsampledRow?

  /// - Parameter size: the picture's.
  init(
    _ plane: Plane<SIMD4<Float>>, size: (width: Int, height: Int), y: Int, scratch: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    // One pixel's half is one pixel.
    let isWhole = plane.width == size.width && plane.height == size.height
    whole = isWhole ? plane.row(y) : scratch
    half = isWhole ? nil : UpsampledRow(plane, y: y, values: scratch)
  }

  /// The value at pixel `x` of the picture.
  @inline(__always)
  subscript(x: Int) -> SIMD4<Float> { half?[x] ?? whole[x] }
}
