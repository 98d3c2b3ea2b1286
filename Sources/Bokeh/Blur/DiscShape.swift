/// What a frame's discs look like where they are not plain round ones: an aperture's form, cut off towards the
/// picture's borders. The table belongs to `LookStage`.
struct DiscShape: @unchecked Sendable {
  /// The row through the centres of the table's discs.
  private let middle: UnsafePointer<SIMD2<Float>>
  /// How far a disc of radius 1 reaches.
  let stretch: Float
  /// The table's last row.
  private let farthest: Int
  /// 0…1.
  private let vignetting: Float
  /// How many bins lie before the focus; their discs are turned by 180 degrees.
  let nearBins: UInt32

  init(_ table: ShapedDiscTable, vignetting: Float, nearBins: Int) {
    middle = table.row(0)
    stretch = table.stretch
    farthest = table.farthest
    self.vignetting = vignetting
    self.nearBins = UInt32(nearBins)
  }

  /// As `ShapedDiscTable.row`.
  @inline(__always)
  func row(_ dy: Int) -> UnsafePointer<SIMD2<Float>> { middle + dy &* DiscTable.indexCount }

  /// The farthest row that a disc of this radius index touches.
  @inline(__always)
  func reach(_ index: UInt32) -> Int {
    guard index > DiscTable.sharpIndex else { return 0 }
    return Int(((Float(index) * stretch - 16) / DiscTable.stepsPerPixel).rounded(.up))
  }

  /// A radius index which discs that touch a row at this distance have at least.
  func leastIndex(_ distance: Int) -> UInt32 { UInt32(max(0, Float(32 &* distance &- 16) / stretch)) }

  /// Which of the lens's rims discs are cut by in a picture of this size.
  func rim(_ width: Int, _ height: Int) -> LensRim? {
    vignetting > 0 ? LensRim(width, height, vignetting: vignetting, stretch: stretch) : nil
  }

  /// The area of the disc of a sample at (x, y) in pixels, as its spans add up to it.
  func area(x: Float, y: Float, _ key: DepthKey, _ rim: LensRim) -> Float {
    let reach = reach(key.index)
    var area: Float = 0
    for dy in -reach...reach {
      let (left, right) = DiscSpans(self, rim, y: y, dy: dy).ends(SampleRows.Place(x: x, key: key))
      area += max(right - left, 0)
    }
    return area
  }
}

extension DiscShape? {
  /// The farthest row or column that a disc of this radius index touches.
  @inline(__always)
  func reach(_ index: UInt32) -> Int {
    guard let self else { return DiscTable.reach(index) }
    return self.reach(index)
  }

  /// A radius index which discs that touch a row at this distance have at least.
  @inline(__always)
  func leastIndex(_ distance: Int) -> UInt32 {
    guard let self else { return UInt32(max(0, 32 &* distance &- 15)) }
    return self.leastIndex(distance)
  }
}

extension DiscShape {
  /// The ends of a disc's span in the row `dy` below its centre, seen from there; nothing is covered unless the right one is
  /// the greater.
  @inline(__always)
  func ends(_ dy: Int, _ index: Int, isNear: Bool) -> SIMD2<Float> {
    let ends = row(isNear ? -dy : dy)[index]
    return isNear ? SIMD2(-ends.y, -ends.x) : ends
  }

  /// The same at any height; spans a pixel apart add up to the disc's area, wherever the first one lies.
  @inline(__always)
  func ends(at height: Float, _ index: Int, isNear: Bool) -> SIMD2<Float> {
    let upper = height.rounded(.down)
    guard abs(upper) < Float(farthest) else { return .zero }
    let (above, below) = (ends(Int(upper), index, isNear: isNear), ends(Int(upper) &+ 1, index, isNear: isNear))
    return above + (below - above) * (height - upper)
  }
}

/// One row, `dy` below their centres, of the discs of a row of samples.
struct DiscSpans {
  private let shape: DiscShape
  private let rim: LensRim?
  private let y: Float
  private let dy: Int

  /// - Parameter y: the samples' row; it may lie beyond the picture's border.
  @inline(__always)
  init(_ shape: DiscShape, _ rim: LensRim?, y: Float, dy: Int) {
    (self.shape, self.rim, self.y, self.dy) = (shape, rim, y, dy)
  }

  /// The ends of a sample's span seen from its centre; nothing is covered unless the right one is the greater.
  @inline(__always)
  func ends(_ place: SampleRows.Place) -> (left: Float, right: Float) {
    let isNear = place.key.bin < shape.nearBins
    let index = Int(truncatingIfNeeded: place.key.index)
    guard let rim, place.key.index > DiscTable.sharpIndex else {
      let ends = shape.ends(dy, index, isNear: isNear)
      return (ends.x, ends.y)
    }
    // Half of the shift each, so that what they have in common lies around the sample.
    let shift = rim.shift(x: place.x, y: y, index: place.key.index) * (isNear ? -0.5 : 0.5)
    let ends = shape.ends(at: Float(dy) + shift.y, index, isNear: isNear) - shift.x
    let half = rim.halfWidth(abs(Float(dy) - shift.y), place.key.index)
    return (max(ends.x, shift.x - half), min(ends.y, shift.x + half))
  }
}

/// The rim of a lens as the picture's pixels see it: a circle around the aperture, shifted in proportion to the distance
/// from the picture's centre, which hides what lies outside it.
struct LensRim {
  private let centre: SIMD2<Float>
  /// The shift in radii for each pixel from the centre.
  private let shiftPerPixel: Float
  private let stretch: Float

  init(_ width: Int, _ height: Int, vignetting: Float, stretch: Float) {
    let size = SIMD2(Float(width), Float(height))
    centre = (size - 1) / 2
    shiftPerPixel = 2 * vignetting / (size * size).sum().squareRoot()
    self.stretch = stretch
  }

  /// How far in pixels the circle is shifted from the disc of a sample at (x, y) behind the focus.
  ///
  /// Small discs are shifted less than in proportion, a single pixel not at all.
  @inline(__always)
  func shift(x: Float, y: Float, index: UInt32) -> SIMD2<Float> {
    var shift = (centre - SIMD2(x, y)) * shiftPerPixel
    let square = (shift * shift).sum()
    // A sample beyond the border is no farther from the centre than a corner.
    if square > 1 { shift /= square.squareRoot() }
    let single = Float(DiscTable.sharpIndex) / Float(index)
    return shift * (Float(index) * (stretch / DiscTable.stepsPerPixel) * (1 - single * single))
  }

  /// Half the length of the circle's span at a distance from its centre; those of rows a pixel apart add up to the circle's
  /// area, wherever the first one lies.
  @inline(__always)
  func halfWidth(_ distance: Float, _ index: UInt32) -> Float {
    let stretched = min(Int(Float(index) * stretch + 0.5), DiscTable.indexCount &- 1)
    let row = Int(distance)
    guard row < DiscTable.rowCount &- 1 else { return 0 }
    let (near, far) = (DiscTable.shared.row(row)[stretched], DiscTable.shared.row(row &+ 1)[stretched])
    return near + (far - near) * (distance - Float(row))
  }
}
