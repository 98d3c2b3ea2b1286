/// One part of a pixel on a depth edge.
struct EdgePart {
  let key: DepthKey
  /// Premultiplied light; `w` is the part's share of the pixel.
  let color: SIMD4<Float>
}

/// Divides pixels on depth edges into a near and a far part.
///
/// How large the near part is follows from two things, each weighed by how much it can be trusted: how many of the
/// pixels around are near, and how far the pixel's colour is on the way from a far colour to a near one. The colours
/// come from pixels around; of all pairs the one that explains the pixel best is taken.
struct EdgeSplitter {
  let linear: Plane<SIMD4<Float>>
  let disparity: Plane<Float>
  let circle: CircleOfConfusion
  /// Discs larger than this (radius index) are not drawn at full resolution, so their pixels stay whole.
  let largestIndex: UInt32

  /// What becomes of a pixel.
  enum Verdict {
    case whole(DepthKey)
    case split
  }

  /// Judges pixel (x, y), which has the key `key`.
  func judge(_ x: Int, _ y: Int, _ key: DepthKey) -> Verdict {
    guard let (near, far) = parts(x, y) else { return .whole(key) }
    if near.color.w == 0 { return .whole(far.key) }
    return far.color.w == 0 ? .whole(near.key) : .split
  }

  /// The two parts of pixel (x, y), one of which may be empty, or nil if it is not on an edge or cannot be divided.
  func parts(_ x: Int, _ y: Int) -> (near: EdgePart, far: EdgePart)? {
    guard let edge = DepthEdge(disparity, x, y, leastStep: EdgeSplitter.leastRadius / circle.radiusPerDisparity),
      let mix = mix(x, y, edge)
    else { return nil }
    let (nearKey, farKey) = (circle.key(mix.near.w), circle.key(mix.far.w))
    guard max(nearKey.index, farKey.index) <= largestIndex else { return nil }
    let own = linear[x, y]
    let rest = (own - mix.near * mix.share - mix.far * (1 - mix.share)) * EdgeSplitter.restShare
    return (
      EdgePart(key: nearKey, color: part(mix.near, rest, own, mix.share)),
      EdgePart(key: farKey, color: part(mix.far, rest, own, 1 - mix.share))
    )
  }

  /// A side's colour with what the mixture leaves unexplained, but no further than the pixel's own.
  private func part(
    _ light: SIMD4<Float>, _ rest: SIMD4<Float>, _ own: SIMD4<Float>, _ share: Float
  ) -> SIMD4<Float> {
    let limited = (light + rest).clamped(lowerBound: pointwiseMin(light, own), upperBound: pointwiseMax(light, own))
    return SIMD4(limited, weight: 1) * share
  }

  /// The part of what a mixture leaves unexplained that both sides keep; with all of it a dark rim leaves specks on what is
  /// bright beside it.
  private static let restShare: Float = 0.5
  /// An edge's sides differ in radius by more pixels than this.
  private static let leastRadius: Float = 1.5

  /// A pixel as a mixture of two others; their `w` is disparity.
  private struct Mix {
    var near = SIMD4<Float>.zero
    var far = SIMD4<Float>.zero
    var share: Float = 0
    var cost = Float.infinity
  }

  /// The best pair around a pixel, or nil where one side shows nothing.
  private func mix(_ x: Int, _ y: Int, _ edge: DepthEdge) -> Mix? {
    withUnsafeTemporaryAllocation(of: Candidate.self, capacity: 2 * EdgeSplitter.candidates) { memory in
      let near = memory.baseAddress!
      let far = near + EdgeSplitter.candidates
      let counts = collect(x, y, edge, near, far)
      guard counts.near > 0, counts.far > 0 else { return nil }
      let own = linear[x, y]
      let noise = EdgeSplitter.noise + EdgeSplitter.relativeNoise * own.brightness
      let precision = 1 / (noise * noise)
      var best = Mix()
      for i in 0..<counts.near {
        for j in 0..<counts.far { consider(near[i], far[j], own, edge, precision, &best) }
      }
      return best
    }
  }

  /// A pixel of one side: its light, its disparity in `w`, and what is held against it.
  private struct Candidate {
    var light: SIMD4<Float>
    var cost: Float
  }

  @inline(__always)
  private func consider(
    _ near: Candidate, _ far: Candidate, _ own: SIMD4<Float>, _ edge: DepthEdge, _ precision: Float,
    _ best: inout Mix
  ) {
    var way = near.light - far.light
    var rest = own - far.light
    (way.w, rest.w) = (0, 0)
    let along = (way * rest).sum() * precision + edge.share * edge.trust
    let share = min(max(along / ((way * way).sum() * precision + edge.trust), 0), 1)
    let error = rest - way * share
    let surprise = share - edge.share
    let cost = near.cost + far.cost + (error * error).sum() * precision + surprise * surprise * edge.trust
    if cost < best.cost { best = Mix(near: near.light, far: far.light, share: share, cost: cost) }
  }

  /// The standard deviation of a surface's colours around an edge: a fixed part, and one of the pixel's own brightness.
  private static let noise: Float = 0.005
  private static let relativeNoise: Float = 0.03
  /// What is held against a pixel for each of the four beside it that lies on the other side.
  private static let mixedCost: Float = 0.5

  /// What is held against the pixel itself: that it is not mixed has to be shown by those around, and the more so where
  /// it may be a little of a lamp.
  @inline(__always)
  private static func ownCost(_ light: SIMD4<Float>) -> Float { light.brightness > 1 ? 60 : 6 }

