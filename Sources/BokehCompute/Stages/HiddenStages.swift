import Bokeh
import Compute

/// What lies behind near objects; as the CPU's `HiddenLayer`.
extension FrameStages {
  /// Finds what is hidden, guesses it from around, and fills the layer's own aperture.
  func fillHidden(_ recorder: borrowing Recorder) throws(ComputeError) {
    recorder.time("hidden")
    let (size, finest) = (frame.size(frame.hiddenLevel), frame.hiddenLevel)
    run(recorder, try pipelines.pipeline(Shaders.window, [0]), groups: ((size.x + 255) / 256, size.y))
    recorder.barrier()
    run(recorder, try pipelines.pipeline(Shaders.window, [1]), groups: ((size.x + 15) / 16, (size.y + 63) / 64))
    recorder.barrier()
    let groups = FrameStages.groups(size, 32, 4)
    run(recorder, try pipelines.pipeline(Shaders.hidden), groups: (groups.x, groups.y))
    recorder.barrier()
    try fillBehind(recorder)
    try runLevel(recorder, try pipelines.pipeline(Shaders.hiddensamples, [bins]), finest, isHidden: true)
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

  private func fillBehind(_ recorder: borrowing Recorder) throws(ComputeError) {
    let levels = frame.behindLevels
    let (push, pull) = (try pipelines.pipeline(Shaders.behind, [0]), try pipelines.pipeline(Shaders.behind, [1]))
    for coarse in levels.indices.dropFirst() {
      let groups = FrameStages.groups(levels[coarse].size, 16, 8)
      recorder.dispatch(push, groups: groups, constants: behindConstants(levels, coarse))
      recorder.barrier()
    }
    for coarse in levels.indices.dropFirst().reversed() {
      let groups = FrameStages.groups(levels[coarse - 1].size, 16, 8)
      recorder.dispatch(pull, groups: groups, constants: behindConstants(levels, coarse))
      recorder.barrier()
    }
  }

  private func behindConstants(_ levels: [FramePlan.PyramidLevel], _ coarse: Int) -> PyramidConstants {
    PyramidConstants(
      frame: address, size: SIMD2(truncatingIfNeeded: levels[coarse - 1].size), fine: UInt32(levels[coarse - 1].place),
      coarse: UInt32(levels[coarse].place), number: UInt32(coarse))
  }
}
