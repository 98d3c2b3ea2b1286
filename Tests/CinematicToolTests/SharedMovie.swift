import Foundation

/// The movie `cup.mov` and the truth about it, beside the package; tests that need them are skipped where they are absent.
enum SharedMovie {
  private static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["OPENCINEMATIC_SHARED"] {
      return URL(fileURLWithPath: path).appendingPathComponent("media")
    }
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { url.deleteLastPathComponent() }
    return url.appendingPathComponent("shared/media")
  }()

  static let path = folder.appendingPathComponent("cinematic/cup.mov").path
  static let truthPath = folder.appendingPathComponent("cinematic/cup.json").path
  static let isThere = FileManager.default.fileExists(atPath: path)

  static func truth() throws -> [String: Any] {
    let data = try Data(contentsOf: URL(fileURLWithPath: truthPath))
    return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
  }

  /// Clips by a ProRes encoder, and movies on which other programs stumble.
  static func proRes(_ name: String) -> String { folder.appendingPathComponent("prores/apple-prores-\(name).mov").path }
  static func oddity(_ name: String) -> String { folder.appendingPathComponent("bugs/\(name).mov").path }
  /// HEVC whose second layer is alpha.
  static let alphaLayerPath = folder.appendingPathComponent("phone/hevc-alpha.mov").path
  static let hasAlphaLayer = FileManager.default.fileExists(atPath: alphaLayerPath)
  static let hasProRes = FileManager.default.fileExists(atPath: proRes("422"))
  static let hasOddities = FileManager.default.fileExists(atPath: oddity("multistsd"))
}
