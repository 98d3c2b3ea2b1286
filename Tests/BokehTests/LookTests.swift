import Bokeh
import CoreGeometry
import CoreVideo
import Foundation
import Testing

/// What a point of light becomes.
struct Spot {
  let side: Int
  let light: [Float]

  /// A black plane with a bright pixel in the middle, or a block of them at `place`, all of it blurred by `radius`.
  init(
    radius: Float, _ look: BokehLook, side: Int = 61, at place: (x: Int, y: Int)? = nil, size: Int = 1,
    isNear: Bool = false,
    quality: BokehQuality? = nil, color: SIMD4<Float> = SIMD4(1000, 1000, 1000, 1)
  ) {
    self.side = side
    var light = [SIMD4<Float>](repeating: SIMD4(0, 0, 0, 1), count: side * side)
    let place = place ?? (side / 2, side / 2)
    for y in place.y..<place.y + size {
      for x in place.x..<place.x + size { light[y * side + x] = color / Float(size * size) }
    }
    let disparity: Float = isNear ? 2 : 0
    let planes = RenderPlanes(
      width: side, height: side, light: light, disparity: [Float](repeating: disparity, count: side * side))
    let renderer = PlaneRenderer(quality: quality ?? (radius > 6 ? .exportHigh : .export), threads: 1)
    self.light = renderer.render(planes, focus: 1, radiusPerDisparity: radius, look: look).light.map(\.x)
  }

  var sum: Float { light.reduce(0, +) }

  subscript(x: Int, y: Int) -> Float { light[y * side + x] }

  /// How far from the middle the spot reaches at an angle in degrees, clockwise from up, in steps of 1/8 pixel; lit is what
  /// has half the light of a disc of `radius`.
  func reach(_ angle: Float, radius: Float) -> Float {
    let (dx, dy) = (sin(angle * .pi / 180), -cos(angle * .pi / 180))
    let middle = Float(side / 2)
    var distance: Float = 0
    while distance < 2 * radius {
      let (x, y) = (Int((middle + dx * distance).rounded()), Int((middle + dy * distance).rounded()))
      guard x >= 0, y >= 0, x < side, y < side, self[x, y] > 500 / (.pi * radius * radius) else { break }
      distance += 0.125
    }
    return distance
  }
}

extension BokehLook {
  static func polygon(_ blades: Int, rotation: Float = 0, curvature: Float = 0) -> BokehLook {
    var look = BokehLook()
    look.aperture = .polygon(blades: blades, rotation: rotation, curvature: curvature)
    return look
  }

  static func vignetted(_ strength: Float, _ aperture: ApertureShape = .round) -> BokehLook {
    var look = BokehLook()
    (look.aperture, look.opticalVignetting) = (aperture, strength)
    return look
  }
}

/// Polygonal apertures.
@Suite struct ApertureTests {
  @Test(
    "a point becomes a polygon of area πr² that holds all its light", arguments: [5, 6, 7, 8, 9],
    [0.55, 1.2, 3.4, 6, 13, 21.7] as [Float])
  func area(blades: Int, radius: Float) {
    for curvature in [0, 0.4] as [Float] {
      let spot = Spot(radius: radius, .polygon(blades, rotation: 11, curvature: curvature))
      #expect(abs(spot.sum - 1000) < 1)
      // Spans are exact in length: pixels by coverage add up to the area. Radii are in steps of 1/32 px, those of about a
      // pixel are drawn a little smaller.
      let smallest: Float = radius > 0.75 && radius < 1.75 ? 0.9 : 1
      let area = max(1, Float.pi * radius * radius)
      let covered = spot.light.reduce(0) { $0 + min($1 / (1000 / area), 1) }
      #expect(covered / area > smallest * smallest - 0.03 && covered / area < 1.03)
    }
  }

  /// The distances from the centre to a polygon's corners and sides follow from its area: with n sides and the distance R
  /// to a corner it is n / 2 · R² · sin(2π / n).
  @Test("corners and sides are where the polygon has them", arguments: [5, 6, 7, 8, 9], [0, 17] as [Float])
  func corners(blades: Int, rotation: Float) {
    let (radius, n) = (Float(22), Float(blades))
    let corner = radius * (2 * .pi / (n * sin(2 * .pi / n))).squareRoot()
    let side = corner * cos(.pi / n)
    let spot = Spot(radius: radius, .polygon(blades, rotation: rotation), side: 67)
    for blade in 0..<blades {
      let angle = rotation + Float(blade) * 360 / n
      #expect(abs(spot.reach(angle, radius: radius) - corner) < 1.3)
      #expect(abs(spot.reach(angle + 180 / n, radius: radius) - side) < 1)
    }
    // Arcs lie between the straight blades and the circle.
    let curved = Spot(radius: radius, .polygon(blades, rotation: rotation, curvature: 0.6), side: 67)
    let middle = rotation + 180 / n
    #expect(curved.reach(middle, radius: radius) > side - 0.5)
    #expect(curved.reach(middle, radius: radius) < radius + 0.5)
    #expect(curved.reach(rotation, radius: radius) < corner + 0.5)
  }

