import Foundation

/// The curve that brings HDR to SDR; SDR pictures stay as they are.
public enum ToneMap: String, Hashable, Sendable, CaseIterable {
  /// The picture keeps its transfer function.
  case none
  /// ITU-R BT.2446 method A to a display of 100 cd/m².
  case bt2446A = "bt2446a"
  /// ITU-R BT.2390 electrical-electrical transfer function on the largest component, to a display of 203 cd/m², where
  /// reference white is.
  case bt2390
}

/// Light of an HDR picture to an SDR signal in BT.709.
struct ToneMapper: Sendable {
  private let curve: ToneMap
  let isSceneLight: Bool
  let toBT2020: ColorMatrix
  let toBT709: ColorMatrix
  /// Luminance of the display whose light is mapped, in cd/m².
  let peak: Float
  let systemGamma: OctaveTable
  /// v → v^(1/2.4).
  let gammaSignal: OctaveTable
  let curveTable: OctaveTable

  private static let displayGamma: Float = 2.4

  /// Returns nil where there is nothing to map.
  ///
  /// - Parameter peak: the brightest that the picture means, in cd/m²; HLG is shown as on a display of this peak.
  init?(_ curve: ToneMap, color: ColorDescription, peak: Float = 1000) {
    guard curve != .none, color.transfer.isHDR else { return nil }
    self.curve = curve
    self.peak = peak
    isSceneLight = color.transfer == .hlg
    toBT2020 = color.primaries == .p3 ? .p3ToBT2020 : color.primaries == .bt709 ? .bt709ToBT2020 : .identity
    toBT709 = .bt2020ToBT709
    // BT.2100, note 5f: the exponent of the OOTF for other displays than 1000 cd/m².
    let gamma = 1.2 + 0.42 * log10(peak / 1000)
    systemGamma = OctaveTable { pow($0, gamma - 1) }
    gammaSignal = OctaveTable { pow($0, 1 / ToneMapper.displayGamma) }
    curveTable =
      curve == .bt2446A
      ? OctaveTable { ToneMapper.methodA(min($0, 1), peak: peak) }
      : OctaveTable { ToneMapper.transfer2390(min($0, 1), peak: peak) }
  }

  /// The BT.709 signal, each component 0…1, of light in units of reference white.
  @inline(__always)
  func signal(_ light: SIMD4<Float>) -> SIMD4<Float> {
    let display = displayLight(light)
    let mapped = curve == .bt2446A ? mapA(display) : map2390(display)
    let inGamut = ToneMapper.clipped(toBT709(mapped))
    return SIMD4(gammaSignal(inGamut.x), gammaSignal(inGamut.y), gammaSignal(inGamut.z), light.w)
  }

  /// BT.2020 display light, 1 = peak.
  @inline(__always)
  private func displayLight(_ light: SIMD4<Float>) -> SIMD4<Float> {
    let wide = toBT2020(light)
    guard isSceneLight else { return wide * (Float(PerceptualQuantiser.referenceWhite) / peak) }
    let scene = wide * Float(HybridLogGamma.referenceWhite)
    return scene * systemGamma(max(YCbCrMatrix.bt2020.luma(scene), 0))
  }

  /// BT.2446-1, 4.2: the curve on luma, and chroma scaled with it.
  @inline(__always)
  private func mapA(_ light: SIMD4<Float>) -> SIMD4<Float> {
    let rgb = SIMD4(gammaSignal(light.x), gammaSignal(light.y), gammaSignal(light.z), 0)
    let matrix = YCbCrMatrix.bt2020
    let luma = max(matrix.luma(rgb), 1e-6)
    let mapped = curveTable(luma)
    let chroma = matrix.chroma(rgb) * (mapped / (1.1 * luma))
    let corrected = mapped - max(0.1 * chroma.y, 0)
    let signal = matrix.rgb(corrected, chroma.x, chroma.y, alpha: 0)
    return SIMD4(ToneMapper.power(signal.x), ToneMapper.power(signal.y), ToneMapper.power(signal.z), 0)
  }

