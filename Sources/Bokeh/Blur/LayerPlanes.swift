/// What a lower resolution hands to the next finer one: everything nearer than its samples, everything farther, and on
/// either side of the focus the bins of the radii that both draw, as one: the surfaces there go on at the finer resolution.
struct LayerPlanes {
  let bins: SharedBins
  /// Premultiplied light and filled part of the aperture, from all bins nearer than the shared ones.
  let front: BlockPlane
  /// Sums of the shared bins, of which the finer resolution has the rest.
  let near: BlockPlane
  let far: BlockPlane
  /// As `front`, from all bins farther than the shared ones, as far as these and what is nearer leave the aperture open: a
  /// surface that goes on from a shared bin to the next would else let what is behind it through.
  let back: BlockPlane

  /// The part of the aperture that is filled before `back`.
  @inline(__always)
  static func occupied(_ front: SIMD4<Float>, _ near: SIMD4<Float>, _ far: SIMD4<Float>) -> Float {
    min(front.w + near.w + far.w, 1)
  }

  /// Notes that a block of pixels of row `y` holds nothing.
  func setEmpty(_ columns: Range<Int>, _ y: Int) {
    front.setEmpty(columns, y)
    near.setEmpty(columns, y)
    far.setEmpty(columns, y)
    back.setEmpty(columns, y)
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

  /// A bit for each bin that is not farther than the shared ones.
  var before: UInt32 { (2 &<< UInt32(far.upperBound)) &- 1 }
}

/// The layers of a lower resolution in a row of the finer one.
struct UpsampledLayers {
  private let front: UpsampledRow
  private let near: UpsampledRow
  private let far: UpsampledRow
  private let back: UpsampledRow
  private let bins: SharedBins

  init(_ layers: LayerPlanes, y: Int, _ scratch: FillScratch) {
    front = UpsampledRow(layers.front, y: y, values: scratch.row(0))
    near = UpsampledRow(layers.near, y: y, values: scratch.row(1))
    far = UpsampledRow(layers.far, y: y, values: scratch.row(2))
    back = UpsampledRow(layers.back, y: y, values: scratch.row(3))
    bins = layers.bins
  }

  /// A block of pixels, valid until the next one is entered.
  func enter(_ columns: Range<Int>) -> LayerBlock {
    let content = back.enter(columns)
    return LayerBlock(
      front: front.block(front.enter(columns)), near: near.block(near.enter(columns)),
      far: far.block(far.enter(columns)), back: back.block(content), isWhole: content == .all, nearBin: bins.nearBin,
      farBin: bins.farBin)
  }
}

/// A block of the layers of a lower resolution; nil are those that hold nothing.
struct LayerBlock {
  var front: UpsampledBlock?
  var near: UpsampledBlock?
  var far: UpsampledBlock?
  var back: UpsampledBlock?
  /// Whether `back` fills every aperture.
  var isWhole = false
  var nearBin = 0
  var farBin = 0

  /// Whether nothing but `back` is seen.
  @inline(__always)
  var hasOnlyBack: Bool { front == nil && near == nil && far == nil }

  /// Bits of the bins that hold something.
  @inline(__always)
  var bins: UInt32 { (near == nil ? 0 : 1 &<< UInt32(nearBin)) | (far == nil ? 0 : 1 &<< UInt32(farBin)) }

  /// What a bin holds, nil for nothing.
  @inline(__always)
  func bin(_ bin: Int) -> UpsampledBlock? { bin == nearBin ? near : bin == farBin ? far : nil }
}