  @Test("discs before the focus are upside down", arguments: [5, 7], [1.4, 5, 18] as [Float])
  func sides(blades: Int, radius: Float) {
    let look = BokehLook.polygon(blades, rotation: 8)
    let (far, near) = (Spot(radius: radius, look), Spot(radius: radius, look, isNear: true))
    // Sums along a row run in the other direction and round differently.
    let turned = zip(far.light, near.light.reversed()).map { abs($0 - $1) }.max()!
    #expect(turned < 1e-3 * far.light.max()!)
    #expect(zip(far.light, near.light).contains { abs($0 - $1) > 0.02 * far.light.max()! })
  }

  @Test("half resolution draws the same polygon", arguments: [5, 8])
  func resolutions(blades: Int) {
    let look = BokehLook.polygon(blades, rotation: 5)
    func spot(_ quality: BokehQuality, _ look: BokehLook) -> Spot {
      // One block of a quarter of the resolution.
      Spot(radius: 21, look, side: 64, at: (28, 28), size: 4, quality: quality)
    }
    let exact = spot(.exportHigh, look)
    for quality in [BokehQuality.export, .preview] {
      let reduced = spot(quality, look)
      #expect(abs(reduced.sum - 1000) < 10)
      let difference = zip(exact.light, reduced.light).reduce(0) { $0 + abs($1.0 - $1.1) }
      // Rims are softer, as those of round discs.
      let round = zip(spot(.exportHigh, BokehLook()).light, spot(quality, BokehLook()).light)
      #expect(difference < 1.25 * round.reduce(0) { $0 + abs($1.0 - $1.1) })
    }
  }

  @Test("a polygon grows without a jump", arguments: [5, 6])
  func continuity(blades: Int) {
    var before = Spot(radius: 0.4, .polygon(blades), side: 31)
    for step in 1...120 {
      let now = Spot(radius: 0.4 + Float(step) * 0.05, .polygon(blades), side: 31)
      let change = zip(before.light, now.light).reduce(0) { $0 + abs($1.0 - $1.1) }
      // As of round discs: twice the growth of the area, as a share of the light, and steps of 1/32 px.
      #expect(change < 420)
      before = now
    }
  }

  @Test("a polygon of arcs that make a circle is the round aperture")
  func round() {
    let spot = Spot(radius: 9, .polygon(6, rotation: 20, curvature: 1))
    #expect(spot.light == Spot(radius: 9, BokehLook()).light)
    // Nearly a circle is nearly that.
    let near = Spot(radius: 9, .polygon(6, rotation: 20, curvature: 0.999))
    #expect(zip(spot.light, near.light).reduce(0) { $0 + abs($1.0 - $1.1) } < 2)
  }

  @Test(
    "corners point up as the picture is shown, however it is stored",
    arguments: [(0, 1, -1, 0), (-1, 0, 0, -1), (0, -1, 1, 0), (-1, 0, 0, 1), (0, 1, 1, 0)])
  func turns(a: Int, b: Int, c: Int, d: Int) throws {
    func render(_ transform: CGAffineTransform) throws -> [Float] {
      let source = try Picture(41, 41, "RGfA")
      source.tag(transfer: kCVImageBufferTransferFunction_Linear)
      source.fillValues { x, y, component in component == 3 ? 1 : x == 20 && y == 20 ? 100 : 0 }
      let target = try Picture(41, 41, "RGfA")
      try Picture.render(source, target, disparity: 0, focus: 4, fNumber: 0.16, quality: .exportHigh) {
        $0.look = .polygon(5, rotation: 7)
        $0.transform = transform
      }
      return target.bytes[0].map { Float(bitPattern: UInt32($0)) }
    }
    let upright = try render(.identity)
    let turned = try render(
      CGAffineTransform(a: CGFloat(a), b: CGFloat(b), c: CGFloat(c), d: CGFloat(d), tx: 0, ty: 0))
    // Spans are exact in length along the stored rows: columns of a turned picture have rims that are a little softer.
    let difference = zip(upright, turned).reduce(0) { $0 + abs($1.0 - $1.1) } / upright.reduce(0, +)
    #expect(difference < 0.06)
  }

