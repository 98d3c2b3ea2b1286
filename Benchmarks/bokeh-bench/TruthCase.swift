import BokehScenes
import Foundation

/// One picture to blur, with what comes out of a real lens.
struct TruthCase {
  let scene: String
  let picture: LightImage
  let disparity: ScalarImage
  let focus: Float
  let radiusPerDisparity: Float
  let truth: LightImage
  /// Of files: the text between `truth-` and the ending.
  var label: String?
}

/// Makes and keeps the truth of painted scenes.
struct TruthMaker {
  let cache: URL?

  func truth(_ scene: LayeredScene, _ lens: RayTruth, frame: Int = 0) throws -> LightImage {
    guard let cache else { return lens.render(scene) }
    let name =
      "\(scene.name)-\(scene.width)x\(scene.height)-\(frame)-\(lens.focus)-\(lens.radiusPerDisparity).pfm"
    let url = cache.appendingPathComponent(name)
    if FileManager.default.fileExists(atPath: url.path) { return try PortableFloatMap.light(url) }
    let truth = lens.render(scene)
    try FileManager.default.createDirectory(at: cache, withIntermediateDirectories: true)
    try PortableFloatMap.write(truth, to: url)
    return truth
  }
}

/// Scenes that others made: folders of `picture`, `disparity` and `truth-<focus>-<K>`, as `.pfm` or `.phm`.
struct SceneFolder {
  let url: URL

  /// The folders in `url` that hold a picture, or hold frames that do; or `url` itself.
  static func all(in url: URL) throws -> [SceneFolder] {
    let own = SceneFolder(url: url)
    if own.file("picture") != nil { return [own] }
    let entries = try? FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
    guard let entries else { throw UsageError(message: "\(url.path) is not a folder that can be read") }
    let found =
      entries
      .map { SceneFolder(url: $0) }
      .filter { $0.file("picture") != nil || !$0.frames.isEmpty }
      .sorted { $0.url.path < $1.url.path }
    guard !found.isEmpty else {
      throw UsageError(
        message: "\(url.path) holds no scene: a folder with picture.pfm, disparity.pfm and truth-<focus>-<K>.pfm")
    }
    return found
  }

  var name: String { url.lastPathComponent }

  /// The frames of a moving scene, in order.
  var frames: [SceneFolder] {
    let entries = (try? FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)) ?? []
    return entries.filter { $0.lastPathComponent.hasPrefix("frame-") }.map { SceneFolder(url: $0) }
      .filter { $0.file("picture") != nil }.sorted { $0.url.path < $1.url.path }
  }

  func file(_ name: String) -> URL? {
    ["pfm", "phm"].map { url.appendingPathComponent(name).appendingPathExtension($0) }
      .first { FileManager.default.fileExists(atPath: $0.path) }
  }

  /// Every truth in the folder.
  func cases() throws -> [TruthCase] {
    guard let picture = file("picture"), let disparity = file("disparity") else {
      throw UsageError(message: "\(url.path) lacks picture.pfm or disparity.pfm")
    }
    let (light, depth) = (try PortableFloatMap.light(picture), try PortableFloatMap.scalar(disparity))
    guard (depth.width, depth.height) == (light.width, light.height) else {
      throw UsageError(
        message: "\(disparity.path) is \(depth.width)x\(depth.height), the picture \(light.width)x\(light.height)")
    }
    return try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasPrefix("truth-") && ["pfm", "phm"].contains($0.pathExtension) }
      .sorted { $0.path < $1.path }
      .map { file in
        let label = String(file.deletingPathExtension().lastPathComponent.dropFirst(6))
        let parts = label.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { Float($0) }.filter { SceneFolder.numbers.contains($0) }
        guard parts.count == 2, numbers.count == 2 else {
          throw UsageError(
            message:
              "\(file.path): the name must be truth-<focus>-<K>, two numbers from 0 to \(Int(SceneFolder.numbers.upperBound))"
          )
        }
        let truth = try PortableFloatMap.light(file)
        guard (truth.width, truth.height) == (light.width, light.height) else {
          throw UsageError(
            message: "\(file.path) is \(truth.width)x\(truth.height), the picture \(light.width)x\(light.height)")
        }
        return TruthCase(
          scene: url.lastPathComponent, picture: light, disparity: depth, focus: numbers[0],
          radiusPerDisparity: numbers[1], truth: truth, label: label)
      }
  }

  /// What focus and radius may be.
  private static let numbers: ClosedRange<Float> = 0...10_000
}
