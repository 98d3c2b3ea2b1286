import Foundation

/// How near a result is to the truth: gamma 2.2, clipped to 0…1, in dB.
package struct Score: Sendable {
  /// Peak signal-to-noise ratio of all pixels.
  package var all: Double
  /// In the band around disparity edges.
  package var edges: Double
  /// Where the radius is below one pixel.
  package var inFocus: Double
  /// Around what is brighter than white; nil without lights.
  package var lights: Double?
  /// Structural similarity of luma, 8 x 8 windows, from 0 to 1.
  package var similarity: Double

  package init(_ result: LightImage, truth: LightImage, regions: Regions) {
    let errors = (0..<result.values.count).map { i -> Double in
      let way = Display.encode(result.values[i]) - Display.encode(truth.values[i])
      return Double((way * way).sum()) / 3
    }
    func ratio(_ mask: [Bool]?) -> Double? {
      var (sum, count) = (0.0, 0)
      for i in errors.indices where mask?[i] ?? true {
        sum += errors[i]
        count += 1
      }
      return count < 16 ? nil : -10 * log10(max(sum / Double(count), 1e-8))
    }
    all = ratio(nil) ?? .nan
    edges = ratio(regions.edges) ?? .nan
    inFocus = ratio(regions.inFocus) ?? .nan
    lights = ratio(regions.lights)
    similarity = Score.similarity(result, truth)
  }

  private static func similarity(_ a: LightImage, _ b: LightImage) -> Double {
    let (lumaA, lumaB) = (a.values.map(Display.luma), b.values.map(Display.luma))
    var (sum, count) = (0.0, 0)
    for top in stride(from: 0, to: max(1, a.height - 7), by: 4) {
      for left in stride(from: 0, to: max(1, a.width - 7), by: 4) {
        var window = WindowSums()
        for y in top..<min(top + 8, a.height) {
          for x in left..<min(left + 8, a.width) { window.add(lumaA[y * a.width + x], lumaB[y * a.width + x]) }
        }
        sum += window.similarity
        count += 1
      }
    }
    return sum / Double(count)
  }
}

private struct WindowSums {
  var (a, b, aa, bb, ab, count) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

  mutating func add(_ x: Double, _ y: Double) {
    (a, b, aa, bb, ab, count) = (a + x, b + y, aa + x * x, bb + y * y, ab + x * y, count + 1)
  }

  /// With the usual constants 0.01² and 0.03².
  var similarity: Double {
    let (meanA, meanB) = (a / count, b / count)
    let (varA, varB, both) = (aa / count - meanA * meanA, bb / count - meanB * meanB, ab / count - meanA * meanB)
    return (2 * meanA * meanB + 1e-4) * (2 * both + 9e-4)
      / ((meanA * meanA + meanB * meanB + 1e-4) * (varA + varB + 9e-4))
  }
}

/// Light as a screen shows it.
package enum Display {
  package static func encode(_ light: SIMD4<Float>) -> SIMD4<Float> {
    let limited = light.clamped(lowerBound: .zero, upperBound: .one)
    return SIMD4(pow(limited.x, 1 / 2.2), pow(limited.y, 1 / 2.2), pow(limited.z, 1 / 2.2), 0)
  }

  static func luma(_ light: SIMD4<Float>) -> Double {
    Double((encode(light) * SIMD4(0.2126, 0.7152, 0.0722, 0)).sum())
  }
}

/// The parts of a picture that are scored apart.
package struct Regions: Sendable {
  /// Up to the larger of 2 pixels and the edge's larger radius from a step of disparity.
  package let edges: [Bool]
  /// Where the radius is below one pixel.
  package let inFocus: [Bool]
  /// Within the disc of what is brighter than white, and two pixels around.
  package let lights: [Bool]

  package init(_ picture: LightImage, _ disparity: ScalarImage, focus: Float, radiusPerDisparity: Float) {
    let (width, height) = (picture.width, picture.height)
    let radius = disparity.values.map { abs($0 - focus) * radiusPerDisparity }
    inFocus = radius.map { $0 < 1 }
    var edgeReach = [Float](repeating: -1, count: width * height)
    var lightReach = edgeReach
    for y in 0..<height {
      for x in 0..<width {
        let i = y * width + x
        if picture.values[i].x > 1 || picture.values[i].y > 1 || picture.values[i].z > 1 {
          lightReach[i] = radius[i] + 2
        }
        for (column, row) in [(x + 1, y), (x, y + 1)] where column < width && row < height {
          let j = row * width + column
          guard abs(disparity.values[i] - disparity.values[j]) > 0.04 else { continue }
          edgeReach[i] = max(edgeReach[i], max(radius[i], radius[j], 2))
        }
      }
    }
    edges = Regions.grown(edgeReach, width, height)
    lights = Regions.grown(lightReach, width, height)
  }

  /// Everything that lies as near to a place as its reach.
  private static func grown(_ reach: [Float], _ width: Int, _ height: Int) -> [Bool] {
    var mask = [Bool](repeating: false, count: width * height)
    for y in 0..<height {
      for x in 0..<width where reach[y * width + x] >= 0 {
        let r = reach[y * width + x]
        let most = Int(r)
        for row in max(0, y - most)...min(height - 1, y + most) {
          let half = Int(max(r * r - Float((row - y) * (row - y)), 0).squareRoot())
          for column in max(0, x - half)...min(width - 1, x + half) { mask[row * width + column] = true }
        }
      }
    }
    return mask
  }
}
