import AVFoundation

/// When the pictures of the result begin, and when the last one ends; counted from the start of both movies.
struct OverTimes: Sendable {
  let times: [CMTime]
  let end: CMTime

  /// The most pictures of a result: two days at 60 a second.
  private static let limit = 10_000_000

  /// - Parameter background: nil for one that does not move.
  init(_ options: OverOptions, foreground: ComposedMovie, background: ComposedMovie?) throws {
    let end = Self.end(options.length, foreground.end, background?.end)
    let leading: ComposedMovie
    switch options.rate {
    case .constant(let rate):
      times = try Self.steady(rate.frameDuration, from: .zero, to: end)
      self.end = end
      return
    case .foreground: leading = foreground
    case .background:
      guard let background else {
        throw Failure("'--rate background' needs a background that is a movie: leave it out, or give a number")
      }
      leading = background
    }
    var times = leading.times.filter { $0 < end }
    // What shows before the first picture of a movie that begins late.
    if let first = times.first, first > .zero { times.insert(.zero, at: 0) }
    if leading.end < end { times += try Self.steady(leading.lastDuration, from: leading.end, to: end) }
    self.times = times
    self.end = end
  }

  private static func end(_ length: OverOptions.Length, _ foreground: CMTime, _ background: CMTime?) -> CMTime {
    guard let background else { return foreground }
    return switch length {
    case .foreground: foreground
    case .background: background
    case .shortest: min(foreground, background)
    case .longest: max(foreground, background)
    }
  }

  private static func steady(_ duration: CMTime, from start: CMTime, to end: CMTime) throws -> [CMTime] {
    guard duration > .zero, (end - start).seconds / duration.seconds < Double(limit) else {
      throw Failure("the result would have more than \(limit) pictures: give a lower '--rate'")
    }
    var times: [CMTime] = []
    while true {
      let time = start + CMTimeMultiply(duration, multiplier: Int32(times.count))
      guard time < end else { return times }
      times.append(time)
    }
  }
}
