import Bokeh
import Compute

/// From stored disparity to that of every pixel; as the CPU's `DisparityStage`.
extension FrameStages {
  /// Reads the samples, fills those that are not valid, and measures their range.
  func readDisparity(_ recorder: borrowing Recorder) throws(ComputeError) {
    let stored = frame.plan.disparity
    let constants: [UInt32] = [
      stored.sample, stored.isCoded ? 1 : 0, stored.isDepth ? 1 : 0, UInt32(stored.shift),
    ]
    let groups = min((frame.sampleSize.x * frame.sampleSize.y + 255) / 256, FrameStages.mostGroups)
    run(recorder, try pipelines.pipeline(Shaders.disparity, constants), groups: (groups, 1))
    recorder.barrier()
    if frame.mayHaveHoles { try fillHoles(recorder) }
    recorder.time(frame.picksDisparity ? "range" : "range + guide")
    // Neither needs the other.
    if !frame.picksDisparity { try runCoarse(recorder, Shaders.guide) }
    run(recorder, try pipelines.pipeline(Shaders.range), groups: (min(groups, FrameStages.fewGroups), 1))
    recorder.barrier()
    run(recorder, try pipelines.pipeline(Shaders.circle, [bins]), groups: (1, 1))
    recorder.barrier()
  }

  /// Groups that keep a large device busy; each does more where there is more to do.
  private static let mostGroups = 4096
  /// As many where each has a table of its own to add up.
  private static let fewGroups = 512

  /// A step between two levels of a pyramid.
  struct PyramidConstants: BitwiseCopyable {
    var frame: UInt64
    /// Of the finer level.
    var size: SIMD2<UInt32>
    var fine: UInt32
    var coarse: UInt32
    /// What else the shader has to know.
    var number: UInt32
  }

  private func fillHoles(_ recorder: borrowing Recorder) throws(ComputeError) {
    recorder.time("holes")
    let levels = frame.holeLevels
    let (push, pull) = (try pipelines.pipeline(Shaders.pushpull, [0]), try pipelines.pipeline(Shaders.pushpull, [1]))
    for (index, level) in levels.enumerated() {
      recorder.dispatch(push, groups: FrameStages.groups(level.size, 16, 8), constants: holeConstants(levels, index))
      recorder.barrier()
    }
    for index in levels.indices.reversed() {
      let size = index == 0 ? frame.sampleSize : levels[index - 1].size
      recorder.dispatch(pull, groups: FrameStages.groups(size, 16, 8), constants: holeConstants(levels, index))
      recorder.barrier()
    }
  }

  private func holeConstants(_ levels: [FramePlan.PyramidLevel], _ coarse: Int) -> PyramidConstants {
    let fine = coarse == 0 ? nil : levels[coarse - 1]
    return PyramidConstants(
      frame: address, size: SIMD2(truncatingIfNeeded: fine?.size ?? frame.sampleSize), fine: UInt32(fine?.place ?? 0),
      coarse: UInt32(levels[coarse].place), number: fine == nil ? 1 : 0)
  }

  /// Gives every pixel a disparity.
  func upsample(_ recorder: borrowing Recorder) throws(ComputeError) {
    recorder.time("upsample")
    if !frame.picksDisparity {
      try upsampleSamples(recorder)
    } else if !frame.effort.startsAtHalf {
      try runFine(recorder, Shaders.upsample, [1])
    }
    guard !frame.effort.startsAtHalf else { return }
    recorder.time("lamp rims")
    try runFine(recorder, Shaders.lamprims)
  }

  /// Runs a shader for every pixel of the planes.
  private func runFine(
    _ recorder: borrowing Recorder, _ code: ShaderCode, _ constants: [UInt32] = []
  ) throws(ComputeError) {
    let groups = FrameStages.groups(frame.baseSize, 8, 16)
    run(recorder, try pipelines.pipeline(code, constants), groups: (groups.x, groups.y))
    recorder.barrier()
  }

  /// Runs a shader for every sample of disparity.
  private func runCoarse(
    _ recorder: borrowing Recorder, _ code: ShaderCode, _ constants: [UInt32] = []
  ) throws(ComputeError) {
    let groups = FrameStages.groups(frame.sampleSize, 16, 8)
    run(recorder, try pipelines.pipeline(code, constants), groups: (groups.x, groups.y))
  }

  /// Brings coarse samples to every pixel.
  private func upsampleSamples(_ recorder: borrowing Recorder) throws(ComputeError) {
    if frame.plan.request.continuesHistory {
      let groups = (frame.sampleSize.x * frame.sampleSize.y + 255) / 256
      run(
        recorder, try pipelines.pipeline(Shaders.history), groups: (groups, 1), first: knowsHistory ? 1 : 0)
      recorder.barrier()
    }
    try runCoarse(recorder, Shaders.edges, [3])
    recorder.barrier()
    try runCoarse(recorder, Shaders.colorslope, [0, 3])
    recorder.barrier()
    try runCoarse(recorder, Shaders.colorslope, [1, 2])
    recorder.barrier()
    try runFine(recorder, Shaders.upsample, [0])
  }

  /// The groups of `width` x `height` invocations that cover a plane.
  static func groups(_ size: SIMD2<Int>, _ width: Int, _ height: Int) -> (x: Int, y: Int, z: Int) {
    ((size.x + width - 1) / width, (size.y + height - 1) / height, 1)
  }
}
