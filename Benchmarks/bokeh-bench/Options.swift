import Bokeh
import BokehScenes
import Foundation

/// What the command line asks for.
struct Options {
  enum Mode: String, CaseIterable { case quality, speed, both }

  var mode = Mode.both
  /// What was named, or what the mode scores without.
  var named: [BokehQuality]?
  var size: (width: Int, height: Int)?
  var device = "cpu"
  var threads = ProcessInfo.processInfo.activeProcessorCount
  var look = BokehLook()
  var isJSON = false
  /// Every level and focus, instead of three of each.
  var isFull = false
  /// Whether the known ways are scored too.
  var hasBaselines = true
  var scenes: [SceneName] = []
  var sceneFolder: URL?
  var writeFolder: URL?
  var cacheFolder: URL?

  var givens: [GivenDisparity] = [.exact, .third]

  typealias SceneName = String

  static let usage = """
    usage: bokeh-bench [quality|speed|both] [options]
      --device NAME      auto, cpu, vulkan, or a part of a device's name (cpu)
      --quality NAME,…   thumbnail, preview, export, exportHigh, or all (quality: exportHigh, speed: all)
      --size WxH         of the pictures (quality: 640x360, speed: 1920x1080)
      --threads N        of the CPU renderer (all)
      --blades N         speed: an aperture of 5 to 9 blades
      --cat-eye S        speed: optical vignetting, 0 to 1
      --only SCENE,…     some of the painted scenes
      --no-baselines     score the renderer alone
      --given KIND,…     exact, third, sixth, noisy, dilated, eroded disparity (exact and third)
      --full             five levels of blur and ten of focus, instead of three of each
      --scenes DIR       score scenes of others: folders of picture, disparity and truth-<focus>-<K> (.pfm or .phm)
      --write DIR        write result-<focus>-<K>.pfm of each scene there
      --cache DIR        keep the truth of painted scenes there, and take it from there
      --json             one JSON object instead of tables
    """

  init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if let mode = Mode(rawValue: argument) {
        self.mode = mode
        continue
      }
      switch argument {
      case "--json": isJSON = true
      case "--given": givens = try Options.givens(try Options.value(argument, &rest))
      case "--full": isFull = true
      case "--no-baselines": hasBaselines = false
      case "--device": device = try Options.value(argument, &rest)
      case "--quality": named = try Options.qualities(try Options.value(argument, &rest))
      case "--size": size = try Options.size(try Options.value(argument, &rest))
      case "--threads": threads = try Options.count(argument, try Options.value(argument, &rest))
      case "--blades": look.aperture = .polygon(blades: try Options.blades(try Options.value(argument, &rest)))
      case "--cat-eye": look.opticalVignetting = try Options.share(argument, try Options.value(argument, &rest))
      case "--only": scenes = try Options.scenes(try Options.value(argument, &rest))
      case "--scenes": sceneFolder = URL(fileURLWithPath: try Options.value(argument, &rest))
      case "--write": writeFolder = URL(fileURLWithPath: try Options.value(argument, &rest))
      case "--cache": cacheFolder = URL(fileURLWithPath: try Options.value(argument, &rest))
      default: throw UsageError(message: "bokeh-bench does not know '\(argument)'")
      }
    }
  }

  private static func value(_ name: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> String {
    guard let value = rest.popFirst() else { throw UsageError(message: "\(name) needs a value") }
    return value
  }

  private static func scenes(_ text: String) throws(UsageError) -> [String] {
    let names = text.split(separator: ",").map(String.init)
    if let unknown = names.first(where: { SceneKind(rawValue: $0) == nil }) {
      let known = SceneKind.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError(message: "there is no scene '\(unknown)'; there are \(known)")
    }
    return names
  }

  private static func count(_ name: String, _ text: String) throws(UsageError) -> Int {
    guard let count = Int(text), (1...256).contains(count) else {
      throw UsageError(message: "\(name) takes a number from 1 to 256, not '\(text)'")
    }
    return count
  }

  private static func blades(_ text: String) throws(UsageError) -> Int {
    guard let count = Int(text), ApertureShape.bladeCounts.contains(count) else {
      throw UsageError(message: "--blades takes a number from 5 to 9, not '\(text)'")
    }
    return count
  }

  private static func share(_ name: String, _ text: String) throws(UsageError) -> Float {
    guard let share = Float(text), (0...1).contains(share) else {
      throw UsageError(message: "\(name) takes a number from 0 to 1, not '\(text)'")
    }
    return share
  }

  private static func size(_ text: String) throws(UsageError) -> (width: Int, height: Int) {
    let sides = text.split(separator: "x").compactMap { Int($0) }
    guard sides.count == 2, sides.allSatisfy({ (1...16_384).contains($0) }) else {
      throw UsageError(message: "--size takes WIDTHxHEIGHT, not '\(text)'")
    }
    return (sides[0], sides[1])
  }

  private static func qualities(_ text: String) throws(UsageError) -> [BokehQuality] {
    guard text != "all" else { return BokehQuality.allCases }
    var found: [BokehQuality] = []
    for name in text.split(separator: ",") {
      guard let quality = BokehQuality.allCases.first(where: { "\($0)" == name }) else {
        throw UsageError(message: "there is no quality '\(name)'")
      }
      found.append(quality)
    }
    return found
  }
}

extension Options {
  private static func givens(_ text: String) throws(UsageError) -> [GivenDisparity] {
    var found: [GivenDisparity] = []
    for name in text.split(separator: ",") {
      guard let given = GivenDisparity(rawValue: String(name)) else {
        throw UsageError(message: "there is no disparity '\(name)'")
      }
      found.append(given)
    }
    return found
  }
}

struct UsageError: Error {
  let message: String
}
