import Foundation
import Testing

/// The programs `ffmpeg` and `ffprobe`, an independent implementation to compare with.
enum FFmpegTool {
  static let isHere = ["ffmpeg", "ffprobe"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0)
  }

  /// What a program writes to its output.
  static func run(_ name: String, _ arguments: [String]) throws -> Data {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/" + name)
    process.arguments = ["-v", "error"] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(name) \(arguments)")
    return output
  }

  /// All frames of a file as raw video.
  static func frames(of path: String, _ pixelFormat: String, _ options: [String] = []) throws -> Data {
    try run("ffmpeg", ["-i", path] + options + ["-f", "rawvideo", "-pix_fmt", pixelFormat, "-vsync", "0", "-"])
  }

  /// One value of the first picture stream.
  static func entry(_ name: String, of path: String) throws -> String {
    let arguments = ["-select_streams", "v:0", "-show_entries", "stream=\(name)", "-of", "csv=p=0", path]
    return String(decoding: try run("ffprobe", arguments), as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// A ProRes movie of a moving test picture.
  static func makeProRes(
    _ path: String, size: String, frames: Int, profile: Int = 3, pixelFormat: String = "yuv422p10le",
    rate: String = "25",
    filters: String = "null", options: [String] = []
  ) throws {
    let source = "testsrc2=size=\(size):rate=\(rate),format=\(pixelFormat),\(filters)"
    _ = try run(
      "ffmpeg",
      ["-y", "-f", "lavfi", "-i", source, "-frames:v", "\(frames)", "-c:v", "prores_ks", "-profile:v", "\(profile)"]
        + options + [path])
  }
}

extension Data {
  /// As 16-bit little-endian words.
  var words: [UInt16] {
    withUnsafeBytes { bytes in
      (0..<bytes.count / 2).map { UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 * $0, as: UInt16.self)) }
    }
  }
}

/// The greatest difference of two lists of codes; nil where they differ in length.
func greatestDifference<Code: FixedWidthInteger>(_ one: [Code], _ other: [Code]) -> Int? {
  guard one.count == other.count else { return nil }
  return zip(one, other).reduce(0) { Swift.max($0, abs(Int($1.0) - Int($1.1))) }
}
