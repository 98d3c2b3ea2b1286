/// The blur alone, on planes of linear light; for tests, benchmarks, and programs with pixels of their own.
package final class PlaneRenderer {
  private let stage: BlurStage
  private let light = Storage<SIMD4<Float>>()
  private let disparity = Storage<Float>()

  /// - Parameter threads: how many rows may be computed at a time; results do not depend on it.
  package init(quality: BokehQuality, threads: Int) {
    stage = BlurStage(effort: Effort(quality), workers: Workers(threads))
  }

  /// Blurs `planes` at their own resolution and returns the light row by row.
  ///
  /// - Parameters:
  ///   - focus: the disparity that is in focus, in 1/m.
  ///   - radiusPerDisparity: pixels of radius for each 1/m away from the focus.
  package func render(_ planes: RenderPlanes, focus: Float, radiusPerDisparity: Float) -> [SIMD4<Float>] {
    let light = light.plane(planes.width, planes.height)
    let disparity = disparity.plane(planes.width, planes.height)
    var range = focus...focus
    for i in 0..<light.count {
      light.base[i] = planes.light[i]
      disparity.base[i] = planes.disparity[i]
      range = min(range.lowerBound, planes.disparity[i])...max(range.upperBound, planes.disparity[i])
    }
    let circle = CircleOfConfusion(
      focus: focus, radiusPerDisparity: radiusPerDisparity, range: range, bins: stage.effort.bins)
    let frame = stage.blur(light, disparity, circle)
    return Array(UnsafeBufferPointer(start: frame.result.base, count: frame.result.count))
  }
}
