import Foundation

/// How light is coded as a signal.
///
/// Linear light is in units of reference white: an SDR signal of 1, an HLG signal of 0.75, a PQ signal of 203 cd/m²
/// (ITU-R BT.2408). HLG is taken as scene light, without the display's OOTF. Negative values are coded as their
/// opposites' opposites.
package enum TransferFunction: Hashable, Sendable {
  case linear
  /// ITU-R BT.709, BT.601 and BT.2020.
  case bt709
  case smpte240M
  case sRGB
  /// ITU-R BT.2100 hybrid log-gamma.
  case hlg
  /// ITU-R BT.2100 perceptual quantiser, SMPTE ST 2084.
  case pq
  /// A pure power.
  case gamma(Float)

  /// Whether the signal reaches far above reference white.
  var isHDR: Bool { self == .hlg || self == .pq }

  /// The light of a signal.
  package func light(_ signal: Float) -> Float {
    let value = Double(abs(signal))
    return Float(signal < 0 ? -positiveLight(value) : positiveLight(value))
  }

  /// The signal for light.
  package func signal(_ light: Float) -> Float {
    let value = Double(abs(light))
    return Float(light < 0 ? -positiveSignal(value) : positiveSignal(value))
  }

  private func positiveLight(_ v: Double) -> Double {
    switch self {
    case .linear: v
    case .bt709: v < 4.5 * Knee.bt709 ? v / 4.5 : pow((v + Knee.bt709Offset) / (1 + Knee.bt709Offset), 1 / 0.45)
    case .smpte240M: v < 4 * 0.022_821_585 ? v / 4 : pow((v + 0.111_572_196) / 1.111_572_196, 1 / 0.45)
    case .sRGB: v <= 0.040_45 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4)
    case .hlg: HybridLogGamma.light(v) / HybridLogGamma.referenceWhite
    case .pq: PerceptualQuantiser.luminance(v) / PerceptualQuantiser.referenceWhite
    case .gamma(let power): pow(v, Double(power))
    }
  }

  private func positiveSignal(_ v: Double) -> Double {
    switch self {
    case .linear: v
    case .bt709: v < Knee.bt709 ? 4.5 * v : (1 + Knee.bt709Offset) * pow(v, 0.45) - Knee.bt709Offset
    case .smpte240M: v < 0.022_821_585 ? 4 * v : 1.111_572_196 * pow(v, 0.45) - 0.111_572_196
    case .sRGB: v <= 0.003_130_8 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055
    case .hlg: HybridLogGamma.signal(v * HybridLogGamma.referenceWhite)
    case .pq: PerceptualQuantiser.signal(v * PerceptualQuantiser.referenceWhite)
    case .gamma(let power): pow(v, 1 / Double(power))
    }
  }

  /// Where BT.709's straight and curved parts meet smoothly.
  private enum Knee {
    static let bt709 = 0.018_053_968_510_807
    static let bt709Offset = 0.099_296_826_809_44
  }
}

/// ITU-R BT.2100, table 5.
enum HybridLogGamma {
  private static let a = 0.178_832_77
  private static let b = 1 - 4 * a
  private static let c = 0.5 - a * log(4 * a)
  /// Of the display of 1000 cd/m².
  static let systemGamma: Float = 1.2
  /// Scene light, 0…1, of reference white.
  static let referenceWhite = light(0.75)

  static func light(_ signal: Double) -> Double {
    signal <= 0.5 ? signal * signal / 3 : (exp((signal - c) / a) + b) / 12
  }

  static func signal(_ light: Double) -> Double {
    light <= 1.0 / 12 ? (3 * light).squareRoot() : a * log(12 * light - b) + c
  }
}

/// ITU-R BT.2100, table 4.
enum PerceptualQuantiser {
  private static let m1 = 2610.0 / 16384
  private static let m2 = 2523.0 / 4096 * 128
  private static let c1 = 3424.0 / 4096
  private static let c2 = 2413.0 / 4096 * 32
  private static let c3 = 2392.0 / 4096 * 32
  /// In cd/m².
  static let referenceWhite = 203.0

  /// In cd/m².
  static func luminance(_ signal: Double) -> Double {
    let p = pow(min(signal, 1), 1 / m2)
    return 10_000 * pow(max(p - c1, 0) / (c2 - c3 * p), 1 / m1)
  }

  /// - Parameter luminance: in cd/m².
  static func signal(_ luminance: Double) -> Double {
    let p = pow(min(luminance, 10_000) / 10_000, m1)
    return pow((c1 + c2 * p) / (1 + c3 * p), m2)
  }
}
