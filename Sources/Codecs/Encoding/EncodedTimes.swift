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
  private var lastDecode: Int64?

  /// Decode numbers start this far below 0 at most, which is the reordering depth that encoders have.
  private static let deepestReordering: Int64 = 16

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
    lastDecode = decode
    let decoded =
      decode < 0
      ? start - CMTimeMultiply(usualDuration, multiplier: Int32(clamping: -decode))
      : entry(decode)?.presentation ?? shown.presentation
    let passed = Int(min(max(0, decode - first), Int64(times.count)))
    times.removeFirst(passed)
    first += Int64(passed)
    return CMSampleTimingInfo(
      duration: shown.duration, presentationTimeStamp: shown.presentation, decodeTimeStamp: decoded)
  }

  /// libx265 leaves decode numbers unset where it gets fewer frames than it may reorder: those are counted on.
  private func plausible(_ decode: Int64, _ presentation: Int64) -> Int64 {
    let next = lastDecode.map { $0 + 1 } ?? -2
    return (lastDecode.map { $0 + 1 } ?? -Self.deepestReordering)...max(presentation, next) ~= decode ? decode : next
  }

  private func entry(_ number: Int64) -> (presentation: CMTime, duration: CMTime)? {
    let index = Int(number - first)
    return times.indices.contains(index) ? times[index] : nil
  }
}
