import AVFoundation
import Cinematic
import Foundation

extension CinematicTool {
  static let packCommand = Command(
    name: "pack",
    summary: "make a Cinematic movie of any picture and depth",
    details: [
      "A QuickTime or MPEG-4 picture with square pixels is copied as it is stored, with its sound; anything else that FFmpeg "
        + "reads, or is given a --display-aspect, is encoded anew in HEVC. Depth is a movie or numbered pictures (depth-%05d.png, "
        + "depth-%05d.exr) of any size. The output is a QuickTime movie (.mov).",
      "Depth codings: 'log' are the codes of a Cinematic disparity track (range in 1/m, 0,16); 'linear' runs over disparity (0,4); "
        + "'inverse' runs over metres (0.25,10); 'metric' are millimetres in whole numbers, 0 for unknown, or metres in floating "
        + "point. EXR files say it themselves: channel 'disparity' in 1/m, or Z in metres.",
      "Without a script the near thing in the middle is in focus, and the focus moves when it changes; 'cinematic info' shows "
        + "what was chosen, and 'cinematic edit' changes it.",
    ],
    options: [
      .init("picture", value: "FILE", "The picture, sharp everywhere."),
      .init("disparity", value: "FILE", "The depth or disparity."), .output, .overwrite,
      .init(
        "depth-coding", value: "KIND", choices: DepthCoding.Kind.allCases.map(\.rawValue),
        "What the depth's samples mean; 'log' by default."),
      .init("depth-range", value: "MIN,MAX", "The range of the coding."),
      .init(
        "depth-levels", value: "LEVELS", choices: ["full", "video"],
        "How whole numbers use their bits, if the file says it wrong."),
      .init("display-aspect", value: "W:H", "Width to height as displayed, for a picture that was squeezed."),
      .init("script", value: "JSON", "A focus script, as 'extract' writes it."),
      .init("aperture", value: "N", "The recorded f-number of a proposed script; 2.8 by default."), .progress,
    ],
    examples: [
      .init(
        "cinematic pack --picture color.webm --disparity depth.webm --display-aspect 9:16 -o movie.mov",
        "A shot whose tracks were saved apart."),
      .init(
        "cinematic pack --picture shot.mov --disparity z-%04d.exr -o movie.mov", "A rendering with its depth."),
    ],
    action: { try await pack($0) })

  private static func pack(_ invocation: Invocation) async throws {
    let (picture, disparity) = (try invocation.required("picture"), try invocation.required("disparity"))
    let script = invocation.value("script")
    let output = try invocation.output(
      inputs: [picture, disparity] + [script].compactMap { $0 }, format: .quickTime)
    let coding = try depthCoding(invocation)
    let levels: DepthCoding.Levels? = invocation.value("depth-levels").map { $0 == "full" ? .full : .video }
    let job = PackJob(
      picture: try await PictureInput(picture, aspect: try aspect(invocation)),
      depth: { try DepthSource(disparity, coding: coding, levels: levels) },
      script: try script.map { try SmallFile.contents(of: $0) },
      fNumber: try invocation.aperture() ?? 2.8)
    if let note = try await job.picture.lostSound() { invocation.console.note("cinematic: \(note)") }
    let progress = invocation.progress("packing", total: try job.picture.times().times.count)
    defer { progress.finish() }
    let made = try await job.run(to: output.temporaryURL, progress: progress)
    try output.commit()
    progress.finish()
    invocation.report([("frames", .integer(made.frameCount))], of: output)
  }

  private static func depthCoding(_ invocation: Invocation) throws -> DepthCoding {
    let kind = DepthCoding.Kind(rawValue: invocation.value("depth-coding") ?? "log") ?? .log
    let bounds = try invocation.value("depth-range").map { try pair($0, by: ",", "depth-range", "0,16", invocation) }
    if let bounds, bounds.0 >= bounds.1 {
      throw UsageError("'--depth-range' takes the smaller number first", path: invocation.path)
    }
    guard let coding = DepthCoding(kind, range: bounds.map { $0.0...$0.1 }) else {
      throw UsageError(
        "'--depth-range' cannot be had with the coding '\(kind.rawValue)': both numbers must be "
          + (kind == .log ? "from 0 to 32768" : "positive"), path: invocation.path)
    }
    return coding
  }

  private static func aspect(_ invocation: Invocation) throws -> (Int, Int)? {
    guard let text = invocation.value("display-aspect") else { return nil }
    let sides = text.split(separator: ":").compactMap { Int($0) }
    guard sides.count == 2, sides.allSatisfy({ 1...10_000 ~= $0 }) else {
      throw UsageError("'--display-aspect' takes two whole numbers such as 9:16, not '\(text)'", path: invocation.path)
    }
    return (sides[0], sides[1])
  }

  private static func pair(
    _ text: String, by separator: Character, _ option: String, _ example: String, _ invocation: Invocation
  ) throws -> (Double, Double) {
    let numbers = text.split(separator: separator).compactMap { Double($0) }
    guard numbers.count == 2, numbers.allSatisfy(\.isFinite) else {
      throw UsageError("'--\(option)' takes two numbers such as \(example), not '\(text)'", path: invocation.path)
    }
    return (numbers[0], numbers[1])
  }
}
