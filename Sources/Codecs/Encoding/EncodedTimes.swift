internal import CoreMedia

/// The times of the frames inside an encoder, which itself only counts frames.
///
/// Frame n is shown at its own time. A packet's decode number d stands for the time of frame d; before frame 0 one counts
/// back in usual frame durations:
///
///     shown   I0 B1 P2 B3 P4         times      0  5  9 15 20
///     coded   I0 P2 B1 P4 B3         decode    -1  0  1  2  3   →   -5  0  5  9 15
struct EncodedTimes {
  private let usualDuration: CMTime
  private var times: [(presentation: CMTime, duration: CMTime)] = []
  private var first: Int64 = 0
  private var start = CMTime.invalid
  private var last = CMTime.invalid
  /// The decode number of the packet before; nil before the first.
  private var decoded: Int64?

  /// The most frames that an encoder counts back before the first: its limit of B-frames in a row.
  private static let maximumDelay: Int64 = 16

  init(usualDuration: CMTime) { self.usualDuration = usualDuration }

  /// Registers the next frame in presentation order, and returns its number.
  mutating func add(_ presentation: CMTime, _ duration: CMTime) throws -> Int64 {
    guard presentation.isNumeric else {
      throw CodecError(.invalidSettings, "A frame to be encoded has no time; give it a numeric presentation time.")
    }
    guard !last.isValid || presentation > last else {
      throw CodecError(
        .invalidSettings,
        "A frame at \(presentation.seconds) s follows one at \(last.seconds) s; hand in frames in presentation order.")
    }
    if !start.isValid { start = presentation }
    last = presentation
    times.append((presentation, duration))
    return first + Int64(times.count) - 1
  }

  /// The timing of a packet by its numbers; frames that no later packet can name are forgotten.
  mutating func timing(presentation: Int64, decode: Int64) -> CMSampleTimingInfo? {
    guard let shown = entry(presentation) else { return nil }
    let decode = plausible(decode, presentation)
    decoded = decode
    let time =
      decode < 0
      ? start - CMTimeMultiply(usualDuration, multiplier: Int32(clamping: -decode))
      : entry(decode)?.presentation ?? shown.presentation
    let passed = Int(min(max(0, decode - first), Int64(times.count)))
    times.removeFirst(passed)
    first += Int64(passed)
    return CMSampleTimingInfo(
      duration: shown.duration, presentationTimeStamp: shown.presentation, decodeTimeStamp: time)
  }

  /// The decode number, or, where it cannot be right, that after the packet before.
  ///
  /// x265 takes its delay from a frame that a movie of one or two frames does not have: its decode numbers are then any numbers.
  private func plausible(_ decode: Int64, _ presentation: Int64) -> Int64 {
    let next = decoded.map { $0 + 1 } ?? -Self.maximumDelay
    if next <= decode, decode <= presentation { return decode }
    return decoded.map { $0 + 1 } ?? min(0, presentation)
  }

  private func entry(_ number: Int64) -> (presentation: CMTime, duration: CMTime)? {
    let index = Int(number - first)
    return times.indices.contains(index) ? times[index] : nil
  }
}