  /// Pixels of each side at most; the last place is the brightest's.
  private static let candidates = 7
  /// The places around a pixel, the nearest first.
  private static let places: [(x: Int, y: Int)] = {
    let reach = -4...4
    let all = reach.flatMap { y in reach.map { x in (x: x, y: y) } }
    return all.sorted { ($0.x * $0.x + $0.y * $0.y, $0.y, $0.x) < ($1.x * $1.x + $1.y * $1.y, $1.y, $1.x) }
  }()

  /// Collects the nearest pixels of both sides, and the brightest: a little of a lamp outshines all else.
  private func collect(
    _ x: Int, _ y: Int, _ edge: DepthEdge, _ near: UnsafeMutablePointer<Candidate>,
    _ far: UnsafeMutablePointer<Candidate>
  ) -> (near: Int, far: Int) {
    var (nearSide, farSide) = (Side(near), Side(far))
    let (width, height) = (disparity.width, disparity.height)
    for place in EdgeSplitter.places {
      let (column, row) = (x &+ place.x, y &+ place.y)
      guard column > 0, row > 0, column < width &- 1, row < height &- 1 else { continue }
      let value = disparity[column, row]
      let light = SIMD4(linear[column, row], weight: value)
      let isNear = value > edge.middle
      guard isNear ? nearSide.takes(light) : farSide.takes(light) else { continue }
      let isOwn = column == x && row == y
      let cost =
        isOwn ? EdgeSplitter.ownCost(light) : Float(others(column, row, edge.middle, isNear)) * EdgeSplitter.mixedCost
      if isNear {
        nearSide.add(Candidate(light: light, cost: cost))
      } else {
        farSide.add(Candidate(light: light, cost: cost))
      }
    }
    return (nearSide.count, farSide.count)
  }

  /// The nearest pixels of one side, and in the last place the brightest of those that come later.
  private struct Side {
    private let pixels: UnsafeMutablePointer<Candidate>
    private(set) var count = 0
    private var brightest: Float = 0

    init(_ pixels: UnsafeMutablePointer<Candidate>) {
      self.pixels = pixels
    }

    @inline(__always)
    func takes(_ light: SIMD4<Float>) -> Bool {
      count < EdgeSplitter.candidates &- 1 || light.brightness > max(1, 2 * brightest)
    }

    @inline(__always)
    mutating func add(_ candidate: Candidate) {
      pixels[min(count, EdgeSplitter.candidates &- 1)] = candidate
      count = min(count &+ 1, EdgeSplitter.candidates)
      brightest = max(brightest, candidate.light.brightness)
    }
  }

  /// How many of the four pixels beside one lie on the other side.
  @inline(__always)
  private func others(_ x: Int, _ y: Int, _ middle: Float, _ isNear: Bool) -> Int {
    var count = 0
    if (disparity[x &- 1, y] > middle) != isNear { count &+= 1 }
    if (disparity[x &+ 1, y] > middle) != isNear { count &+= 1 }
    if (disparity[x, y &- 1] > middle) != isNear { count &+= 1 }
    if (disparity[x, y &+ 1] > middle) != isNear { count &+= 1 }
    return count
  }
}

/// A step of disparity at a pixel.
private struct DepthEdge {
  /// Between the two sides.
  let middle: Float
  /// The near side's share of the pixel, as the pixels around let expect it.
  let share: Float
  /// 1 / variance of that share.
  let trust: Float

  /// Returns nil where the pixels around (x, y) differ by less than `leastStep`.
  @inline(__always)
  init?(_ disparity: Plane<Float>, _ x: Int, _ y: Int, leastStep: Float) {
    var (least, most) = (Float.infinity, -Float.infinity)
    for line in y &- 1...y &+ 1 {
      let row = disparity.clampedRow(line)
      for column in x &- 1...x &+ 1 {
        let value = row[min(max(column, 0), disparity.width &- 1)]
        least = min(least, value)
        most = max(most, value)
      }
    }
    guard most - least > leastStep else { return nil }
    middle = (least + most) / 2
    let isNear = disparity[x, y] > middle
    let around = DepthEdge.around(disparity, x, y, middle)
    let other = DepthEdge.shares[isNear ? 12 &- around : around]
    share = isNear ? 1 - other : other
    trust = other < DepthEdge.leastShare ? DepthEdge.sureTrust : DepthEdge.plainTrust
  }

  /// How many of the pixels around are near: those beside count twice, so that all are 12.
  private static func around(_ disparity: Plane<Float>, _ x: Int, _ y: Int, _ middle: Float) -> Int {
    var sum = 0
    for dy in -1...1 {
      let row = disparity.clampedRow(y &+ dy)
      for dx in -1...1 where (dx, dy) != (0, 0) && row[min(max(x &+ dx, 0), disparity.width &- 1)] > middle {
        sum &+= (2 &- abs(dx)) &* (2 &- abs(dy))
      }
    }
    return sum
  }

  /// The other side's share in a pixel, for how many of those around are of that side: means of modelled scenes whose
  /// disparity was rendered four times as fine. A corner of the other side does not reach in.
  private static let shares: [Float] = [0, 0, 0, 0.01, 0.05, 0.14, 0.3, 0.3, 0.3, 0.35, 0.35, 0.4, 0.4]
  /// Below this the share is as good as known.
  private static let leastShare: Float = 0.03
  /// A share may be wrong by a third, since disparity may be a pixel off, and by an eighth where it is as good as known.
  private static let plainTrust: Float = 8
  private static let sureTrust: Float = 64
}

extension SIMD4<Float> {
  /// The largest of the three colours.
  @inline(__always)
  var brightness: Float { Swift.max(x, y, z) }
}
