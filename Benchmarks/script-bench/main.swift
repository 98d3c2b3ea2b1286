import Foundation

// How fast and how large a long script is: `script-bench [MINUTES]`, 60 by default.
//
// A movie of that length is written first, by another process so that its memory does not count: 30 frames a second with four
// detections each, base decisions and taps. Then it is loaded as any movie is, and looked into and edited.

if CommandLine.arguments.dropFirst().first == "--write" {
  try LongMovie(minutes: Int(CommandLine.arguments[2]) ?? 60).write(to: URL(fileURLWithPath: CommandLine.arguments[3]))
} else {
  let minutes = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 60
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("script-bench-\(UUID().uuidString).mov")
  defer { try? FileManager.default.removeItem(at: url) }
  let writer = Process()
  writer.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  writer.arguments = ["--write", "\(minutes)", url.path]
  try writer.run()
  writer.waitUntilExit()
  try await ScriptBenchmark(url: url).run()
}
