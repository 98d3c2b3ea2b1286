import Bokeh
import BokehScenes
import Foundation

/// Scores the renderer and the known ways on scenes whose truth is known.
struct QualityRun {
  let options: Options
  private let truths: TruthMaker

  init(_ options: Options) {
    self.options = options
    truths = TruthMaker(cache: options.cacheFolder)
  }

  /// The scores of one way in one case.
  struct Row {
    let method: String
    let scene: String
    let given: GivenDisparity
    let level: Float
    let score: Score
  }

  func run() throws -> [Row] {
    var rows: [Row] = []
    try forEachCase { one in
      for given in options.givens { rows += try score(one, given) }
      log("\(one.scene) focus \(one.focus) K \(one.radiusPerDisparity)")
    }
    if rows.isEmpty, let folder = options.sceneFolder {
      throw UsageError(message: "\(folder.path) has no truth-<focus>-<K>.pfm beside its pictures")
    }
    return rows
  }

  private var qualities: [BokehQuality] { options.named ?? [.exportHigh] }

  private func log(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  private func forEachCase(_ body: (TruthCase) throws -> Void) throws {
    if let folder = options.sceneFolder {
      for scene in try SceneFolder.all(in: folder) {
        for part in scene.frames.isEmpty ? [scene] : scene.frames {
          for one in try part.cases() { try body(one) }
        }
      }
      return
    }
    let (width, height) = options.size ?? (640, 360)
    for kind in SceneKind.allCases where options.scenes.isEmpty || options.scenes.contains(kind.rawValue) {
      let scene = kind.scene(width: width, height: height)
      let (picture, disparity) = (scene.picture, scene.disparity)
      for focus in focuses {
        for level in levels(width) {
          let truth = try truths.truth(scene, RayTruth(focus: focus, radiusPerDisparity: level))
          try body(
            TruthCase(
              scene: kind.rawValue, picture: picture, disparity: disparity, focus: focus, radiusPerDisparity: level,
              truth: truth))
        }
      }
    }
  }

  private var focuses: [Float] { options.isFull ? (0..<10).map { (Float($0) + 0.5) / 10 } : [0.1, 0.45, 0.85] }

  /// Radii in pixels for each unit of disparity: 5 to 25 at a width of 960 or less, as the scenes are painted.
  private func levels(_ width: Int) -> [Float] {
    (options.isFull ? [5, 10, 15, 20, 25] : [5, 15, 25]).map { $0 * Float(max(width, 960)) / 960 }
  }

  private func score(_ one: TruthCase, _ given: GivenDisparity) throws -> [Row] {
    let regions = Regions(
      one.picture, one.disparity, focus: one.focus, radiusPerDisparity: one.radiusPerDisparity)
    let degraded = given.degrade(one.disparity)
    let enlarged = degraded.enlarged(width: one.picture.width, height: one.picture.height)
    func row(_ method: String, _ light: LightImage) -> Row {
      Row(
        method: method, scene: one.scene, given: given, level: one.radiusPerDisparity,
        score: Score(light, truth: one.truth, regions: regions))
    }
    var rows = (options.hasBaselines ? Baseline.allCases : []).map { baseline in
      row(
        baseline.rawValue,
        baseline.render(one.picture, enlarged, focus: one.focus, radiusPerDisparity: one.radiusPerDisparity))
    }
    for quality in qualities {
      let result = render(one, degraded, quality)
      rows.append(row("\(quality)", result))
      if given == .exact { try write(result, one, quality) }
    }
    return rows
  }

  private func render(_ one: TruthCase, _ disparity: ScalarImage, _ quality: BokehQuality) -> LightImage {
    let renderer = PlaneRenderer(quality: quality, threads: options.threads)
    let planes = RenderPlanes(
      width: one.picture.width, height: one.picture.height, light: one.picture.values, disparity: disparity.values,
      disparitySize: (disparity.width, disparity.height))
    let output = renderer.render(planes, focus: one.focus, radiusPerDisparity: one.radiusPerDisparity)
    return LightImage(width: one.picture.width, height: one.picture.height, values: output.light)
  }

  private func write(_ result: LightImage, _ one: TruthCase, _ quality: BokehQuality) throws {
    guard let folder = options.writeFolder else { return }
    let place = folder.appendingPathComponent(one.scene)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let label = one.label ?? "\(one.focus)-\(one.radiusPerDisparity)"
    let name = qualities.count > 1 ? "result-\(quality)-\(label).pfm" : "result-\(label).pfm"
    try PortableFloatMap.write(result, to: place.appendingPathComponent(name))
    guard options.sceneFolder == nil else { return }
    try PortableFloatMap.write(one.picture, to: place.appendingPathComponent("picture.pfm"))
    try PortableFloatMap.write(one.disparity, to: place.appendingPathComponent("disparity.pfm"))
    try PortableFloatMap.write(one.truth, to: place.appendingPathComponent("truth-\(label).pfm"))
  }
}
