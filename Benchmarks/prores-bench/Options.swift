import Foundation
import ProResClips

/// What the command line asks for.
struct Options {
  var size = (width: 1920, height: 1080)
  var frames = 4
  var runs = 5
  var only: [String] = []
  /// Our planes alone, for a look with a profiler.
  var isOursOnly = false
  var scale = 1
  var threads: Int?
  /// The folder that clips are written to, in place of measuring.
  var folder: String?
  var isJSON = false

  static let usage = """
    usage: prores-bench [options]
      --size WxH      of the pictures (1920x1080)
      --frames N      of each clip (4)
      --runs N        whose median is given (5)
      --only CLIP,…   some of \(BenchClip.all.map(\.name).joined(separator: ", "))
      --ours          our planes alone, the best run, for a look with a profiler
      --scale N       for --ours: 1, 2, 4 or 8 (1)
      --threads N     for --ours: as time passes on so many (of the processor, on one)
      --write DIR     only writes the clips' frames, one after the other, for prores-device-bench
      --json          one JSON object instead of tables
    """

  init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--ours": isOursOnly = true
      case "--json": isJSON = true
      case "--write": folder = rest.popFirst()
      case "--scale": scale = try Options.count(argument, rest.popFirst())
      case "--threads": threads = try Options.count(argument, rest.popFirst())
      case "--frames": frames = try Options.count(argument, rest.popFirst())
      case "--runs": runs = try Options.count(argument, rest.popFirst())
      case "--only": only = (rest.popFirst() ?? "").split(separator: ",").map(String.init)
      case "--size":
        let sides = (rest.popFirst() ?? "").split(separator: "x").compactMap { Int($0) }
        guard sides.count == 2, sides.allSatisfy({ (16...8192).contains($0) }) else {
          throw UsageError(message: "--size takes WIDTHxHEIGHT")
        }
        size = (sides[0], sides[1])
      default: throw UsageError(message: "prores-bench does not know '\(argument)'")
      }
    }
    for name in only where !BenchClip.all.contains(where: { $0.name == name }) {
      throw UsageError(message: "there is no clip '\(name)'")
    }
  }

  private static func count(_ name: String, _ text: String?) throws(UsageError) -> Int {
    guard let count = text.flatMap({ Int($0) }), (1...10_000).contains(count) else {
      throw UsageError(message: "\(name) takes a number from 1 to 10000")
    }
    return count
  }
}

struct UsageError: Error {
  let message: String
}

/// A clip of moving detail with light noise, as a camera may record it.
struct BenchClip {
  let name: String
  let profile: ProResClip.Profile
  let bitsPerPixel: Double
  var alphaBits = 0

  static let all = [
    BenchClip(name: "proxy", profile: .proxy, bitsPerPixel: 0.6),
    BenchClip(name: "422", profile: .standard, bitsPerPixel: 2.5),
    BenchClip(name: "hq", profile: .hq, bitsPerPixel: 3.75),
    BenchClip(name: "4444", profile: .p4444, bitsPerPixel: 5.6),
    BenchClip(name: "xq", profile: .p4444XQ, bitsPerPixel: 8.4),
    BenchClip(name: "4444-alpha", profile: .p4444, bitsPerPixel: 5.6, alphaBits: 16),
  ]

  func settings(_ options: Options) -> ProResClip.Settings {
    var settings = ProResClip.Settings(profile, options.size.width, options.size.height)
    settings.bitsPerPixel = bitsPerPixel
    settings.frames = options.frames
    settings.alphaBits = alphaBits
    return settings
  }
}
