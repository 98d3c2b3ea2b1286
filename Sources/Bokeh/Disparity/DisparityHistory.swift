/// Steadies disparity over time: a sample leans on the one before it, as far as both disparity and picture are still
/// the same there.
final class DisparityHistory {
  private let previous = Storage<Float>()
  private let previousGuide = Storage<SIMD4<Float>>()
  private var size = (width: 0, height: 0)

  var byteCount: Int { previous.byteCount + previousGuide.byteCount }

  /// How much the past counts where nothing has changed.
  private static let share: Float = 0.6

  /// Starts anew with the next frame.
  func forget() {
    size = (0, 0)
  }

  /// Replaces `samples` by their smoothed values and remembers them.
  ///
  /// - Parameter step: the difference in 1/m that makes an edge; a change of this size is a real one.
  func smooth(_ samples: Plane<Float>, guide: Plane<SIMD4<Float>>, step: Float, workers: Workers) {
    let past = previous.plane(samples.width, samples.height)
    let pastGuide = previousGuide.plane(samples.width, samples.height)
    let isKnown = size == (samples.width, samples.height)
    workers.rows(samples.height) { _, rows in
      for y in rows {
        for x in 0..<samples.width {
          if isKnown {
            let change = past[x, y] - samples[x, y]
            samples[x, y] += change * trust(change, step, Likeness.weight(guide[x, y], pastGuide[x, y]))
          }
          past[x, y] = samples[x, y]
          pastGuide[x, y] = guide[x, y]
        }
      }
    }
    size = (samples.width, samples.height)
  }

  /// Falls to 0 as the change of disparity comes near a step.
  @inline(__always)
  private func trust(_ change: Float, _ step: Float, _ likeness: Float) -> Float {
    let relative = change / step
    return DisparityHistory.share * likeness * max(0, 1 - relative * relative)
  }
}
