/// What lies behind near objects: guessed from the farther side of depth edges, at half resolution.
///
/// A pixel is an occluder if it is nearer than the smallest disparity around it by more than a pixel of radius. The
/// light and the disparity behind it come from the pixels around that are not occluders. Bright ones count less, so
/// that lights do not bleed into it.
final class HiddenLayer {
  private let farthest = Storage<Float>()
  private let scratch = Storage<Float>()
  private let light = Storage<SIMD4<Float>>()
  private let weight = Storage<Float>()
  private let occluders = Storage<UInt8>()
  private let pushPull = PushPull()
  private let samples = SampleStorage()

  var byteCount: Int {
    farthest.byteCount + scratch.byteCount + light.byteCount + weight.byteCount + occluders.byteCount
      + pushPull.byteCount + samples.byteCount
  }

  /// The longest way in pixels of half resolution from which the layer is filled.
  static let maximumReach = 96

  /// Builds the layer's samples in units of half resolution, or nil where nothing hides anything.
  func build(_ frame: Frame, circle: CircleOfConfusion, largestRadius: Float, workers: Workers) -> SampleRows? {
    let (width, height) = ((frame.width + 1) / 2, (frame.height + 1) / 2)
    let farthest = farthest.plane(width, height)
    let reach = min(Int(largestRadius / 2) + 2, HiddenLayer.maximumReach)
    findFarthest(frame, farthest, workers)
    WindowMinimum(reach: reach, workers: workers).apply(farthest, scratch: scratch.plane(width, height))

    let blocks = HiddenBlocks(
      light: light.plane(width, height), weight: weight.plane(width, height), occluders: occluders.plane(width, height))
    let threshold = HiddenLayer.threshold(circle)
    workers.rows(height) { _, rows in
      for y in rows {
        for x in 0..<width { blocks.read(frame, x, y, limit: farthest[x, y] + threshold) }
      }
    }
    guard blocks.hasOccluders else { return nil }
    pushPull.fill(blocks.light, weight: blocks.weight, reach: reach, workers: workers)
    return samples.build(
      width: width, height: height, workers: workers,
      count: { blocks.count($0, circle) }, write: { blocks.write($0, circle, &$1) })
  }

  /// How much nearer in 1/m an occluder is: what a pixel of radius makes.
  static func threshold(_ circle: CircleOfConfusion) -> Float {
    1 / max(circle.radiusPerDisparity, .leastNormalMagnitude)
  }

  private func findFarthest(_ frame: Frame, _ farthest: Plane<Float>, _ workers: Workers) {
    workers.rows(farthest.height) { _, rows in
      for y in rows {
        for x in 0..<farthest.width {
          var least = Float.infinity
          for row in 2 &* y..<min(2 &* y &+ 2, frame.height) {
            for column in 2 &* x..<min(2 &* x &+ 2, frame.width) { least = min(least, frame.disparity[column, row]) }
          }
          farthest[x, y] = least
        }
      }
    }
  }
}

/// Blocks of 2 x 2 pixels with what is known of the layer behind: `light` holds linear light and, last, disparity.
private struct HiddenBlocks {
  let light: Plane<SIMD4<Float>>
  let weight: Plane<Float>
  let occluders: Plane<UInt8>

  var hasOccluders: Bool {
    for i in 0..<occluders.count where occluders.base[i] != 0 { return true }
    return false
  }

  /// Takes the mean of a block's pixels that lie at `limit` or beyond.
  func read(_ frame: Frame, _ x: Int, _ y: Int, limit: Float) {
    var sum = SIMD4<Float>.zero
    var total: Float = 0
    var hasOccluder: UInt8 = 0
    for row in 2 &* y..<min(2 &* y &+ 2, frame.height) {
      for column in 2 &* x..<min(2 &* x &+ 2, frame.width) {
        let disparity = frame.disparity[column, row]
        guard disparity <= limit else {
          hasOccluder = 1
          continue
        }
        let pixel = frame.linear[column, row]
        let share = 1 / (1 + max(0, max(pixel.x, pixel.y, pixel.z)))
        sum += SIMD4(pixel, weight: disparity) * share
        total += share
      }
    }
    light[x, y] = total > 0 ? sum / total : .zero
    weight[x, y] = min(1, total * 0.5)
    occluders[x, y] = hasOccluder
  }

  func count(_ y: Int, _ circle: CircleOfConfusion) -> Int {
    var count = 0
    for x in 0..<light.width where isKnownOccluder(x, y) {
      count &+= SampleSink.count(position: x, width: light.width, key: key(x, y, circle))
    }
    return count
  }

  func write(_ y: Int, _ circle: CircleOfConfusion, _ sink: inout SampleSink) {
    for x in 0..<light.width where isKnownOccluder(x, y) {
      sink.add(
        position: x, width: light.width, key: key(x, y, circle), color: SIMD4(light[x, y], weight: 1))
    }
  }

  private func isKnownOccluder(_ x: Int, _ y: Int) -> Bool { occluders[x, y] != 0 && weight[x, y] > 0 }

  private func key(_ x: Int, _ y: Int, _ circle: CircleOfConfusion) -> DepthKey {
    circle.key(light[x, y].w).reduced(by: 2)
  }
}