  @Test(
    "numbers out of their range are named",
    arguments: [
      (.polygon(blades: 4), 0, 0), (.polygon(blades: 10), 0, 0), (.polygon(blades: 6, rotation: .nan), 0, 0),
      (.polygon(blades: 6, curvature: 1.1), 0, 0), (.polygon(blades: 6, curvature: -0.1), 0, 0),
      (.round, 1.5, 0), (.round, -0.5, 0), (.round, .nan, 0), (.round, 0, 2), (.round, 0, .infinity),
    ] as [(ApertureShape, Float, Float)])
  func problems(aperture: ApertureShape, vignetting: Float, highlights: Float) throws {
    let source = try Picture(8, 8, "BGRA")
    let target = try Picture(8, 8, "BGRA")
    #expect(throws: BokehError.self) {
      try Picture.render(source, target, disparity: 0, focus: 1, fNumber: 2) {
        $0.look.aperture = aperture
        ($0.look.opticalVignetting, $0.look.highlights) = (vignetting, highlights)
      }
    }
  }
}

/// The f-number has no steps.
@Suite struct FNumberTests {
  @Test("from f/1.4 to f/22 nothing jumps", arguments: [BokehQuality.export, .preview], [0, 5])
  func steps(quality: BokehQuality, blades: Int) {
    // A background 36 px out of focus at f/1.4, in steps of 1/60 of a stop: at 4.6 px the picture changes most a step.
    let side = 91
    var light = [SIMD4<Float>](repeating: SIMD4(0, 0, 0, 1), count: side * side)
    light[side / 2 * side + side / 2] = SIMD4(1000, 1000, 1000, 1)
    let planes = RenderPlanes(
      width: side, height: side, light: light, disparity: [Float](repeating: 0, count: side * side))
    let renderer = PlaneRenderer(quality: quality, threads: 2)
    let look = blades == 0 ? BokehLook() : .polygon(blades)
    var before: [Float]?
    var radius = Float.infinity
    for step in 0...480 {
      let fNumber = 1.4 * pow(2, Float(step) / 60)
      guard fNumber <= 22 else { break }
      let now = renderer.render(planes, focus: 1, radiusPerDisparity: 36 * 1.4 / fNumber, look: look).light.map(\.x)
      if let before {
        let change = zip(before, now).reduce(0) { $0 + abs($1.0 - $1.1) } / 1000
        // The radius falls by 1.15 %, the area by 2.3 %: twice that moves, and a step of 1/32 px is up to 1.3 % of the
        // smallest radius.
        #expect(change < 0.12, "\(change) at f/\(fNumber)")
      }
      before = now
      radius = min(radius, 36 * 1.4 / fNumber)
    }
    #expect(radius < 2.4)
  }
}

/// Optical vignetting.
@Suite struct VignettingTests {
  /// What two circles of radius r at a distance of s · r have in common, as a share of one.
  private func common(_ s: Float) -> Float {
    (2 * acos(s / 2) - s / 2 * (4 - s * s).squareRoot()) / .pi
  }

  @Test(
    "a disc becomes what it has in common with a circle shifted towards the centre",
    arguments: [0.5, 1] as [Float], [6, 15] as [Float])
  func area(strength: Float, radius: Float) {
    for place in [(60, 20), (25, 90), (20, 60)] {
      let look = BokehLook.vignetted(strength)
      let spot = Spot(radius: radius, look, side: 121, at: place)
      #expect(abs(spot.sum - 1000) < 15)
      let (dx, dy) = (Float(60 - place.0), Float(60 - place.1))
      let shift = strength * (dx * dx + dy * dy).squareRoot() / (60.5 * Float(2).squareRoot())
      // The light is spread evenly over what is left.
      let expected = 1000 / (Float.pi * radius * radius * common(shift))
      #expect(abs(spot.light.max()! / expected - 1) < 0.04)
      // It lies around its point, and is narrow towards the centre and wide across.
      var (middle, along, across) = (SIMD2<Float>.zero, Float(0), Float(0))
      let towards = SIMD2(dx, dy) / (dx * dx + dy * dy).squareRoot()
      for y in 0..<121 {
        for x in 0..<121 {
          let offset = SIMD2(Float(x - place.0), Float(y - place.1))
          middle += offset * spot[x, y] / spot.sum
          let way = (offset * towards).sum()
          along += way * way * spot[x, y] / spot.sum
          across += ((offset * offset).sum() - way * way) * spot[x, y] / spot.sum
        }
      }
      #expect((middle * middle).sum().squareRoot() < 0.03 * radius)
      #expect(along < across * (1 - 0.5 * shift))
    }
  }

