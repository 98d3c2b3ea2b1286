import Compositing
import Foundation

/// What an over is asked for.
struct OverOptions: Sendable {
  enum Background: Sendable {
    /// R'G'B' and alpha, signals of the foreground's own colour.
    case color(SIMD4<Float>)
    case picture(String)
    case movie(String)
  }

  enum Size: Sendable {
    case foreground, background
    case pixels(width: Int, height: Int)
  }

  enum Sound: String, CaseIterable, Sendable {
    case foreground, background, both
    case nobody = "none"
  }

  enum Length: String, CaseIterable, Sendable {
    case foreground, background, shortest, longest
  }

  enum Rate: Sendable {
    case foreground, background
    case constant(FrameRate)
  }

  let foreground: String
  let background: Background
  /// Nil is what the movie says.
  let alpha: AlphaMode?
  let isLinear: Bool
  let encoding: EncodingOptions
  let keepsAlpha: Bool
  let size: Size
  let backgroundFit: Placement.Fit
  let foregroundFit: Placement.Fit
  let position: (x: Double, y: Double)
  /// Nil is the foreground's, or the background's where the foreground has none.
  let sound: Sound?
  let length: Length
  let loops: Bool
  let holds: Bool
  let rate: Rate

  init(_ invocation: Invocation) throws {
    foreground = invocation.operand("FOREGROUND")
    background = try Self.background(invocation.operand("BACKGROUND"), invocation)
    alpha = Self.alphaModes[invocation.value("alpha") ?? ""]
    isLinear = invocation.has("linear")
    let isMPEG4 = OutputFormat.isMPEG4(invocation.value("output") ?? "")
    encoding = try EncodingOptions(invocation, standard: isMPEG4 ? .hevc : .prores4444)
    keepsAlpha = invocation.has("keep-alpha")
    size = try Self.size(invocation)
    backgroundFit = invocation.value("fit").flatMap(Placement.Fit.init) ?? .fill
    foregroundFit = invocation.value("foreground-fit").flatMap(Placement.Fit.init) ?? .fit
    position = Self.positions[invocation.value("position") ?? "center"] ?? (0.5, 0.5)
    sound = invocation.value("sound").flatMap(Sound.init)
    length = invocation.value("length").flatMap(Length.init) ?? .foreground
    loops = invocation.has("loop")
    holds = invocation.has("hold")
    rate = try Self.rate(invocation)
    if keepsAlpha, !encoding.codec.is4444 {
      throw UsageError(
        "the codec \(encoding.codec.rawValue) keeps no alpha: '--keep-alpha' needs prores-4444 or prores-4444xq",
        path: invocation.path)
    }
    if loops, holds { throw UsageError("'--loop' and '--hold' exclude each other", path: invocation.path) }
  }

  /// The files that are read.
  var inputs: [String] {
    switch background {
    case .color: [foreground]
    case .picture(let path), .movie(let path): [foreground, path]
    }
  }

  static let alphaModes: [String: AlphaMode] = [
    "straight": .straight, "premultiplied": .premultiplied, "premultiplied-white": .premultipliedWhite,
  ]

  static let positions: [String: (x: Double, y: Double)] = [
    "center": (0.5, 0.5), "top": (0.5, 0), "bottom": (0.5, 1), "left": (0, 0.5), "right": (1, 0.5),
    "top-left": (0, 0), "top-right": (1, 0), "bottom-left": (0, 1), "bottom-right": (1, 1),
  ]

  // MARK: Words of the command line

  private static func background(_ word: String, _ invocation: Invocation) throws -> Background {
    if !FileManager.default.fileExists(atPath: word) {
      if let color = PlainColor(word) { return .color(color.pixel) }
      if word.hasPrefix("#") {
        throw UsageError(
          "a colour is written as '#102030', or '#10203080' with its alpha, not '\(word)'", path: invocation.path)
      }
    }
    let ending = URL(fileURLWithPath: word).pathExtension.lowercased()
    return ["png", "exr"].contains(ending) ? .picture(word) : .movie(word)
  }

  private static func size(_ invocation: Invocation) throws -> Size {
    switch invocation.value("size") {
    case nil, "foreground": return .foreground
    case "background": return .background
    case let text?:
      let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
      guard sides.count == 2, sides.allSatisfy(Failure.encodedSides.contains) else {
        let (least, most) = (Failure.encodedSides.lowerBound, Failure.encodedSides.upperBound)
        throw UsageError(
          "'--size' takes 'foreground', 'background', or a size such as 1920x1080 with sides from \(least) to \(most), "
            + "not '\(text)'", path: invocation.path)
      }
      return .pixels(width: sides[0], height: sides[1])
    }
  }

  private static func rate(_ invocation: Invocation) throws -> Rate {
    switch invocation.value("rate") {
    case nil, "foreground": return .foreground
    case "background": return .background
    case let text?:
      guard let rate = FrameRate(text) else {
        throw UsageError(
          "'--rate' takes 'foreground', 'background', or frames a second such as 25 or 24000/1001, not '\(text)'",
          path: invocation.path)
      }
      return .constant(rate)
    }
  }
}

/// A colour that is written on the command line.
struct PlainColor {
  let pixel: SIMD4<Float>

  /// `#102030`, `#10203080` with alpha, `#123`, or a name.
  init?(_ word: String) {
    if let named = Self.names[word.lowercased()] {
      pixel = named
      return
    }
    let digits = word.dropFirst()
    guard word.hasPrefix("#"), digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
    let size = digits.count == 3 ? 1 : 2
    guard [3, 6, 8].contains(digits.count) else { return nil }
    let parts = stride(from: 0, to: digits.count, by: size).map { start -> Float in
      let part = digits.dropFirst(start).prefix(size)
      return Float(Int(size == 1 ? part + part : part, radix: 16) ?? 0) / 255
    }
    pixel = SIMD4(parts[0], parts[1], parts[2], parts.count == 4 ? parts[3] : 1)
  }

  private static let names: [String: SIMD4<Float>] = [
    "black": SIMD4(0, 0, 0, 1), "white": SIMD4(1, 1, 1, 1), "grey": SIMD4(0.5, 0.5, 0.5, 1),
    "gray": SIMD4(0.5, 0.5, 0.5, 1), "red": SIMD4(1, 0, 0, 1), "green": SIMD4(0, 1, 0, 1),
    "blue": SIMD4(0, 0, 1, 1), "transparent": .zero,
  ]
}
