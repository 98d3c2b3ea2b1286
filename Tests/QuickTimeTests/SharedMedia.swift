import Foundation

/// Real movies beside the package; tests that need them are skipped where they are absent.
enum SharedMedia {
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["OPENCINEMATIC_SHARED"] {
      return URL(fileURLWithPath: path).appendingPathComponent("media")
    }
    return URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("shared/media")
  }()

  static let isThere = FileManager.default.fileExists(atPath: url("cinematic/cup.mov").path)

  static func url(_ path: String) -> URL { folder.appendingPathComponent(path) }

  /// The paths of all movies, relative to the folder.
  static let movies: [String] = [
    "bugs/conflict.mov", "bugs/full.mov", "bugs/hlg.mov", "bugs/multistsd.mov", "bugs/multistsd_rev.mov", "bugs/tc.mov",
    "cinematic/cup.mov", "phone/hevc-alpha.mov", "prores/apple-prores-422-hq.mov", "prores/apple-prores-422-lt.mov",
    "prores/apple-prores-422-proxy.mov", "prores/apple-prores-422.mov",
  ]
}
