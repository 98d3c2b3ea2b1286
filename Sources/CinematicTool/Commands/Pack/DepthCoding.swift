import CoreVideo
import Foundation
package import QuickTime

/// What the samples of a depth picture mean.
package struct DepthCoding: Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// The code of the disparity track: equal steps of the code are equal factors of disparity.
    case log
    /// Black to white is the range's minimum to maximum of disparity.
    case linear
    /// Black to white is the range's minimum to maximum of distance in metres.
    case inverse
    /// Distance: whole numbers are millimetres with 0 for unknown, floating point numbers metres.
    case metric

    /// The range where none is given: 1/m, for `inverse` metres.
    package var standardRange: ClosedRange<Double> {
      switch self {
      case .log: 0...16
      case .linear: 0...4
      case .inverse: 0.25...10
      case .metric: 0.05...1000
      }
    }
  }

  /// How whole numbers use their bits.
  package enum Levels: Sendable {
    case full
    /// Black is 16 and white 235 of 255, as in video.
    case video
  }

  package let kind: Kind
  package let range: ClosedRange<Double>

  /// The coding of the disparity track that is written: the same for `log`, so that codes stay as they are.
  package let track: DisparityCoding

  /// Nil for a range that the coding cannot have.
  package init?(_ kind: Kind, range: ClosedRange<Double>?) {
    self.kind = kind
    self.range = range ?? kind.standardRange
    switch kind {
    case .log:
      guard let coding = DisparityCoding(minimum: self.range.lowerBound, maximum: self.range.upperBound) else {
        return nil
      }
      track = coding
    case .inverse, .metric:
      guard self.range.lowerBound > 0 else { return nil }
      track = .standard
    case .linear:
      guard self.range.lowerBound >= 0 else { return nil }
      track = .standard
    }
    guard self.range.lowerBound < self.range.upperBound else { return nil }
  }

  /// The disparity of a whole number of `bits` bits.
  package func disparity(code: Int, bits: Int, levels: Levels) -> Float {
    if kind == .metric { return code == 0 ? 0 : Float(1 / clamp(Double(code) / 1000)) }
    let white = Double((1 << bits) - 1)
    let unit = Double(1 << (bits - 8))
    let share = levels == .full ? Double(code) / white : (Double(code) - 16 * unit) / (219 * unit)
    return disparity(share: min(max(share, 0), 1))
  }

  /// The disparity of a floating point number: 0…1 from black to white, or metres. NaN counts as farthest.
  package func disparity(number: Float) -> Float {
    guard !number.isNaN else { return 0 }
    if kind == .metric { return number > 0 ? Float(1 / clamp(Double(number))) : 0 }
    return disparity(share: Double(min(max(number, 0), 1)))
  }

  private func disparity(share: Double) -> Float {
    let (low, high) = (range.lowerBound, range.upperBound)
    switch kind {
    case .log: return Float(low - 1 + pow(high - low + 1, share))
    case .linear: return Float(low + share * (high - low))
    case .inverse, .metric: return Float(1 / (low + share * (high - low)))
    }
  }

  private func clamp(_ metres: Double) -> Double { min(max(metres, range.lowerBound), range.upperBound) }
}
