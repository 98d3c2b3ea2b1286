package import CoreMedia

extension TimeExpression {
  /// The time meant in a movie whose shown frames have these times, in rising order.
  ///
  /// Throws `Failure` for a frame that the movie does not have.
  package func time<Times: RandomAccessCollection<CMTime>>(among frames: Times) throws -> CMTime
  where Times.Index == Int {
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
  package func frame<Times: RandomAccessCollection<CMTime>>(among frames: Times, end: CMTime) throws -> Int
  where Times.Index == Int {
    let time = try time(among: frames)
    guard let first = frames.first, first <= time, time < end else {
      let range = "from \(frames.first?.clockText ?? "0:00.000") up to \(end.clockText)"
      throw Failure("\(time.clockText) lies outside the movie, which shows frames \(range): choose a time in it")
    }
    return frames.firstPosition { $0 > time } - 1
  }
}

extension TimeRangeExpression {
  /// The frames whose times lie in the half-open range. Throws `Failure` if there are none.
  package func frames<Times: RandomAccessCollection<CMTime>>(among frames: Times) throws -> Range<Int>
  where Times.Index == Int {
    let first = try start.map { start in try index(start, frames) } ?? 0
    let last = try end.map { end in try index(end, frames) } ?? frames.count
    guard first < last else { throw Self.nothing(among: frames) }
    return first..<last
  }

  private static func nothing<Times: RandomAccessCollection<CMTime>>(among frames: Times) -> Failure {
    let reason = "no frame of the movie lies in that range"
    guard let first = frames.first, let last = frames.last else { return Failure("\(reason): it has none") }
    return Failure(
      "\(reason): the movie has frames #0-#\(frames.count - 1), which begin at \(first.clockText) to \(last.clockText)")
  }

  private func index<Times: RandomAccessCollection<CMTime>>(_ bound: TimeExpression, _ frames: Times) throws -> Int
  where Times.Index == Int {
    if case .frame(let index) = bound { return min(index, frames.count) }
    let time = try bound.time(among: frames)
    return frames.firstPosition { $0 >= time }
  }
}

extension RandomAccessCollection<CMTime> where Index == Int {
  /// The first position, counted from 0, at which `isReached` holds, as it does from there on; `count` if it nowhere does.
  func firstPosition(_ isReached: (CMTime) -> Bool) -> Int {
    var low = 0, high = count
    while low < high {
      let middle = (low + high) / 2
      if isReached(self[startIndex + middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
