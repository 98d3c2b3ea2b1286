import Bokeh
import BokehScenes
import Testing

/// The blur against rays through an aperture, and against the classical scatter.
@Suite struct LayeredSceneTests {
  /// A scene through one lens, 10 pixels of radius for each unit of disparity.
  private struct Case {
    let painted: PaintedScene
    let focus: Float
    let truth: LightImage

    init(_ kind: SceneKind, focus: Float) {
      painted = PaintedScene(kind, width: 160, height: 96)
      self.focus = focus
      truth = RayTruth(focus: focus, radiusPerDisparity: 10).render(painted.scene)
    }

    /// In dB over normalised scatter.
    func gain(_ quality: BokehQuality) -> Double {
      let light = PlaneRenderer(quality: quality, threads: 2)
        .render(painted.planes, focus: focus, radiusPerDisparity: 10).light
      let scatter = Baseline.scatter.render(
        painted.picture, painted.disparity, focus: focus, radiusPerDisparity: 10)
      return score(LightImage(width: truth.width, height: truth.height, values: light)) - score(scatter)
    }

    private func score(_ light: LightImage) -> Double {
      let regions = Regions(painted.picture, painted.disparity, focus: focus, radiusPerDisparity: 10)
      return Score(light, truth: truth, regions: regions).all
    }
  }

  /// Least gains in dB over normalised scatter, a little below what was measured.
  @Test(arguments: [(0.1, 5.3, 7.5), (0.45, 0.9, 0.9), (0.85, 3.4, 5.7)] as [(Float, Double, Double)])
  func beatsScatter(focus: Float, export: Double, exportHigh: Double) {
    let scene = Case(.portrait, focus: focus)
    let gains = (export: scene.gain(.export), exportHigh: scene.gain(.exportHigh))
    #expect(gains.export > export && gains.exportHigh > exportHigh, "\(gains)")
  }

  @Test("a preview is within 1.5 dB of an export")
  func preview() {
    let scene = Case(.crowd, focus: 0.45)
    let (preview, export) = (scene.gain(.preview), scene.gain(.export))
    #expect(preview > export - 1.5, "\(preview), \(export)")
  }

  @Test("bright lights")
  func lights() {
    let gain = Case(.portraitLights, focus: 0.85).gain(.exportHigh)
    #expect(gain > 5.5, "\(gain)")
  }
}
