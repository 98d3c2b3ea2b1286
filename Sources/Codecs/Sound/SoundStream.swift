internal import CoreMedia
internal import CoreVideo
internal import Foundation

/// Uncompressed sound on its way out: cuts it into sample buffers with exact times.
///
/// Time is counted in sample frames from an anchor; a jump of the input's times by more than 20 ms sets a new one.
struct SoundClock {
  private static let tolerance = 0.02
  private var anchor = CMTime.invalid
  private var emitted: Int64 = 0
  private var inputAnchor = CMTime.invalid
  private var consumed: Int64 = 0

  /// Tells the clock when the next input frames belong.
  mutating func expect(_ time: CMTime, inputRate: Double) {
    guard time.isNumeric else { return }
    // Before anything has come out, as while priming is trimmed, any jump counts.
    if inputAnchor.isNumeric, consumed > 0 {
      let expected = inputAnchor.seconds + Double(consumed) / inputRate
      if abs(expected - time.seconds) <= Self.tolerance { return }
    }
    (anchor, inputAnchor) = (time, time)
    (emitted, consumed) = (0, 0)
  }

  mutating func consume(_ frames: Int) { consumed += Int64(frames) }

  /// The time of the next output frames.
  mutating func place(_ frames: Int, rate: Double) -> CMTime {
    defer { emitted += Int64(frames) }
    let start = anchor.isNumeric ? anchor : .zero
    guard let timescale = CMTimeScale(exactly: rate) else {
      return start + CMTime(seconds: Double(emitted) / rate, preferredTimescale: 1_000_000)
    }
    return start + CMTime(value: emitted, timescale: timescale)
  }
}

extension CMSampleBuffer {
  /// Stored PCM frames from a time on.
  static func sound(_ data: Data, layout: PCMLayout, format: CMFormatDescription, at time: CMTime) throws
    -> CMSampleBuffer
  {
    let duration =
      CMTimeScale(exactly: layout.sampleRate).map { CMTime(value: 1, timescale: $0) }
      ?? CMTime(seconds: 1 / layout.sampleRate, preferredTimescale: 1_000_000)
    return try CMSampleBuffer(
      dataBuffer: CMBlockBuffer(copying: data), formatDescription: format,
      numSamples: data.count / layout.bytesPerFrame,
      sampleTimings: [CMSampleTimingInfo(duration: duration, presentationTimeStamp: time, decodeTimeStamp: .invalid)],
      sampleSizes: [layout.bytesPerFrame])
  }

  /// A duration attached to the buffer, as whole sample frames; 0 where there is none.
  func trim(_ key: String, rate: Double) -> Int {
    let value = CMGetAttachment(self, key: key, attachmentModeOut: nil)
    let time = value as? CMTime ?? (value as? [String: Any]).map { CMTimeMakeFromDictionary($0) } ?? .zero
    guard time.isNumeric, time.seconds > 0 else { return 0 }
    return Int(min((time.seconds * rate).rounded(), 1e9))
  }
}