  @Test(
    "of a mirrored picture they are mirrored", arguments: BokehQuality.allCases.filter { $0 != .thumbnail },
    [true, false])
  func mirrors(quality: BokehQuality, isNear: Bool) {
    let (radius, side) = (Float(13), 120)
    func spot(_ x: Int, _ y: Int) -> Spot {
      Spot(radius: radius, .vignetted(0.9), side: side, at: (x, y), size: 4, isNear: isNear, quality: quality)
    }
    let original = spot(20, 32)
    let across = spot(side - 24, 32)
    let down = spot(20, side - 36)
    var (mostAcross, mostDown) = (Float(0), Float(0))
    for y in 0..<side {
      for x in 0..<side {
        mostAcross = max(mostAcross, abs(original[x, y] - across[side - 1 - x, y]))
        mostDown = max(mostDown, abs(original[x, y] - down[x, side - 1 - y]))
      }
    }
    // Sums along a row run in the other direction and round differently.
    let most = original.light.max()!
    #expect(mostAcross < 2e-3 * most && mostDown < 2e-3 * most, "\(mostAcross) and \(mostDown) of \(most)")
  }

  @Test("discs in the middle are not cut", arguments: [3, 9, 19] as [Float])
  func middle(radius: Float) {
    let (plain, cut) = (Spot(radius: radius, BokehLook(), side: 241), Spot(radius: radius, .vignetted(1), side: 241))
    // Discs around are cut more and more, so pixels around have a little more or less of them, and less of this one: as much as
    // a radius is of the way to a corner.
    #expect(zip(plain.light, cut.light).reduce(0) { $0 + abs($1.0 - $1.1) } < 10 + 400 * radius / 170)
  }

  @Test("discs before the focus are cut on the other side", arguments: [4, 14] as [Float])
  func sides(radius: Float) {
    let look = BokehLook.vignetted(0.8, .polygon(blades: 5))
    let far = Spot(radius: radius, look, at: (18, 22))
    let near = Spot(radius: radius, look, at: (18, 22), isNear: true)
    let (farHalf, nearHalf) = (far.light.max()! / 2, near.light.max()! / 2)
    var (lit, different) = (0, 0)
    for y in 0..<45 {
      for x in 0..<37 {
        if far[x, y] > farHalf { lit += 1 }
        if (far[x, y] > farHalf) != (near[36 - x, 44 - y] > nearHalf) { different += 1 }
      }
    }
    #expect(lit > Int(1.5 * radius * radius) && different <= lit / 25)
  }

  @Test("a flat grey stays grey", arguments: [BokehQuality.preview, .export, .exportHigh])
  func uniform(quality: BokehQuality) {
    let (width, height) = (96, 64)
    let planes = RenderPlanes(
      width: width, height: height, light: [SIMD4<Float>](repeating: SIMD4(0.25, 0.5, 1, 0.75), count: width * height),
      disparity: (0..<width * height).map { Float($0 % width) / Float(width) })
    for aperture in [ApertureShape.round, .polygon(blades: 5), .polygon(blades: 6, curvature: 0.5)] {
      for vignetting in [0, 1] as [Float] {
        let output = PlaneRenderer(quality: quality, threads: 2).render(
          planes, focus: 0.5, radiusPerDisparity: 20, look: .vignetted(vignetting, aperture))
        #expect(output.light.allSatisfy { difference($0, SIMD4(0.25, 0.5, 1, 0.75)) < 1e-3 })
      }
    }
  }

  @Test("cut discs grow without a jump", arguments: [0, 5])
  func continuity(blades: Int) {
    let look = BokehLook.vignetted(1, blades == 0 ? .round : .polygon(blades: blades))
    var before = Spot(radius: 0.4, look, side: 41, at: (8, 9))
    for step in 1...100 {
      let now = Spot(radius: 0.4 + Float(step) * 0.05, look, side: 41, at: (8, 9))
      #expect(zip(before.light, now.light).reduce(0) { $0 + abs($1.0 - $1.1) } < 450)
      before = now
    }
  }
}

