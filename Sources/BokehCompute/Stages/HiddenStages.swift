import Bokeh
import Compute

/// What lies behind near objects; as the CPU's `HiddenLayer`.
extension FrameStages {
  /// Finds the surroundings of depth edges, guesses what lies behind there, and fills the layer's own aperture.
  func fillHidden(_ recorder: borrowing Recorder) throws(ComputeError) {
    recorder.time("hidden")
    let (size, finest) = (frame.size(frame.hiddenLevel), frame.hiddenLevel)
    run(recorder, try pipelines.pipeline(Shaders.window, [0]), groups: ((size.x + 255) / 256, size.y))
    recorder.barrier()
    run(recorder, try pipelines.pipeline(Shaders.window, [1]), groups: ((size.x + 15) / 16, (size.y + 63) / 64))
    recorder.barrier()
    try runLevel(recorder, try pipelines.pipeline(Shaders.hidden, [bins]), finest, isHidden: true)
    recorder.barrier()
    for level in finest + 1..<frame.lastHiddenLevel + 1 {
      try runLevel(recorder, try pipelines.pipeline(Shaders.samples, [0, 1]), level, isHidden: true)
      recorder.barrier()
    }
    recorder.time("fill hidden")
    for level in stride(from: frame.lastHiddenLevel, through: finest, by: -1) {
      let kind = level == finest ? FillKind.whole : FillKind.layers
      try runLevel(recorder, try pipelines.pipeline(Shaders.fill, [bins, kind, 0, 1]), level, isHidden: true)
      recorder.barrier()
    }
  }
}
