import Bokeh
import Testing

/// The blur against rays through an aperture, and against the classical scatter.
@Suite struct LayeredSceneTests {
  private struct Case {
    let planes: RenderPlanes
    let truth: [SIMD4<Float>]
    let scatter: Double
  }

  private static func make(focus: Float, lights: Float) -> Case {
    let scene = LayeredScene.standard(width: 160, height: 96, lights: lights)
    let planes = scene.planes()
    let truth = scene.truth(focus: focus, radiusPerDisparity: 10, rays: 200)
    let scatter = Baseline.psnr(Baseline.scatter(planes, focus: focus, radiusPerDisparity: 10), truth)
    return Case(planes: planes, truth: truth, scatter: scatter)
  }

  private func gain(_ scene: Case, _ quality: BokehQuality, focus: Float) -> Double {
    let light = PlaneRenderer(quality: quality, threads: 2).render(scene.planes, focus: focus, radiusPerDisparity: 10)
      .light
    return Baseline.psnr(light, scene.truth) - scene.scatter
  }

  /// Least gains in dB over normalised scatter, a little below what was measured.
  @Test(arguments: [(0.1, 2.5), (0.5, 0.7), (0.9, 2.0)] as [(Float, Double)])
  func beatsScatter(focus: Float, least: Double) {
    let scene = Self.make(focus: focus, lights: 1)
    let gains = [.export, .exportHigh].map { (quality: BokehQuality) in gain(scene, quality, focus: focus) }
    #expect(gains[0] > least)
    #expect(gains[1] > least)
  }

  @Test("a preview is within 1.5 dB of an export")
  func preview() {
    let scene = Self.make(focus: 0.5, lights: 1)
    #expect(gain(scene, .preview, focus: 0.5) > gain(scene, .export, focus: 0.5) - 1.5)
  }

  @Test("bright lights")
  func lights() {
    let scene = Self.make(focus: 0.9, lights: 20)
    #expect(gain(scene, .exportHigh, focus: 0.9) > 0.5)
  }
}