/// Highlights that the recording clipped.
@Suite struct HighlightTests {
  private static func look(_ strength: Float) -> BokehLook {
    var look = BokehLook()
    look.highlights = strength
    return look
  }

  @Test(
    "white blooms, in its hue; greys and what is in focus do not",
    arguments: [BokehQuality.preview, .export, .exportHigh])
  func blooms(quality: BokehQuality) {
    func sum(_ color: SIMD4<Float>, _ radius: Float, _ strength: Float) -> SIMD4<Float> {
      let side = 128
      var light = [SIMD4<Float>](repeating: SIMD4(0, 0, 0, 1), count: side * side)
      for y in 60..<64 { for x in 60..<64 { light[y * side + x] = color } }
      let planes = RenderPlanes(
        width: side, height: side, light: light, disparity: [Float](repeating: 0, count: side * side))
      let result = PlaneRenderer(quality: quality, threads: 1).render(
        planes, focus: 1, radiusPerDisparity: radius, look: Self.look(strength))
      return result.light.reduce(.zero, +) / 16
    }
    let white = SIMD4<Float>(1, 1, 1, 1)
    #expect(sum(white, 9, 0).x < 1.01)
    let (half, whole) = (sum(white, 9, 0.5).x, sum(white, 9, 1).x)
    #expect(half > 3 && whole > 1.6 * half)
    let orange = sum(SIMD4(1, 0.6, 0.2, 1), 9, 1)
    #expect(orange.x > 3 && abs(orange.y / orange.x - 0.6) < 1e-2 && abs(orange.z / orange.x - 0.2) < 1e-2)
    #expect(abs(sum(SIMD4(0.6, 0.6, 0.6, 1), 9, 1).x - 0.6) < 0.01)
    #expect(sum(white, 0.5, 1) == sum(white, 0.5, 0))
    // More blur is more light, from none and without a jump.
    var before: Float = sum(white, 0.4, 1).x
    for step in 1...60 {
      let now = sum(white, 0.4 + Float(step) * 0.1, 1).x
      #expect(now > before - 0.02 && now < before + 1)
      before = now
    }
  }

  @Test("a bright wall is no lamp", arguments: [BokehQuality.preview, .export])
  func walls(quality: BokehQuality) {
    let side = 96
    // White, with dark stripes on one side.
    let light = (0..<side * side).map { i in
      SIMD4<Float>(repeating: i % side > 72 && i % 8 < 2 ? 0.1 : 1)
    }
    let planes = RenderPlanes(
      width: side, height: side, light: light, disparity: [Float](repeating: 0, count: side * side))
    let results = ([0, 1] as [Float]).map { strength in
      PlaneRenderer(quality: quality, threads: 1).render(
        planes, focus: 1, radiusPerDisparity: 5, look: Self.look(strength)
      ).light
    }
    for y in 0..<side {
      for x in 0..<50 { #expect(difference(results[0][y * side + x], results[1][y * side + x]) < 1e-3) }
      // Even between the stripes it is not twice as bright.
      for x in 50..<side { #expect(results[1][y * side + x].x < 2 * results[0][y * side + x].x) }
    }
  }

  @Test("pixels in focus stay the source's bit for bit, and HDR as it is")
  func kept() throws {
    for transfer in [kCVImageBufferTransferFunction_ITU_R_709_2, kCVImageBufferTransferFunction_ITU_R_2100_HLG] {
      let source = try Picture(64, 32, "x420")
      source.tag(transfer: transfer)
      source.fill { x, y, component in component == 0 ? (x / 4 + y / 4) % 3 == 0 ? 940 : 300 : 512 }
      // The left half is in focus, the right half far behind it.
      let depth = try Picture.disparity(64, 32) { x, _ in x < 32 ? 4 : 0 }
      let results = try ([0, 1] as [Float]).map { strength in
        let target = try Picture(64, 32, "x420")
        try Picture.render(source, target, depth, focus: 4, fNumber: 0.4) { $0.look = Self.look(strength) }
        return target.bytes
      }
      let isHDR = transfer == kCVImageBufferTransferFunction_ITU_R_2100_HLG
      #expect((results[0] == results[1]) == isHDR)
      for y in 0..<32 {
        for x in 0..<20 { #expect(results[1][0][y * 64 + x] == source.bytes[0][y * 64 + x]) }
      }
    }
  }
}
