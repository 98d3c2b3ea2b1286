import Foundation
import ProResClips

// How fast ProRes is decoded, beside libavcodec in the same process; see `Docs/Benchmarks.md`.

do {
  let options = try Options(Array(CommandLine.arguments.dropFirst()))
  let texture = Texture()
  if options.isOursOnly {
    try ClipTable.profile(options, texture)
    exit(0)
  }
  if let folder = options.folder {
    try ClipTable.write(options, to: folder, texture)
    exit(0)
  }
  let clips = BenchClip.all.filter { options.only.isEmpty || options.only.contains($0.name) }
  if !options.isJSON {
    print(
      "Nanoseconds a pixel of one thread, medians of \(options.runs); \(options.size.width)x\(options.size.height).")
    print("| " + ClipTable.head.joined(separator: " | ") + " |\n|" + ClipTable.head.map { _ in "---|" }.joined())
  }
  var tables: [ClipTable] = []
  for clip in clips {
    tables.append(try ClipTable(clip, options, texture))
    if !options.isJSON { print("| " + tables.last!.row.joined(separator: " | ") + " |") }
  }
  if options.isJSON {
    print(String(decoding: try JSONSerialization.data(withJSONObject: tables.map(\.json)), as: UTF8.self))
  }
} catch let error as UsageError {
  FileHandle.standardError.write(Data("error: \(error.message)\n\(Options.usage)\n".utf8))
  exit(2)
} catch {
  FileHandle.standardError.write(Data("error: \(error)\n".utf8))
  exit(1)
}
