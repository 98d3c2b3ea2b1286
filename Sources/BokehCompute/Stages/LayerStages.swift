import Bokeh
import Compute

/// The picture's lower resolutions, and what lies behind near objects; as the CPU's `BlurStage` and `HiddenLayer`.
///
/// The two know nothing of each other until the picture is filled, so the device works on a step of each at a time: most
/// are too small to keep it busy alone.
///
///     picture  samples 1 → samples 2 → … → fill 2 → fill 1
///     behind   window → hidden → samples 2 → … → fill 2 → fill 1
extension FrameStages {
  private enum Step {
    /// The samples of a resolution, from those of the finer one.
    case samples(Int, isHidden: Bool)
    case fill(Int, isHidden: Bool)
    /// The surroundings of depth edges, along rows and then along columns.
    case window(isDown: Bool)
    /// What lies behind there.
    case hidden

    var label: String {
      switch self {
      case .samples(let level, let isHidden): "samples \(level)" + (isHidden ? " behind" : "")
      case .fill(let level, let isHidden): "fill \(level)" + (isHidden ? " behind" : "")
      case .window: "window"
      case .hidden: "hidden"
      }
    }
  }

  private var pictureSteps: [Step] {
    let levels = (1..<max(frame.sizes.count, 1))
    return levels.map { .samples($0, isHidden: false) } + levels.reversed().map { .fill($0, isHidden: false) }
  }

  private var hiddenSteps: [Step] {
    let levels = frame.hiddenLevel...frame.lastHiddenLevel
    return [.window(isDown: true), .hidden]
      + levels.dropFirst().map { .samples($0, isHidden: true) } + levels.reversed().map { .fill($0, isHidden: true) }
  }

  /// Finds where along the rows a depth edge is near, for which only the largest radius has to be known.
  func markAlongRows(_ recorder: borrowing Recorder) throws(ComputeError) {
    try run(recorder, .window(isDown: false))
  }

  /// Fills all but the picture itself.
  func fillLayers(_ recorder: borrowing Recorder) throws(ComputeError) {
    let (picture, hidden) = (pictureSteps, hiddenSteps)
    // Both end together: the last steps are the largest.
    // Half resolution as a picture needs what lies behind.
    let lag = frame.effort.startsAtHalf ? 1 : 0
    let count = max(picture.count, hidden.count + lag)
    for number in 0..<count {
      let own = [(picture, 0), (hidden, lag)].compactMap { steps, lag in
        let place = number - (count - steps.count - lag)
        return steps.indices.contains(place) ? steps[place] : nil
      }
      recorder.time(own.map(\.label).joined(separator: " + "))
      for step in own { try run(recorder, step) }
      recorder.barrier()
    }
  }

  private func run(_ recorder: borrowing Recorder, _ step: Step) throws(ComputeError) {
    let steps = UInt32(frame.effort.hiddenSteps)
    switch step {
    case .samples(let level, let isHidden):
      let isFirst = level == 1 && !isHidden
      let pipeline = try pipelines.pipeline(
        Shaders.samples, [isFirst ? (frame.effort.startsAtHalf ? 2 : 1) : 0, isHidden ? 1 : 0])
      runLevel(recorder, pipeline, level, isHidden: isHidden)
    case .fill(let level, let isHidden):
      guard isHidden || level != frame.baseLevel else {
        return runLevel(recorder, try pipelines.pipeline(Shaders.fill, fillConstants(FillKind.half)), level)
      }
      let isWhole = isHidden && level == frame.hiddenLevel
      let constants = [bins, isWhole ? FillKind.whole : FillKind.layers, 0, isHidden ? 1 : 0, 0, 0, 0, 0, look]
      runLevel(recorder, try pipelines.pipeline(Shaders.fill, constants), level, isHidden: isHidden)
    case .window(let isDown):
      let size = frame.size(frame.hiddenLevel)
      let groups = isDown ? ((size.x + 15) / 16, (size.y + 63) / 64) : ((size.x + 255) / 256, size.y)
      run(recorder, try pipelines.pipeline(Shaders.window, [isDown ? 1 : 0, steps]), groups: groups)
    case .hidden:
      let constants = [bins, steps]
      runLevel(recorder, try pipelines.pipeline(Shaders.hidden, constants), frame.hiddenLevel, isHidden: true)
    }
  }
}
