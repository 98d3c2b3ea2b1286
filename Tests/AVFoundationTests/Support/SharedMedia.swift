import Foundation

/// Material beside the checkout that is not part of the project.
enum SharedMedia {
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["OPENCINEMATIC_SHARED"] { return URL(fileURLWithPath: path) }
    let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return package.deletingLastPathComponent().appendingPathComponent("shared")
  }()

  static func url(_ path: String) -> URL { folder.appendingPathComponent("media").appendingPathComponent(path) }
  static func has(_ path: String) -> Bool { FileManager.default.fileExists(atPath: url(path).path) }
  static let missing = "The folder ../shared/media is absent."
}
