import Foundation

/// The real material beside the checkout; absent elsewhere.
enum SharedMedia {
  static let folder: URL = {
    if let path = ProcessInfo.processInfo.environment["OPENCINEMATIC_SHARED"] {
      return URL(fileURLWithPath: path).appendingPathComponent("media")
    }
    var root = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    return root.appendingPathComponent("../shared/media").standardizedFileURL
  }()

  static func url(_ path: String) -> URL { folder.appendingPathComponent(path) }
  static func has(_ path: String) -> Bool { FileManager.default.fileExists(atPath: url(path).path) }
}

/// The second implementation: the `ffmpeg` command line.
enum CommandLineFFmpeg {
  static let isThere = FileManager.default.isExecutableFile(atPath: "/usr/bin/ffmpeg")

  /// What the command writes to its standard output.
  static func output(_ arguments: [String]) throws -> Data {
    try run("/usr/bin/ffmpeg", ["-v", "error", "-nostdin"] + arguments)
  }

  /// The presentation times, in ticks of the stream's time base, of the first frames of the first video stream.
  static func frameTimes(_ url: URL, count: Int) throws -> [Int64] {
    let text = try run(
      "/usr/bin/ffprobe",
      [
        "-v", "error", "-select_streams", "v:0", "-read_intervals", "%+#\(count)", "-show_entries", "frame=pts", "-of",
        "csv=p=0", url.path,
      ])
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    return lines.compactMap { Int64($0.trimmingCharacters(in: CharacterSet(charactersIn: ", \r"))) }
  }

  private static func run(_ tool: String, _ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: tool)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return data
  }
}
