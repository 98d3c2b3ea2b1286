/// Known ways to blur, to compare with.
package enum Baseline: String, CaseIterable, Sendable {
  case none = "no blur"
  /// Each pixel is the mean over its own disc.
  case gather
  /// Each pixel is spread with weight (½ + ½ tanh(4 (r − distance))) / (r² + 0.2), and sums are divided by their weight.
  case scatter = "normalised scatter"
  /// 32 slices of disparity, each blurred by its own radius, composited far to near.
  case slices

  /// - Parameters:
  ///   - focus: the disparity in focus.
  ///   - radiusPerDisparity: pixels.
  package func render(
    _ picture: LightImage, _ disparity: ScalarImage, focus: Float, radiusPerDisparity: Float
  ) -> LightImage {
    let radii = Image(
      width: picture.width, height: picture.height,
      values: disparity.values.map { abs($0 - focus) * radiusPerDisparity })
    switch self {
    case .none: return picture
    case .gather: return Baseline.gather(picture, radii)
    case .scatter: return Baseline.scatter(picture, radii)
    case .slices: return Baseline.slices(picture, disparity, focus, radiusPerDisparity)
    }
  }

  private static func gather(_ picture: LightImage, _ radii: ScalarImage) -> LightImage {
    LightImage(width: picture.width, height: picture.height, filler: .zero) { y, row in
      for x in row.indices {
        let radius = max(radii[x, y], 0.5)
        var sum = SIMD4<Float>.zero
        var total: Float = 0
        let reach = Int(radius + 1)
        for dy in -reach...reach {
          for dx in -reach...reach {
            let weight = min(max(radius + 0.5 - Float(dx * dx + dy * dy).squareRoot(), 0), 1)
            sum += picture.clamped(x + dx, y + dy) * weight
            total += weight
          }
        }
        row[x] = sum / total
      }
    }
  }

  /// The same sum as spreading, taken at the target.
  private static func scatter(_ picture: LightImage, _ radii: ScalarImage) -> LightImage {
    let reach = Int((radii.values.max() ?? 0) + 2)
    let reaches = RowReach(radii)
    return LightImage(width: picture.width, height: picture.height, filler: .zero) { y, row in
      for x in row.indices {
        var sum = SIMD4<Float>.zero
        var total: Float = 0
        for dy in -reach...reach where y + dy >= 0 && y + dy < picture.height {
          let width = reaches.reach(y + dy, near: x)
          for column in max(0, x - width)...min(x + width, picture.width - 1) {
            let radius = radii[column, y + dy]
            let squares = Float((column - x) * (column - x) + dy * dy)
            guard squares <= (radius + 1.5) * (radius + 1.5) else { continue }
            let weight = SoftStep.half(4 * (radius - squares.squareRoot())) / (radius * radius + 0.2)
            sum += picture[column, y + dy] * weight
            total += weight
          }
        }
        row[x] = sum / total
      }
    }
  }

  private static let sliceCount = 32

  private static func slices(
    _ picture: LightImage, _ disparity: ScalarImage, _ focus: Float, _ radiusPerDisparity: Float
  ) -> LightImage {
    let least = disparity.values.min() ?? 0
    let width = max(((disparity.values.max() ?? 1) - least) / Float(sliceCount), 1e-6)
    var result = LightImage(
      width: picture.width, height: picture.height, values: Array(repeating: .zero, count: picture.values.count))
    for slice in 0..<sliceCount {
      let members = disparity.values.map { min(Int(($0 - least) / width), sliceCount - 1) == slice }
      guard members.contains(true) else { continue }
      let middle = least + (Float(slice) + 0.5) * width
      let sheet = LightImage(
        width: picture.width, height: picture.height,
        values: zip(picture.values, members).map { light, isMember in
          var light = light
          light.w = 1
          return isMember ? light : .zero
        })
      let radius = ScalarImage(
        width: picture.width, height: picture.height,
        values: Array(repeating: abs(middle - focus) * radiusPerDisparity, count: picture.values.count))
      let blurred = gather(sheet, radius)
      for i in result.values.indices {
        result.values[i] = blurred.values[i] + result.values[i] * (1 - blurred.values[i].w)
      }
    }
    return LightImage(
      width: result.width, height: result.height, values: result.values.map { $0.w > 1e-4 ? $0 / $0.w : $0 })
  }
}

/// The largest radius in pieces of rows, so that small ones cost little.
private struct RowReach {
  private static let piece = 32
  private let columns: Int
  private let most: [Float]
  private let rowMost: [Float]

  init(_ radii: ScalarImage) {
    let columns = (radii.width + RowReach.piece - 1) / RowReach.piece
    var most = [Float](repeating: 0, count: columns * radii.height)
    for y in 0..<radii.height {
      for x in 0..<radii.width {
        most[y * columns + x / RowReach.piece] = max(most[y * columns + x / RowReach.piece], radii[x, y])
      }
    }
    (self.columns, self.most) = (columns, most)
    rowMost = (0..<radii.height).map { y in most[y * columns..<(y + 1) * columns].max() ?? 0 }
  }

  /// How far left and right of `x` a pixel of row `y` may lie and still reach it.
  func reach(_ y: Int, near x: Int) -> Int {
    let all = Int(rowMost[y] + 2)
    let (first, last) = (max(0, (x - all) / RowReach.piece), min(columns - 1, (x + all) / RowReach.piece))
    var largest: Float = 0
    for piece in first...last { largest = max(largest, most[y * columns + piece]) }
    return Int(largest + 2)
  }
}

/// ½ + ½ tanh.
private enum SoftStep {
  @inline(__always)
  static func half(_ x: Float) -> Float { x > 9 ? 1 : x < -9 ? 0 : 1 / (1 + exponential(-2 * x)) }
}