  @inline(__always)
  private func map2390(_ light: SIMD4<Float>) -> SIMD4<Float> {
    let largest = max(light.x, light.y, light.z)
    return largest > 1e-7 ? light * (curveTable(largest) / largest) : .zero
  }

  private static func power(_ signal: Float) -> Float { pow(max(signal, 0), displayGamma) }

  /// Colours outside the gamut move towards grey of the same luminance until no component is negative.
  @inline(__always)
  static func clipped(_ light: SIMD4<Float>) -> SIMD4<Float> {
    let luminance = max(YCbCrMatrix.bt709.luma(light), 0)
    let least = min(light.x, light.y, light.z)
    var inside = light
    if least < 0 {
      let share = luminance / (luminance - least)
      inside = SIMD4(repeating: luminance) + (light - luminance) * share
    }
    // In place of `clamped`, which the compiler does one component after the other.
    let positive = inside.replacing(with: 0, where: inside .< 0)
    return positive.replacing(with: 1, where: positive .> 1)
  }

  /// BT.2446-1, 4.2, steps 1 to 3, from and to luma 0…1.
  private static func methodA(_ luma: Float, peak: Float) -> Float {
    let source = 1 + 32 * pow(peak / 10_000, 1 / displayGamma)
    let target = 1 + 32 * pow(Float(100) / 10_000, 1 / displayGamma)
    let perceptual = log(1 + (source - 1) * luma) / log(source)
    let compressed: Float =
      switch perceptual {
      case ...0.7399: 1.077 * perceptual
      case ..<0.9909: (-1.151 * perceptual + 2.7811) * perceptual - 0.6302
      default: 0.5 * perceptual + 0.5
      }
    return (pow(target, compressed) - 1) / (target - 1)
  }

  /// BT.2390-8, 5.4.1 without black-level lift, from light with 1 = peak to light with 1 = 203 cd/m².
  private static func transfer2390(_ light: Float, peak: Float) -> Float {
    let target = PerceptualQuantiser.referenceWhite
    let scale = PerceptualQuantiser.signal(Double(peak))
    let most = PerceptualQuantiser.signal(target) / scale
    let knee = 1.5 * most - 0.5
    var signal = PerceptualQuantiser.signal(Double(light * peak)) / scale
    if signal > knee {
      let t = (signal - knee) / (1 - knee)
      let (t2, t3) = (t * t, t * t * t)
      signal = (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (-2 * t3 + 3 * t2) * most
    }
    return Float(PerceptualQuantiser.luminance(signal * scale) / target)
  }
}

/// A linear map of colours by columns.
struct ColorMatrix: Sendable {
  let red: SIMD4<Float>
  let green: SIMD4<Float>
  let blue: SIMD4<Float>

  @inline(__always)
  func callAsFunction(_ color: SIMD4<Float>) -> SIMD4<Float> {
    red * color.x + green * color.y + blue * color.z
  }

  static let identity = ColorMatrix(red: SIMD4(1, 0, 0, 0), green: SIMD4(0, 1, 0, 0), blue: SIMD4(0, 0, 1, 0))
  /// ITU-R BT.2407, 2.
  static let bt2020ToBT709 = ColorMatrix(
    red: SIMD4(1.660_491, -0.124_550, -0.018_151, 0), green: SIMD4(-0.587_641, 1.132_900, -0.100_579, 0),
    blue: SIMD4(-0.072_850, -0.008_349, 1.118_730, 0))
  /// ITU-R BT.2087, 2.
  static let bt709ToBT2020 = ColorMatrix(
    red: SIMD4(0.627_404, 0.069_097, 0.016_391, 0), green: SIMD4(0.329_283, 0.919_540, 0.088_013, 0),
    blue: SIMD4(0.043_313, 0.011_362, 0.895_595, 0))
  /// From the primaries of SMPTE EG 432-1 with D65 to those of BT.2020.
  static let p3ToBT2020 = ColorMatrix(
    red: SIMD4(0.753_833, 0.045_744, -0.001_210, 0), green: SIMD4(0.198_597, 0.941_777, 0.017_602, 0),
    blue: SIMD4(0.047_570, 0.012_479, 0.983_609, 0))
}
