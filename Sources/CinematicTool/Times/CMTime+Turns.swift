package import CoreMedia

extension CMTime {
  /// How often a duration above zero has passed at this time, and what is left, exactly as long as a time scale holds both; else what is
  /// left is rounded up, by less than a billionth of a second.
  package func turns(of duration: CMTime) -> (count: Int128, rest: CMTime) {
    guard isNumeric, duration.isNumeric, value >= 0, duration.value > 0 else { return (0, self) }
    let scale = Int128(timescale) * Int128(duration.timescale)
    let (count, rest) = (Int128(value) * Int128(duration.timescale))
      .quotientAndRemainder(dividingBy: Int128(duration.value) * Int128(timescale))
    var (divisor, other) = (scale, rest)
    while other > 0 { (divisor, other) = (other, divisor % other) }
    if let exact = CMTimeScale(exactly: scale / divisor), let value = Int64(exactly: rest / divisor) {
      return (count, CMTime(value: value, timescale: exact))
    }
    let finest = Int128(CMTimeScale.max)
    let value = rest / scale * finest + (rest % scale * finest + scale - 1) / scale
    return (count, CMTime(value: Int64(clamping: value), timescale: .max))
  }
}
