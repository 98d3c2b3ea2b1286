/// The blur alone, on planes of linear light; for tests, benchmarks, and programs with pixels of their own.
package final class PlaneRenderer {
  private let stage: BlurStage
  private let disparities: DisparityStage
  private let preview: PreviewStage?
  private let light = Storage<SIMD4<Float>>()

  /// - Parameter threads: how many rows may be computed at a time; results do not depend on it.
  package init(quality: BokehQuality, threads: Int) {
    let workers = Workers(threads)
    stage = BlurStage(effort: Effort(quality), workers: workers)
    disparities = DisparityStage(workers: workers)
    preview = stage.effort.startsAtHalf ? PreviewStage(stage: stage, disparities: disparities) : nil
  }

  /// What a call gives.
  package struct Output: Sendable {
    /// Linear light row by row.
    package let light: [SIMD4<Float>]
    /// The disparity of each pixel, of a preview at half resolution.
    package let disparity: [Float]
    /// Whether a pixel is in focus and no other disc reaches it.
    package let isUntouched: [Bool]
  }

  /// Blurs `planes` at their own resolution.
  ///
  /// - Parameters:
  ///   - focus: the disparity that is in focus, in 1/m.
  ///   - radiusPerDisparity: pixels of radius for each 1/m away from the focus.
  ///   - look: what is out of focus looks like.
  ///   - continuesHistory: whether disparity is steadied with that of the call before.
  package func render(
    _ planes: RenderPlanes, focus: Float, radiusPerDisparity: Float, look: BokehLook = BokehLook(),
    continuesHistory: Bool = false
  ) -> Output {
    let light = preview == nil ? copy(planes) : half(planes)
    let samples = disparities.input(planes.disparityWidth, planes.disparityHeight)
    for i in 0..<samples.count { samples.base[i] = planes.disparity[i] }
    let (disparity, range) = disparities.upsample(
      samples, to: light, focus: focus, tolerance: DisparityStage.tolerance(radiusPerDisparity),
      isSteady: continuesHistory, isRough: preview != nil)
    var circle = CircleOfConfusion(
      focus: focus, radiusPerDisparity: radiusPerDisparity, range: range, bins: stage.effort.bins)
    circle.look = stage.looks.make(look, .identity, nearBins: circle.nearBins, isClipped: true)
    guard let preview else {
      let frame = stage.blur(light, disparity, circle)
      return Output(frame.result, disparity, frame.untouched)
    }
    let input = PreviewStage.Input(
      width: planes.width, height: planes.height, light: light, disparity: disparity, circle: circle
    ) { _, y, columns, row in
      for x in columns { row[x] = planes.light[y &* planes.width &+ x] }
    }
    let frame = preview.blur(input) { frame, y in frame.reduceDetail(y) }
    for y in 0..<planes.height {
      frame.enlargeRest(y)
      for x in 0..<planes.width { frame.detail[x, y].w = planes.light[y &* planes.width &+ x].w }
    }
    return Output(frame.detail, disparity, frame.untouched)
  }

  private func copy(_ planes: RenderPlanes) -> Plane<SIMD4<Float>> {
    let light = light.plane(planes.width, planes.height)
    for i in 0..<light.count { light.base[i] = planes.light[i] }
    return light
  }

  /// The means of blocks of 2 x 2 pixels.
  private func half(_ planes: RenderPlanes) -> Plane<SIMD4<Float>> {
    let half = light.plane((planes.width + 1) / 2, (planes.height + 1) / 2)
    for y in 0..<half.height {
      for x in 0..<half.width {
        var (sum, count) = (SIMD4<Float>.zero, Float(0))
        for row in 2 * y..<min(2 * y + 2, planes.height) {
          for column in 2 * x..<min(2 * x + 2, planes.width) {
            sum += planes.light[row * planes.width + column]
            count += 1
          }
        }
        half[x, y] = SIMD4(sum / count, weight: 1)
      }
    }
    return half
  }
}

extension PlaneRenderer.Output {
  fileprivate init(_ light: Plane<SIMD4<Float>>, _ disparity: Plane<Float>, _ untouched: Plane<UInt8>) {
    self.light = Array(UnsafeBufferPointer(start: light.base, count: light.count))
    self.disparity = Array(UnsafeBufferPointer(start: disparity.base, count: disparity.count))
    isUntouched = (0..<untouched.count).map { untouched.base[$0] != 0 }
  }
}
