import Foundation

/// The files that one shot leaves behind: the original, the rendered movie and the edits made in Photos.
///
///     IMG_1234.MOV   IMG_E1234.MOV   IMG_1234.AAE
struct ShotFiles {
  enum Role: String {
    case original, rendered, edits

    var meaning: String {
      switch self {
      case .original: "original, sharp everywhere"
      case .rendered: "rendered, an ordinary video"
      case .edits: "edits made in Photos"
      }
    }
  }

  /// Names of the files that are there, in the order of the roles.
  private(set) var names: [(role: Role, name: String)] = []
  /// What the movie's own name says it is; nil for names that are no camera's.
  private(set) var ownRole: Role?

  /// Looks beside the movie.
  init(beside path: String) {
    let url = URL(fileURLWithPath: path)
    guard let (prefix, number, isRendered) = Self.parts(url.deletingPathExtension().lastPathComponent) else { return }
    ownRole = isRendered ? .rendered : .original
    let folder = url.deletingLastPathComponent()
    let fileExtension = url.pathExtension
    find(folder, .original, prefix + number, [fileExtension, "MOV", "mov"])
    find(folder, .rendered, prefix + "E" + number, [fileExtension, "MOV", "mov"])
    find(folder, .edits, prefix + number, ["AAE", "aae"])
  }

  private mutating func find(_ folder: URL, _ role: Role, _ stem: String, _ extensions: [String]) {
    let candidates = extensions.map { "\(stem).\($0)" }
    let there = candidates.first {
      FileManager.default.fileExists(atPath: folder.appendingPathComponent($0).path)
    }
    if let there { names.append((role, there)) }
  }

  func name(_ role: Role) -> String? { names.first { $0.role == role }?.name }

  /// `IMG_E1234` as `IMG_`, `1234`, true.
  private static func parts(_ stem: String) -> (prefix: String, number: String, isRendered: Bool)? {
    guard let underscore = stem.lastIndex(of: "_") else { return nil }
    let tail = stem[stem.index(after: underscore)...]
    let isRendered = tail.hasPrefix("E")
    let number = isRendered ? tail.dropFirst() : tail
    guard !number.isEmpty, number.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    return (String(stem[...underscore]), String(number), isRendered)
  }

  var json: JSON {
    .object(names.map { ($0.role.rawValue, JSON.string($0.name)) })
  }
}
