/// Radius and depth bin of a disparity, for one frame, and what discs look like there.
///
/// Bins lie on both sides of the focus, near to far, each as wide as the others of its side in radius:
///
///     disparity  near ────────── focus ────────────────── far
///     bin         0 │ 1 │ 2 │ … nearBins │ nearBins + 1 │ … bins − 1
struct CircleOfConfusion: Sendable {
  let focus: Float
  /// Pixels for each 1/m.
  private(set) var radiusPerDisparity: Float
  let nearBins: Int
  let bins: Int
  var look = FrameLook.plain
  private var nearBinsPerPixel: Float
  private var farBinsPerPixel: Float

  /// Larger radii are drawn with this one: a disc that covers any picture many times.
  static let maximumRadius: Float = 4096

  /// - Parameters:
  ///   - range: the disparities of the frame without outliers.
  ///   - bins: at least 2.
  init(focus: Float, radiusPerDisparity: Float, range: ClosedRange<Float>, bins: Int) {
    self.focus = focus
    self.radiusPerDisparity = radiusPerDisparity
    self.bins = bins
    let near = max(0, range.upperBound - focus) * radiusPerDisparity
    let far = max(0, focus - range.lowerBound) * radiusPerDisparity
    let share = near / max(near + far, .leastNormalMagnitude)
    nearBins = max(1, min(bins - 1, Int((Float(bins) * share).rounded())))
    nearBinsPerPixel = Float(nearBins) / max(near, 0.5)
    farBinsPerPixel = Float(bins - nearBins) / max(far, 0.5)
  }

  /// The same in pixels that are `scale` times as large.
  func reduced(by scale: Float) -> CircleOfConfusion {
    var circle = self
    circle.radiusPerDisparity /= scale
    circle.nearBinsPerPixel *= scale
    circle.farBinsPerPixel *= scale
    return circle
  }

  /// The radius in pixels, at most `maximumRadius`.
  @inline(__always)
  func radius(_ disparity: Float) -> Float {
    CircleOfConfusion.least(abs(disparity - focus) * radiusPerDisparity, CircleOfConfusion.maximumRadius)
  }

  /// Radius and bin in one number.
  @inline(__always)
  func key(_ disparity: Float) -> DepthKey {
    // Both bins are found, without a condition, so that the compiler makes vectors of a row's.
    let r = radius(disparity)
    let (near, far) = (nearBin(r), farBin(r))
    return DepthKey(radius: r, bin: disparity > focus ? near : far)
  }

  /// Finds the keys of a row, and returns the largest radius index among them.
  func findKeys(
    _ disparity: UnsafePointer<Float>, _ keys: UnsafeMutablePointer<DepthKey>, _ count: Int
  ) -> UInt32 {
    var largest: UInt32 = 0
    for x in 0..<count {
      let key = key(disparity[x])
      keys[x] = key
      largest = key.index > largest ? key.index : largest
    }
    return largest
  }

  /// The bin of a radius nearer than the focus.
  @inline(__always)
  func nearBin(_ radius: Float) -> UInt32 {
    let last = UInt32(truncatingIfNeeded: nearBins &- 1)
    return last &- CircleOfConfusion.least(radius * nearBinsPerPixel, Float(last)).whole
  }

  /// The bin of a radius farther than the focus.
  @inline(__always)
  func farBin(_ radius: Float) -> UInt32 {
    let first = UInt32(truncatingIfNeeded: nearBins)
    let most = Float(UInt32(truncatingIfNeeded: bins) &- first &- 1)
    return first &+ CircleOfConfusion.least(radius * farBinsPerPixel, most).whole
  }

  @inline(__always)
  private static func least(_ a: Float, _ b: Float) -> Float { a < b ? a : b }
}

extension Float {
  /// The whole part of a number from 0 to 2²², found without the conversion that stops at what is no number.
  @inline(__always)
  fileprivate var whole: UInt32 {
    // Added to 2²³, a number is rounded and lies in the sum's last bits.
    let rounded = self + 8_388_608
    return (rounded.bitPattern & 0x7F_FFFF) &- (rounded - 8_388_608 > self ? 1 : 0)
  }
}

/// A radius in steps of 1/32 px, and a depth bin.
struct DepthKey: BitwiseCopyable, Hashable, Sendable {
  let bits: UInt32
  private static let splitBit: UInt32 = 0x80

  /// `radius` from 0 to `CircleOfConfusion.maximumRadius`.
  @inline(__always)
  init(radius: Float, bin: UInt32) {
    bits = (radius * DiscTable.stepsPerPixel + 0.5).whole << 8 | bin
  }

  init(index: UInt32, bin: UInt32) {
    bits = index << 8 | bin
  }

  private init(bits: UInt32) {
    self.bits = bits
  }

  /// In steps of 1/32 px; beyond `DiscTable.indexCount` for samples that a lower resolution draws.
  var index: UInt32 { bits >> 8 }
  var bin: UInt32 { bits & 0x7F }
  /// A pixel of two samples, a near and a far one.
  var isSplit: Bool { bits & DepthKey.splitBit != 0 }
  /// One sample that reaches its own pixel only.
  var isSharp: Bool { bits & ~0x7F <= DiscTable.sharpIndex << 8 && !isSplit }
  /// One sample that hardly reaches beyond its own pixel.
  var isTight: Bool { bits & ~0x7F <= DiscTable.tightIndex << 8 && !isSplit }
  /// One sample that may leave gaps beside tight ones, if it is none itself.
  var isNarrow: Bool { bits & ~0x7F <= DiscTable.narrowIndex << 8 && !isSplit }
  /// The same marked as split.
  var split: DepthKey { DepthKey(bits: bits | DepthKey.splitBit) }
  /// The same with the largest radius that the table of discs has, where no lower resolution draws what is beyond it.
  var limited: DepthKey { DepthKey(index: min(index, UInt32(DiscTable.indexCount - 1)), bin: bin) }
  /// The same for a picture reduced by `scale`, whose reduction and later enlargement blur by themselves: the square of
  /// a disc's radius is four times its variance, so what a box of `scale` pixels and a linear interpolation add is
  /// taken off.
  func reduced(by scale: Float) -> DepthKey {
    let radius = Float(index) / DiscTable.stepsPerPixel
    let rest = max(radius * radius - scale * scale + 1 / 3, 0).squareRoot() / scale
    return DepthKey(radius: min(rest, DiscTable.maximumRadius), bin: bin)
  }
}
