/// Fills the holes of a picture from around them: means of ever larger blocks are pushed up a pyramid, and pulled down
/// into what is empty.
final class PushPull {
  private let values = Storage<SIMD4<Float>>()
  private let weights = Storage<Float>()

  var byteCount: Int { values.byteCount + weights.byteCount }

  /// Replaces `plane` by its value times its weight plus, for the rest up to 1, what the surroundings give.
  ///
  /// - Parameters:
  ///   - weight: 0 (empty) to 1 for each value.
  ///   - reach: how far in values the filling may come from; the middle of a larger hole stays as it is.
  func fill(_ plane: Plane<SIMD4<Float>>, weight: Plane<Float>, reach: Int, workers: Workers) {
    var levels = [Level(values: plane, weights: weight)]
    var offset = 0
    let room = plane.count + plane.width + plane.height + 64
    let values = values.reserve(room)
    let weights = weights.reserve(room)
    while (1 << (levels.count - 1)) < reach * 2, let last = levels.last, max(last.values.width, last.values.height) > 1
    {
      let (width, height) = ((last.values.width + 1) / 2, (last.values.height + 1) / 2)
      guard offset + width * height <= room else { break }
      levels.append(
        Level(
          values: Plane(base: values + offset, width: width, height: height),
          weights: Plane(base: weights + offset, width: width, height: height)))
      offset += width * height
    }
    for i in 1..<max(levels.count, 1) { push(levels[i - 1], to: levels[i], workers) }
    for i in stride(from: levels.count - 1, to: 0, by: -1) { pull(levels[i], into: levels[i - 1], workers) }
  }

  private struct Level {
    let values: Plane<SIMD4<Float>>
    let weights: Plane<Float>

    /// Calls `body` with the four values around pixel (x, y) of the finer level and their bilinear share of weight.
    @inline(__always)
    func forEachAround(_ x: Int, _ y: Int, _ body: (SIMD4<Float>, Float) -> Void) {
      let (nearX, nearY) = (x >> 1, y >> 1)
      let otherX = min(max(nearX &+ (x & 1 == 0 ? -1 : 1), 0), values.width &- 1)
      let otherY = min(max(nearY &+ (y & 1 == 0 ? -1 : 1), 0), values.height &- 1)
      body(values[nearX, nearY], 0.5625 * weights[nearX, nearY])
      body(values[otherX, nearY], 0.1875 * weights[otherX, nearY])
      body(values[nearX, otherY], 0.1875 * weights[nearX, otherY])
      body(values[otherX, otherY], 0.0625 * weights[otherX, otherY])
    }
  }

  private func push(_ fine: Level, to coarse: Level, _ workers: Workers) {
    workers.rows(coarse.values.height) { _, rows in
      for y in rows {
        for x in 0..<coarse.values.width {
          var sum = SIMD4<Float>.zero
          var weight: Float = 0
          for row in 2 &* y..<min(2 &* y &+ 2, fine.values.height) {
            for column in 2 &* x..<min(2 &* x &+ 2, fine.values.width) {
              let w = fine.weights[column, row]
              sum += fine.values[column, row] * w
              weight += w
            }
          }
          coarse.values[x, y] = weight > 0 ? sum / weight : .zero
          coarse.weights[x, y] = min(weight, 1)
        }
      }
    }
  }

  private func pull(_ coarse: Level, into fine: Level, _ workers: Workers) {
    workers.rows(fine.values.height) { _, rows in
      for y in rows {
        for x in 0..<fine.values.width where fine.weights[x, y] < 1 {
          var sum = SIMD4<Float>.zero
          var weight: Float = 0
          coarse.forEachAround(x, y) { value, w in
            sum += value * w
            weight += w
          }
          guard weight > 0 else { continue }
          let own = fine.weights[x, y]
          fine.values[x, y] = fine.values[x, y] * own + sum * ((1 - own) / weight)
          fine.weights[x, y] = own + (1 - own) * min(weight, 1)
        }
      }
    }
  }
}
