import Foundation
import ProRes
import ProResClips

/// One clip's figures, in nanoseconds a pixel.
struct ClipTable {
  let clip: BenchClip
  let bitsPerPixel: Double
  /// libavcodec to planes, and to AYUV64 with libswscale.
  let library: Double
  let converted: Double
  let planes: Double
  /// y416 of 4444, v216 of 422.
  let packed: Double
  let half: Double
  let quarter: Double
  let eighth: Double
  /// As time passes, on one thread and two.
  let one: Double
  let two: Double

  init(_ clip: BenchClip, _ options: Options, _ texture: Texture) throws {
    self.clip = clip
    let settings = clip.settings(options)
    let made = try ProResClip(settings, texture.code)
    bitsPerPixel = made.bitsPerPixel
    let pixels = Double(settings.width * settings.height * settings.frames)
    let layout: ProResLayout = clip.profile.is4444 ? .y416 : .v216
    var ways: [() throws -> Void] = [
      try OurRun(made).run, try OurRun(made, layout).run, try OurRun(made, scale: .half).run,
      try OurRun(made, scale: .quarter).run, try OurRun(made, scale: .eighth).run,
    ]
    let library = try LibraryDecoder(settings)
    ways.append { for sample in made.samples { try library.decode(sample) } }
    ways.append {
      for sample in made.samples {
        try library.decode(sample)
        try library.convertToAYUV64()
      }
    }
    let medians = try Stopwatch(clock: .processor, runs: options.runs, pixels: pixels).medians(ways)
    (planes, packed, half, quarter, eighth) = (medians[0], medians[1], medians[2], medians[3], medians[4])
    (self.library, converted) = (medians[5], medians[6])
    let passing = try Stopwatch(clock: .wall, runs: options.runs, pixels: pixels).medians([
      try OurRun(made).run, try OurRun(made, threads: 2).run,
    ])
    (one, two) = (passing[0], passing[1])
  }
}

extension ClipTable {
  /// Decodes the clips to planes again and again, for a look with a profiler.
  static func profile(_ options: Options, _ texture: Texture) throws {
    for clip in BenchClip.all where options.only.isEmpty || options.only.contains(clip.name) {
      let settings = clip.settings(options)
      let made = try ProResClip(settings, texture.code)
      let run = try OurRun(made, scale: ProResScale(rawValue: options.scale) ?? .full, threads: options.threads ?? 1)
      let pixels = Double(settings.width * settings.height * settings.frames)
      let watch = Stopwatch(clock: options.threads == nil ? .processor : .wall, runs: 1, pixels: pixels)
      let best = try (0..<options.runs).map { _ in try watch.medians([run.run])[0] }.min()!
      print(clip.name, String(format: "%.2f", best))
    }
  }

  /// Writes the clips' frames, one after the other, a file a clip.
  static func write(_ options: Options, to folder: String, _ texture: Texture) throws {
    for clip in BenchClip.all where options.only.isEmpty || options.only.contains(clip.name) {
      let made = try ProResClip(clip.settings(options), texture.code)
      let file = URL(filePath: folder).appending(path: clip.name + ".prores")
      try Data(made.samples.joined()).write(to: file)
      print(file.path, String(format: "%.2f bits a pixel", made.bitsPerPixel))
    }
  }

  static let head = [
    "clip", "bits/px", "libavcodec", "planes", "ratio", "y416/v216", "over planes", "over AYUV64", "1/2", "1/4", "1/8",
    "ratio", "two threads",
  ]

  var row: [String] {
    func number(_ value: Double?) -> String { value.map { String(format: "%.2f", $0) } ?? "-" }
    func ratio(_ other: Double?, _ value: Double) -> String {
      other.map { String(format: $0 / value < 10 ? "x%.2f" : "x%.0f", $0 / value) } ?? "-"
    }
    return [
      clip.name, number(bitsPerPixel), number(library), number(planes), ratio(library, planes), number(packed),
      ratio(library, packed), clip.profile.is4444 ? ratio(converted, packed) : "-", number(half), number(quarter),
      number(eighth), ratio(library, eighth), ratio(one, two),
    ]
  }

  var json: [String: Any] {
    [
      "clip": clip.name, "bitsPerPixel": bitsPerPixel, "planes": planes, "packed": packed, "half": half,
      "quarter": quarter, "eighth": eighth, "oneThread": one, "twoThreads": two, "libavcodec": library,
      "libavcodecAYUV64": converted,
    ]
  }
}
