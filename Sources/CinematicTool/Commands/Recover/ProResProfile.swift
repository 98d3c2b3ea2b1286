import ProRes
import QuickTime

/// The members of the ProRes family, which only a movie's index names.
enum ProResProfile: String, CaseIterable, Sendable {
  case proxy, lt
  case standard = "422"
  case hq
  case p4444 = "4444"
  case p4444XQ = "4444xq"

  var codec: FourCC {
    switch self {
    case .proxy: "apco"
    case .lt: "apcs"
    case .standard: "apcn"
    case .hq: "apch"
    case .p4444: "ap4h"
    case .p4444XQ: "ap4x"
    }
  }

  var name: String {
    let names = ["422 Proxy", "422 LT", "422", "422 HQ", "4444", "4444 XQ"]
    return "Apple ProRes " + names[Self.allCases.firstIndex(of: self) ?? 0]
  }

  var chroma: ProResFrameHeader.Chroma { self == .p4444 || self == .p4444XQ ? .full : .halved }
}

/// A profile that was told from frames, and by what.
struct GuessedProfile: Sendable {
  var profile: ProResProfile
  /// Such as "their quantisation matrix": what the guess rests on.
  var reason: String

  /// What one frame says.
  struct Evidence: Sendable {
    let chroma: ProResFrameHeader.Chroma
    /// The mean weight of the luma matrix.
    let weight: Double
    /// Whether all weights are alike, as where the header carries no matrix.
    let isFlat: Bool
    let bitsPerPixel: Double

    init(_ header: ProResFrameHeader) {
      chroma = header.chroma
      weight = Double(header.lumaMatrix.reduce(0) { $0 + Int($1) }) / 64
      isFlat = Set(header.lumaMatrix).count == 1
      bitsPerPixel = Double(header.frameByteCount) * 8 / Double(header.width * header.height)
    }
  }

  /// The mean weights of the luma matrices that encoders, Apple's and others, use for the 4:2:2 profiles; measured.
  private static let weights: [(ProResProfile, Double)] = [
    (.proxy, 40.6), (.lt, 14.4), (.standard, 8.3), (.hq, 4.4),
  ]
  /// Bits a pixel of the profiles' nominal rates: 45, 102, 147 and 220 Mbit/s for 1920x1080 at 29.97.
  private static let rates: [(ProResProfile, Double)] = [(.proxy, 0.72), (.lt, 1.64), (.standard, 2.37), (.hq, 3.54)]

  /// The likeliest profile of frames of one chroma format, of which there is at least one.
  init(_ frames: [Evidence]) {
    let last = frames[frames.count - 1]
    guard last.chroma == .halved else {
      // Weights below 4, the least of all other profiles, are XQ's.
      let isXQ = frames.allSatisfy { $0.weight < 4 }
      self.init(profile: isXQ ? .p4444XQ : .p4444, reason: isXQ ? "4:4:4 with XQ's quantisation matrix" : "4:4:4")
      return
    }
    let weight = Self.median(frames.map(\.weight))
    if !last.isFlat, let found = Self.nearest(weight, Self.weights), found.ratio < 1.3 {
      self.init(profile: found.profile, reason: "4:2:2 with its quantisation matrix")
    } else {
      let rate = Self.median(frames.map(\.bitsPerPixel))
      self.init(
        profile: Self.nearest(rate, Self.rates)?.profile ?? .standard,
        reason: "4:2:2 with \((rate * 100).rounded() / 100) bits a pixel")
    }
  }

  private init(profile: ProResProfile, reason: String) {
    self.profile = profile
    self.reason = reason
  }

  /// The entry whose number is nearest by ratio, and that ratio, 1 or more.
  private static func nearest(
    _ number: Double, _ table: [(ProResProfile, Double)]
  ) -> (profile: ProResProfile, ratio: Double)? {
    table.map { ($0.0, max($0.1 / number, number / $0.1)) }.min { $0.1 < $1.1 }
  }

  private static func median(_ numbers: [Double]) -> Double { numbers.sorted()[numbers.count / 2] }
}
