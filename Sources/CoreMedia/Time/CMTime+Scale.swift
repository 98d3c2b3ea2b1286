extension CMTime {
  /// The time in another time scale; see `CMTimeConvertScale`.
  public func convertScale(_ newTimescale: CMTimeScale, method: CMTimeRoundingMethod) -> CMTime {
    CMTimeConvertScale(self, timescale: newTimescale, method: method)
  }
}

/// The time in another time scale, rounded as asked and then flagged as rounded.
///
/// A time that is no number stays as it is. A value that overflows becomes an infinity. Invalid where the time scale is
/// not positive.
public func CMTimeConvertScale(_ time: CMTime, timescale newTimescale: CMTimeScale, method: CMTimeRoundingMethod)
  -> CMTime
{
  guard time.isNumeric else { return time }
  guard newTimescale > 0 else { return .invalid }
  guard
    let (value, isExact) = time.fraction.scaled(
      to: newTimescale, rounding: rounding(method, time.timescale, newTimescale))
  else { return time.value < 0 ? .negativeInfinity : .positiveInfinity }
  var result = CMTime(value: value, timescale: newTimescale, flags: time.flags, epoch: time.epoch)
  if !isExact { result.flags.insert(.hasBeenRounded) }
  if method == .quickTime, value == 0, time.value < 0 { result.value = -1 }
  return result
}

private func rounding(_ method: CMTimeRoundingMethod, _ old: CMTimeScale, _ new: CMTimeScale) -> Rounding {
  switch method {
  case .roundHalfAwayFromZero: .halfAwayFromZero
  case .roundTowardZero: .towardZero
  case .roundAwayFromZero: .awayFromZero
  case .quickTime: new < old ? .towardZero : .awayFromZero
  case .roundTowardPositiveInfinity: .up
  case .roundTowardNegativeInfinity: .down
  }
}
