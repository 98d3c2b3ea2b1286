import Foundation

/// The sound of the sample movie: plucked notes over a quiet chord, the same on every machine.
struct Music: Sendable {
  static let sampleRate = 48_000
  static let channels = 2

  private static let pulse = 0.25
  private static let melody: [Double] = [0, 7, 12, 16, 19, 16, 12, 7, -3, 4, 9, 12, 16, 12, 9, 4]

  /// Interleaved stereo, -1…1: `count` frames from frame `start`.
  func samples(from start: Int, count: Int) -> [Float] {
    var result = [Float](repeating: 0, count: count * Self.channels)
    for i in 0..<count {
      let (left, right) = level(at: Double(start + i) / Double(Self.sampleRate))
      result[2 * i] = left
      result[2 * i + 1] = right
    }
    return result
  }

  /// A note rings on while the next three begin, so that none is cut off.
  private func level(at time: Double) -> (Float, Float) {
    let note = Int(time / Self.pulse)
    var left = 0.0
    var right = 0.0
    for index in max(0, note - 3)...note {
      let age = time - Double(index) * Self.pulse
      let pan = 0.5 + 0.35 * sin(Double(index) * 1.7)
      let tone = Self.pluck(semitones: Self.melody[index % Self.melody.count], age: age)
      left += tone * (1 - pan)
      right += tone * pan
    }
    return (Float(left), Float(right))
  }

  private static func pluck(semitones: Double, age: Double) -> Double {
    let pitch = 220 * pow(2, semitones / 12)
    let attack = min(1, age / 0.004)
    return (1...4).reduce(0) { sum, partial in
      let n = Double(partial)
      return sum + 0.32 / n * sin(2 * .pi * pitch * n * age) * exp(-age * (3.2 + 1.6 * n))
    } * attack
  }
}
