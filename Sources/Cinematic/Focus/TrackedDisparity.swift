/// The disparity of a subject over time as a focus puller follows it: without jitter, without lag, without overshoot.
///
/// A play operator leaves out changes smaller than the dead band: the focus rests until the subject is half a band away, then is pulled
/// along. One pass forward and one backward, averaged, have no lag. A symmetric average over 0.2 s then rounds the corners. Each step only
/// averages, so the result never leaves the range of the disparities around it.
///
///     tracked    ˍˍˏ˴ˏˍˏˍˍˏ˴ˍ╱‾‾ˋ‾ˊ‾ˋ‾
///     followed   ─────────────╱────────
struct TrackedDisparity: Sendable {
  /// One for each time given, smoothed.
  let values: [Float]

  /// Invalid disparities count as missing and are interpolated in time between their neighbours. `deadBand` is a range of disparity.
  init(seconds: [Double], disparities: [Float], deadBand: Double = FocusLens(focalLength: 0.026).deadBand) {
    let filled = Self.filled(seconds, disparities)
    let followed = Self.followed(filled, deadBand / 2)
    let reach = Self.reach(seconds)
    values = Self.averaged(Self.averaged(followed, reach), reach).map { Float($0) }
  }

  /// Missing values lie on a line between the valid ones around them; before the first and after the last they stay. Where none is
  /// valid, all are what holds where a movie says nothing.
  private static func filled(_ seconds: [Double], _ disparities: [Float]) -> [Double] {
    var filled = disparities.map { Double($0) }
    var last: Int?
    for index in disparities.indices where CNDetection.isValidDisparity(disparities[index]) {
      let from = last.map { filled[$0] } ?? filled[index]
      let gap = (last.map { $0 + 1 } ?? 0)..<index
      let start = last.map { seconds[$0] } ?? seconds[index]
      for missing in gap {
        let share = max(0, (seconds[missing] - start) / max(seconds[index] - start, 1e-9))
        filled[missing] = from + (filled[index] - from) * share
      }
      last = index
    }
    let rest = last.map { filled[$0] } ?? Double(RecordedFrame.standardFocusDisparity)
    for index in (last.map { $0 + 1 } ?? 0)..<disparities.count { filled[index] = rest }
    return filled
  }

  private static func followed(_ values: [Double], _ halfBand: Double) -> [Double] {
    guard let first = values.first, let last = values.last else { return [] }
    var forward = values
    var position = first
    for index in values.indices {
      position = min(max(position, values[index] - halfBand), values[index] + halfBand)
      forward[index] = position
    }
    position = last
    for index in values.indices.reversed() {
      position = min(max(position, values[index] - halfBand), values[index] + halfBand)
      forward[index] = (forward[index] + position) / 2
    }
    return forward
  }

  /// The filter's reach in frames, from the mean distance of the times.
  private static func reach(_ seconds: [Double]) -> Int {
    guard let first = seconds.first, let last = seconds.last, last > first else { return 0 }
    let step = (last - first) / Double(seconds.count - 1)
    return Int(min((FocusTiming.smoothingReach / step).rounded(), Double(seconds.count)))
  }

  /// The mean over `reach` values on both sides. It narrows towards the ends, to stay symmetric.
  private static func averaged(_ values: [Double], _ reach: Int) -> [Double] {
    guard reach > 0 else { return values }
    var sums = [0.0]
    sums.reserveCapacity(values.count + 1)
    for value in values { sums.append(sums[sums.count - 1] + value) }
    return values.indices.map { index in
      let side = min(reach, index, values.count - 1 - index)
      return (sums[index + side + 1] - sums[index - side]) / Double(2 * side + 1)
    }
  }
}
