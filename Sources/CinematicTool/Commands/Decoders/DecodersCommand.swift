import CoreVideo
import Foundation

extension CinematicTool {
  /// `cinematic decoders`
  static let decodersCommand = Command(
    name: "decoders",
    summary: "show who can decode a movie, how fast, and what the renderer takes",
    details: [
      "For each choice of '--decoder': who decodes then, the pixel format that costs no conversion, the one that is asked for (the renderer's, unless "
        + "--format names another) and what is converted for it, and the frames a second of decoding alone: the median of three "
        + "runs over the same samples, which are in memory. Where a choice gives nobody, the reason stands in its row.",
      "Below stands what the renderer makes of a picture of that size with a made-up disparity, measured apart: where rendering is slow, another "
        + "decoder does not help.",
    ],
    operands: [.init("MOVIE", "A MOV or MP4 file.")],
    options: [
      .init("frames", value: "N", "How many frames to measure with, from the first on; 48 unless given."),
      .init("format", value: "NAME", choices: RawFormat.all.map(\.name), "What to ask the decoders for."),
      .init("threads", value: "N", "Threads that share a frame; all cores unless given."), .device, .track,
    ],
    examples: [
      .init("cinematic decoders clip.mov", "The table."),
      .init("cinematic decoders clip.mov --frames 100 --format y416 --json", "Everything for a program."),
    ],
    action: { invocation in
      let path = invocation.operand("MOVIE")
      let count = try invocation.integer("frames", in: 1...1000) ?? 48
      let threads = try invocation.integer("threads", in: 1...256) ?? 0
      let (format, device) = (invocation.value("format").flatMap(RawFormat.named), try invocation.device())
      let track = try await PictureTrack.open(path, number: try invocation.integer("track", in: 1...Int(Int32.max)))
      let trial = try DecoderTrial(track, count: count, format: format, threads: threads)
      var report = DecodersReport(trial)
      report.decoders = DecodingPlan.Choice.allCases.map(trial.row)
      report.renderers = RendererTrial(track, device).rows()
      invocation.console.print(invocation.wantsJSON ? report.json.text : report.text(invocation.console.style))
    })
}

/// What `decoders` says.
struct DecodersReport {
  private let trial: DecoderTrial
  var decoders: [DecoderTrial.Row] = []
  var renderers: [RendererTrial.Row] = []

  init(_ trial: DecoderTrial) { self.trial = trial }

  private var rate: FrameRate { trial.track.frameRate().rate }

  private func ratio(_ speed: Double) -> Double { speed / rate.framesPerSecond }

  // MARK: For people

  func text(_ style: Style) -> String {
    var lines = [style.bold(heading)]
    var table = TextTable([.left, .left, .left, .left, .left, .right, .right])
    table.add(["choice", "decoder", "own format", "asked", "conversion", "frames/s", "real time"])
    for row in decoders { table.add(cells(row)) }
    lines += table.lines + [""]
    lines.append(style.bold("renderer, measured apart"))
    var second = TextTable([.left, .left, .right, .right])
    second.add(["quality", "device", "frames/s", "real time"])
    for row in renderers { second.add(cells(row)) }
    lines += second.lines
    let remarks =
      Self.joined(decoders.map { ($0.choice.rawValue, $0.remark) })
      + Self.joined(renderers.map { ($0.quality, $0.remark) })
    return (lines + (remarks.isEmpty ? [] : [""] + remarks)).joined(separator: "\n")
  }

  /// What is said of rows, once for all of which it holds.
  private static func joined(_ remarks: [(name: String, remark: String?)]) -> [String] {
    var found: [(names: [String], remark: String)] = []
    for case (let name, let remark?) in remarks {
      if let index = found.firstIndex(where: { $0.remark == remark }) {
        found[index].names.append(name)
      } else {
        found.append(([name], remark))
      }
    }
    return found.map { "\($0.names.joined(separator: ", ")): \($0.remark)" }
  }

  private var heading: String {
    "\(trial.track.path): \(trial.codec), \(trial.size.width)x\(trial.size.height), \(rate.text) frames a second, "
      + "measured over \(trial.sampleCount) of \(trial.track.times.count)"
  }

  private func cells(_ row: DecoderTrial.Row) -> [String] {
    switch row.outcome {
    case .failure: return [row.choice.rawValue, "-"]
    case .success(let found):
      return [
        row.choice.rawValue, found.name + (found.isHardware ? " (device)" : ""), fourCharacterString(found.native),
        found.asked, found.conversions.map { "\($0.from) to \($0.to)" }.joined(separator: ", "), number(found.speed),
        times(found.speed),
      ]
    }
  }

  private func cells(_ row: RendererTrial.Row) -> [String] {
    switch row.outcome {
    case .failure: [row.quality, "-"]
    case .success(let speed): [row.quality, row.device, number(speed), times(speed)]
    }
  }

  private func number(_ speed: Double) -> String { String(format: speed < 100 ? "%.1f" : "%.0f", speed) }
  private func times(_ speed: Double) -> String { String(format: "x%.2f", ratio(speed)) }

  // MARK: For programs

  var json: JSON {
    .object([
      ("movie", .string(trial.track.path)), ("codec", .string(trial.codec)), ("width", .integer(trial.size.width)),
      ("height", .integer(trial.size.height)), ("frame_rate", .string(rate.text)),
      ("measured_frames", .integer(trial.sampleCount)), ("decoders", .array(decoders.map(json))),
      ("renderers", .array(renderers.map(json))),
    ])
  }

  private func json(_ row: DecoderTrial.Row) -> JSON {
    switch row.outcome {
    case .failure(let failure): return .object([("choice", .string(row.choice.rawValue)), ("error", failure.json)])
    case .success(let found):
      return .object([
        ("choice", .string(row.choice.rawValue)), ("name", .string(found.name)), ("hardware", .bool(found.isHardware)),
        ("native_format", .string(fourCharacterString(found.native))), ("asked_format", .string(found.asked)),
        ("conversions", .array(found.conversions.map(\.json))), ("frames_per_second", .number(found.speed)),
        ("real_time", .number(ratio(found.speed))), ("damaged_samples", .integer(found.refused)),
      ])
    }
  }

  private func json(_ row: RendererTrial.Row) -> JSON {
    let head: [(String, JSON)] = [("quality", .string(row.quality)), ("device", .string(row.device))]
    switch row.outcome {
    case .failure(let failure): return .object(head + [("error", failure.json)])
    case .success(let speed):
      return .object(head + [("frames_per_second", .number(speed)), ("real_time", .number(ratio(speed)))])
    }
  }
}
