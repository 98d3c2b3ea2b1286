/// The blur alone, on planes of linear light; for tests, benchmarks, and programs with pixels of their own.
package final class PlaneRenderer {
  private let stage: BlurStage
  private let disparities: DisparityStage
  private let light = Storage<SIMD4<Float>>()

  /// - Parameter threads: how many rows may be computed at a time; results do not depend on it.
  package init(quality: BokehQuality, threads: Int) {
    let workers = Workers(threads)
    stage = BlurStage(effort: Effort(quality), workers: workers)
    disparities = DisparityStage(workers: workers)
  }

  /// What a call gives.
  package struct Output: Sendable {
    /// Linear light row by row.
    package let light: [SIMD4<Float>]
    /// The disparity of each pixel.
    package let disparity: [Float]
    /// Whether a pixel is in focus and no other disc reaches it.
    package let isUntouched: [Bool]
  }

  /// Blurs `planes` at their own resolution.
  ///
  /// - Parameters:
  ///   - focus: the disparity that is in focus, in 1/m.
  ///   - radiusPerDisparity: pixels of radius for each 1/m away from the focus.
  ///   - continuesHistory: whether disparity is steadied with that of the call before.
  package func render(
    _ planes: RenderPlanes, focus: Float, radiusPerDisparity: Float, continuesHistory: Bool = false
  ) -> Output {
    let light = light.plane(planes.width, planes.height)
    for i in 0..<light.count { light.base[i] = planes.light[i] }
    let samples = disparities.input(planes.disparityWidth, planes.disparityHeight)
    for i in 0..<samples.count { samples.base[i] = planes.disparity[i] }
    let (disparity, range) = disparities.upsample(
      samples, to: light, focus: focus, tolerance: DisparityStage.tolerance(radiusPerDisparity),
      isSteady: continuesHistory)
    let circle = CircleOfConfusion(
      focus: focus, radiusPerDisparity: radiusPerDisparity, range: range, bins: stage.effort.bins)
    let frame = stage.blur(light, disparity, circle)
    return Output(
      light: Array(UnsafeBufferPointer(start: frame.result.base, count: frame.result.count)),
      disparity: Array(UnsafeBufferPointer(start: disparity.base, count: disparity.count)),
      isUntouched: (0..<frame.untouched.count).map { frame.untouched.base[$0] != 0 })
  }
}
