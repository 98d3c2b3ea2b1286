import Foundation

// How good and how fast the renderer is; see `Docs/Benchmarks.md`.

do {
  guard CommandLine.arguments.count > 1, !CommandLine.arguments.contains("--help") else {
    print(Options.usage)
    exit(0)
  }
  let options = try Options(Array(CommandLine.arguments.dropFirst()))
  guard options.mode != .quality || options.device == "cpu" else {
    throw UsageError(message: "quality is scored on the processor; tests hold devices to what it gives")
  }
  var everything: [String: Any] = [:]
  if options.mode != .speed {
    let table = QualityTable(rows: try QualityRun(options).run())
    everything["quality"] = table.json
    let moving = try MotionRun(options).run()
    everything["moving"] = MotionRun.json(moving)
    if !options.isJSON {
      table.print()
      MotionRun.print(moving)
    }
  }
  if options.mode != .quality {
    let table = SpeedTable(report: try SpeedRun(options: options).run())
    everything["speed"] = table.json
    if !options.isJSON { table.print() }
  }
  if options.isJSON {
    print(String(decoding: try JSONSerialization.data(withJSONObject: everything), as: UTF8.self))
  }
} catch let error as UsageError {
  FileHandle.standardError.write(Data("error: \(error.message)\n\(Options.usage)\n".utf8))
  exit(2)
} catch {
  let message = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
  FileHandle.standardError.write(Data("error: \(message)\n".utf8))
  exit(1)
}
