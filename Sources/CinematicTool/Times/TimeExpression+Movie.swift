package import CoreMedia

extension TimeExpression {
  /// The time meant in a movie whose shown frames have these times, in rising order.
  ///
  /// Throws `Failure` for a frame that the movie does not have.
  package func time(among frames: [CMTime]) throws -> CMTime {
    switch self {
    case .seconds(let value, let timescale): return CMTime(value: value, timescale: timescale)
    case .frame(let index) where index < frames.count: return frames[index]
    case .frame(let index):
      throw Failure("there is no frame #\(index): the movie shows \(frames.count), from #0 to #\(frames.count - 1)")
    }
  }

  /// The index of the frame that is shown at the time meant: the last one that starts at it or before.
  ///
  /// Throws `Failure` for a time before the first frame, or at or after `end`.
  package func frame(among frames: [CMTime], end: CMTime) throws -> Int {
    let time = try time(among: frames)
    guard let first = frames.first, first <= time, time < end else {
      let range = "from \(frames.first?.clockText ?? "0:00.000") up to \(end.clockText)"
      throw Failure("\(time.clockText) lies outside the movie, which shows frames \(range): choose a time in it")
    }
    var low = 0, high = frames.count
    while low < high {
      let middle = (low + high) / 2
      if frames[middle] <= time { low = middle + 1 } else { high = middle }
    }
    return low - 1
  }
}

extension TimeRangeExpression {
  /// The frames whose times lie in the half-open range. Throws `Failure` if there are none.
  package func frames(among frames: [CMTime]) throws -> Range<Int> {
    let first = try start.map { start in try index(start, frames) } ?? 0
    let last = try end.map { end in try index(end, frames) } ?? frames.count
    guard first < last else { throw Failure("no frame of the movie lies in that range: widen it") }
    return first..<last
  }

  private func index(_ bound: TimeExpression, _ frames: [CMTime]) throws -> Int {
    if case .frame(let index) = bound { return min(index, frames.count) }
    let time = try bound.time(among: frames)
    return frames.firstIndex { $0 >= time } ?? frames.count
  }
}
