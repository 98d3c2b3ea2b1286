package import Bokeh

/// Brings rasters of one size to a place on a canvas: a cubic kernel where they grow, the same one widened where they shrink.
///
/// Colours count by their alpha, so that what is transparent leaves no trace in what is not. Made for many pictures of one size.
package final class Resampler {
  private let source: (width: Int, height: Int)
  private let canvas: (width: Int, height: Int)
  private let placement: Placement
  private let columns: Kernels
  private let rows: Kernels
  private let narrowed: Raster

  package init(source: (width: Int, height: Int), canvas: (width: Int, height: Int), placement: Placement) {
    self.source = source
    self.canvas = canvas
    self.placement = placement
    columns = Kernels(source.width, placement.width, from: placement.x, seen: canvas.width)
    rows = Kernels(source.height, placement.height, from: placement.y, seen: canvas.height)
    narrowed = Raster(width: max(1, columns.count), height: source.height)
  }

  /// The picture on a transparent canvas.
  ///
  /// - Parameters:
  ///   - picture: of the source's size.
  ///   - alpha: how its colours are stored; the result is stored alike.
  package func place(_ picture: Raster, alpha: AlphaMode = .straight, into target: Raster, _ workers: Workers) {
    precondition((picture.width, picture.height) == source && (target.width, target.height) == canvas)
    workers.rows(source.height) { _, lines in
      for y in lines { narrow(picture.row(y), narrowed.row(y), alpha) }
    }
    workers.rows(canvas.height) { _, lines in
      for y in lines { gather(y, target.row(y), alpha) }
    }
  }

  private func gather(_ y: Int, _ line: UnsafeMutablePointer<SIMD4<Float>>, _ alpha: AlphaMode) {
    line.update(repeating: alpha.nothing, count: canvas.width)
    guard let kernel = rows.kernel(at: y) else { return }
    for x in 0..<columns.count {
      var sum = SIMD4<Float>.zero
      for index in kernel.weights.indices { sum += narrowed.row(kernel.first + index)[x] * kernel.weights[index] }
      line[columns.start + x] = Self.stored(sum, alpha)
    }
  }

  private func narrow(
    _ source: UnsafePointer<SIMD4<Float>>, _ target: UnsafeMutablePointer<SIMD4<Float>>, _ alpha: AlphaMode
  ) {
    for x in 0..<columns.count {
      guard let kernel = columns.kernel(at: columns.start + x) else { continue }
      var sum = SIMD4<Float>.zero
      for index in kernel.weights.indices {
        sum += alpha.multiplied(source[kernel.first + index]) * kernel.weights[index]
      }
      target[x] = sum
    }
  }

  /// A product with alpha as `alpha` stores it. The kernel's negative lobes must not leave the range of alpha.
  @inline(__always)
  private static func stored(_ sum: SIMD4<Float>, _ alpha: AlphaMode) -> SIMD4<Float> {
    // The kernel's lobes leave the range of alpha, and its sum is rounded: what is opaque stays so, with the colour that it has.
    let cover = sum.w > 1 - 1e-5 ? 1 : clamped(sum.w)
    let sum = sum.w > 0 ? sum * (cover / sum.w) : sum.replacing(with: 0, where: sum .< 0)
    switch alpha {
    case .straight:
      guard cover > 1e-6 else { return .zero }
      var color = sum / sum.w
      color.w = cover
      return color
    case .premultiplied(let matte):
      let rest = (1 - cover) * matte
      return SIMD4(sum.x + rest, sum.y + rest, sum.z + rest, cover)
    }
  }
}

/// The weights by which pixels of one direction are gathered, for each pixel of the canvas that is covered.
private struct Kernels: Sendable {
  struct Kernel: Sendable {
    let first: Int
    let weights: [Float]
  }

  /// The first pixel of the canvas that is covered, and how many are.
  let start: Int
  let count: Int
  private let kernels: [Kernel]

  init(_ source: Int, _ target: Int, from origin: Int, seen: Int) {
    start = max(0, origin)
    count = max(0, min(seen, origin + target) - start)
    let start = start
    kernels = (0..<count).map { Self.kernel(start + $0 - origin, source, target) }
  }

  func kernel(at place: Int) -> Kernel? { start..<start + count ~= place ? kernels[place - start] : nil }

  private static func kernel(_ place: Int, _ source: Int, _ target: Int) -> Kernel {
    guard source != target else { return Kernel(first: place, weights: [1]) }
    let ratio = Double(source) / Double(target)
    let width = max(1, ratio)
    let center = (Double(place) + 0.5) * ratio - 0.5
    let first = Int((center - 2 * width).rounded(.up))
    let last = Int((center + 2 * width).rounded(.down))
    var weights: [Int: Double] = [:]
    // Pixels beyond the border are those at the border.
    for pixel in first...max(first, last) {
      weights[min(max(pixel, 0), source - 1), default: 0] += cubic((Double(pixel) - center) / width)
    }
    let sum = weights.values.reduce(0, +)
    let low = weights.keys.min() ?? 0, high = weights.keys.max() ?? 0
    return Kernel(first: low, weights: (low...high).map { Float((weights[$0] ?? 0) / sum) })
  }

  /// Keys' cubic convolution (1981) with a = −½: linear slopes come out as they are.
  private static func cubic(_ distance: Double) -> Double {
    let x = abs(distance)
    if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
    return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0
  }
}
