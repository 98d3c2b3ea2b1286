import Foundation

// How good and how fast the renderer is; see `Docs/Benchmarks.md`.

do {
  let options = try Options(Array(CommandLine.arguments.dropFirst()))
  if options.mode != .speed {
    let table = QualityTable(rows: try QualityRun(options).run())
    if options.isJSON {
      print(String(decoding: try JSONSerialization.data(withJSONObject: ["quality": table.json]), as: UTF8.self))
    } else {
      table.print()
    }
  }
} catch let error as UsageError {
  FileHandle.standardError.write(Data("error: \(error.message)\n\(Options.usage)\n".utf8))
  exit(2)
} catch {
  FileHandle.standardError.write(Data("error: \(error)\n".utf8))
  exit(1)
}
