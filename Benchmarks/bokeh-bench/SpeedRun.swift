import Bokeh
import BokehCompute
import Foundation

/// Measures how long a frame takes, every stage counted.
struct SpeedRun {
  let options: Options

  struct Row {
    let device: String
    let quality: BokehQuality
    let radiusPerDisparity: Float
    /// Milliseconds a frame, by the clock and of all processors together.
    let wall: Double
    let processor: Double
    let bytes: Int
  }

  /// One object for everything that was measured.
  struct Report {
    let width: Int
    let height: Int
    let threads: Int
    let histograms: [(radiusPerDisparity: Float, text: String)]
    let rows: [Row]
    let lensBlur: LensBlur?
    /// Of a Vulkan device, if one was asked for.
    var device: DeviceRun.Report?
  }

  func run() throws -> Report {
    let (width, height) = options.size ?? (1920, 1080)
    let load = try SpeedLoad(width: width, height: height, look: options.look)
    let levels: [Float] = [15, 30, 60].map { $0 * Float(width) / 1920 }
    let device = try BokehDevice.choose(options.device)
    guard !device.isVulkan else {
      let report = try DeviceRun(device: device).run(
        load, levels: levels, qualities: options.named ?? BokehQuality.allCases)
      return Report(
        width: width, height: height, threads: options.threads,
        histograms: levels.map { ($0, load.histogram(radiusPerDisparity: $0)) }, rows: [], lensBlur: nil,
        device: report)
    }
    var rows: [Row] = []
    for quality in options.named ?? BokehQuality.allCases {
      let renderer = BokehRenderer(quality: quality, threads: options.threads)
      for level in levels {
        rows.append(try measure(renderer, load.request(radiusPerDisparity: level), level))
        FileHandle.standardError.write(Data("\(quality) K \(level)\n".utf8))
      }
    }
    return Report(
      width: width, height: height, threads: options.threads,
      histograms: levels.map { ($0, load.histogram(radiusPerDisparity: $0)) }, rows: rows,
      lensBlur: LensBlur(width: width, height: height))
  }

  /// The median of several frames after one that makes room.
  private func measure(_ renderer: BokehRenderer, _ request: RenderRequest, _ level: Float) throws -> Row {
    try renderer.render(request)
    var (walls, processors): ([Double], [Double]) = ([], [])
    let end = Date().addingTimeInterval(2)
    while walls.count < 5 || (Date() < end && walls.count < 50) {
      let before = (Date(), ProcessorTime.own)
      try renderer.render(request)
      walls.append(Date().timeIntervalSince(before.0) * 1000)
      processors.append((ProcessorTime.own - before.1) * 1000)
    }
    return Row(
      device: "cpu", quality: renderer.quality, radiusPerDisparity: level, wall: walls.sorted()[walls.count / 2],
      processor: processors.sorted()[processors.count / 2], bytes: renderer.byteCount)
  }
}

/// Seconds that processors worked, in user and system mode.
enum ProcessorTime {
  static var own: Double { seconds(Int32(RUSAGE_SELF.rawValue)) }
  static var children: Double { seconds(Int32(RUSAGE_CHILDREN.rawValue)) }

  private static func seconds(_ who: __rusage_who_t) -> Double {
    var usage = rusage()
    getrusage(who, &usage)
    func value(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
    return value(usage.ru_utime) + value(usage.ru_stime)
  }
}

/// GEGL's lens blur of radius 30 on a picture as large, if GEGL is there: the time of a run with it less that of one
/// that only loads and saves.
struct LensBlur {
  /// Processor time in milliseconds.
  let processor: Double
  private static let program = "/usr/bin/gegl"

  init?(width: Int, height: Int) {
    guard FileManager.default.isExecutableFile(atPath: LensBlur.program) else { return nil }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bokeh-bench-\(getpid())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let picture = folder.appendingPathComponent("in.ppm")
    guard (try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)) != nil,
      (try? LensBlur.pixmap(width, height).write(to: picture)) != nil
    else { return nil }
    let output = folder.appendingPathComponent("out.ppm").path
    func median(_ operation: [String]) -> Double? {
      let times = (0..<5).compactMap { _ in LensBlur.time([picture.path, "-o", output, "--"] + operation) }
      return times.count == 5 ? times.sorted()[2] : nil
    }
    guard let with = median(["gegl:lens-blur", "radius=30"]), let without = median(["gegl:nop"]) else { return nil }
    processor = (with - without) * 1000
  }

  private static func time(_ arguments: [String]) -> Double? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ["GEGL_THREADS": "1", "PATH": "/usr/bin:/bin"]
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    let before = ProcessorTime.children
    guard (try? process.run()) != nil else { return nil }
    process.waitUntilExit()
    return process.terminationStatus == 0 ? ProcessorTime.children - before : nil
  }

  private static func pixmap(_ width: Int, _ height: Int) -> Data {
    var data = Data("P6\n\(width) \(height)\n255\n".utf8)
    data.append(contentsOf: (0..<width * height * 3).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) })
    return data
  }
}

/// What was measured as text.
struct SpeedTable {
  let report: SpeedRun.Report

  func print() {
    Swift.print(
      "\nCrowd, \(report.width)x\(report.height), 10-bit 4:2:0 in and out, focus 0.5, \(report.threads) threads")
    for histogram in report.histograms {
      Swift.print(String(format: "  K %g px: radius ", histogram.radiusPerDisparity) + histogram.text)
    }
    if let device = report.device { return device.print() }
    Swift.print("  device  quality       K    ms a frame  frames/s  processor ms  float RGBA planes")
    for row in report.rows {
      let planes = Double(row.bytes) / Double(report.width * report.height * 16)
      Swift.print(
        "  " + row.device.padding(toLength: 8, withPad: " ", startingAt: 0)
          + "\(row.quality)".padding(toLength: 11, withPad: " ", startingAt: 0)
          + String(
            format: "%4g %12.1f %9.1f %13.1f %10.1f", row.radiusPerDisparity, row.wall, 1000 / row.wall, row.processor,
            planes))
    }
    guard let blur = report.lensBlur else { return Swift.print("  GEGL is not there to compare with.") }
    Swift.print(String(format: "  GEGL lens-blur, radius 30, one thread: %.0f ms of processor", blur.processor))
    for row in report.rows where row.radiusPerDisparity == report.rows.map(\.radiusPerDisparity).max() {
      Swift.print(
        String(
          format: "  %@ at K %g takes %.2f of it", "\(row.quality)", row.radiusPerDisparity,
          row.processor / blur.processor))
    }
  }

  var json: [String: Any] {
    var entry: [String: Any] = [
      "width": report.width, "height": report.height, "threads": report.threads,
      "rows": report.rows.map { row in
        [
          "device": row.device, "quality": "\(row.quality)", "level": Double(row.radiusPerDisparity), "ms": row.wall,
          "processorMs": row.processor, "bytes": row.bytes,
        ] as [String: Any]
      },
    ]
    if let device = report.device { entry["device"] = device.json }
    if let blur = report.lensBlur { entry["lensBlurProcessorMs"] = blur.processor }
    return entry
  }
}
