import Bokeh
import BokehScenes

/// A painted scene of the benchmark as the renderer takes it.
struct PaintedScene {
  let scene: LayeredScene
  let picture: LightImage
  let disparity: ScalarImage

  init(_ kind: SceneKind, width: Int, height: Int) {
    scene = kind.scene(width: width, height: height)
    (picture, disparity) = (scene.picture, scene.disparity)
  }

  var planes: RenderPlanes {
    RenderPlanes(width: scene.width, height: scene.height, light: picture.values, disparity: disparity.values)
  }
}
