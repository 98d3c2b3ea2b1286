package import AVFoundation

/// Frames a second, exactly.
package struct FrameRate: Hashable, Sendable {
  package let frames: Int32
  package let seconds: Int32

  /// Up to a thousand a second; each of the two numbers from 1 to a million.
  package init?(_ frames: Int, per seconds: Int = 1) {
    guard 1...1_000_000 ~= frames, 1...1_000_000 ~= seconds, frames <= 1000 * seconds else { return nil }
    let divisor = Self.greatestCommonDivisor(frames, seconds)
    (self.frames, self.seconds) = (Int32(frames / divisor), Int32(seconds / divisor))
  }

  /// `25`, `24000/1001`, or a decimal number: 23.976, 29.97 and their like stand for the exact rates of NTSC.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    if parts.count == 2 {
      guard let frames = Int(parts[0]), let seconds = Int(parts[1]) else { return nil }
      self.init(frames, per: seconds)
    } else if let whole = Int(text) {
      self.init(whole)
    } else if let number = Double(text), number.isFinite, 0...1000 ~= number {
      let next = number.rounded(.up)
      // Written with two or three digits: 23.98 and 23.976 are 24000/1001.
      let isNTSC = next != number && abs(next * 1000 / 1001 - number) < 0.006
      self.init(Int(isNTSC ? next * 1000 : (number * 1000).rounded()), per: isNTSC ? 1001 : 1000)
    } else {
      return nil
    }
  }

  /// The rate of a frame header's code (RDD 36, table 4); nil where it names none.
  package init?(code: Int) {
    let rates = [
      (24_000, 1001), (24, 1), (25, 1), (30_000, 1001), (30, 1), (50, 1), (60_000, 1001), (60, 1), (100, 1),
      (120_000, 1001), (120, 1),
    ]
    guard rates.indices.contains(code - 1) else { return nil }
    self.init(rates[code - 1].0, per: rates[code - 1].1)
  }

  /// Of frames that last so long each; nil where that is no length, or beyond the limits.
  package init?(frameDuration: CMTime) {
    guard frameDuration.isNumeric else { return nil }
    self.init(Int(frameDuration.timescale), per: Int(frameDuration.value))
  }

  /// What is taken where nothing is known.
  static let usual = FrameRate(wholeFrames: 25)

  private init(wholeFrames: Int32) { (frames, seconds) = (wholeFrames, 1) }

  private static func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
    b == 0 ? a : greatestCommonDivisor(b, a % b)
  }

  /// How long a frame is shown; the time scale is fine enough for sound and cuts.
  package var frameDuration: CMTime {
    let factor = max(1, 600 / frames)
    return CMTime(value: Int64(seconds * factor), timescale: frames * factor)
  }

  var framesPerSecond: Double { Double(frames) / Double(seconds) }

  var text: String { seconds == 1 ? "\(frames)" : "\(frames)/\(seconds)" }
}

extension Invocation {
  /// The option's value as a frame rate; `UsageError` otherwise.
  func frameRate(_ option: String) throws -> FrameRate? {
    guard let text = value(option) else { return nil }
    if let rate = FrameRate(text) { return rate }
    throw UsageError("'--\(option)' takes frames a second such as 25, 23.976 or 24000/1001, not '\(text)'", path: path)
  }
}
