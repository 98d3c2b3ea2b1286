import Foundation

extension CinematicTool {
  static let synthCommand = Command(
    name: "synth",
    summary: "make a sample Cinematic movie",
    details: [
      "Four puppets come and go at known depths before a town at night, with detections, groups, automatic focus decisions and sound. "
        + "The same options always give the same picture, disparity and script, so that programs can be tested with it."
    ],
    options: [
      .output, .overwrite,
      .init("size", value: "WxH", "The displayed size in pixels, even numbers; 1280x720 by default."),
      .init("frames", value: "N", "The number of frames; 240 by default."),
      .init("fps", value: "N", "Frames a second, a whole number; 30 by default."),
      .init(
        "rotation", value: "DEGREES", choices: ["0", "90", "180", "270"], "Store the picture turned, as phones do."),
      .init("aperture", value: "N", "The recorded f-number; 2 by default."),
      .init("sdr", "BT.709 in 8 bits instead of HLG in 10."),
      .init("silent", "No sound."),
      .progress,
    ],
    examples: [.init("cinematic synth -o sample.mov", "Eight seconds to try everything on.")],
    action: { try await synth($0) })

  private static func synth(_ invocation: Invocation) async throws {
    let movie = try SampleMovie(invocation)
    let output = try invocation.output(inputs: [], format: .quickTime)
    let progress = invocation.progress("drawing", total: movie.frameCount)
    defer { progress.finish() }
    try await movie.write(to: output.temporaryURL, progress: progress)
    try output.commit()
    invocation.report([("frames", .integer(movie.frameCount))], of: output)
  }
}

extension SampleMovie {
  init(_ invocation: Invocation) throws {
    if let size = invocation.value("size") { (width, height) = try Self.size(size, invocation) }
    frameCount = try invocation.integer("frames", in: 1...100_000) ?? frameCount
    framesPerSecond = try invocation.integer("fps", in: 1...240).map(Int32.init) ?? framesPerSecond
    quarterTurns = try (invocation.integer("rotation", in: 0...270) ?? 0) / 90
    fNumber = try invocation.aperture() ?? fNumber
    isHDR = !invocation.has("sdr")
    hasSound = !invocation.has("silent")
  }

  private static func size(_ text: String, _ invocation: Invocation) throws -> (Int, Int) {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).compactMap { Int($0) }
    guard sides.count == 2, sides.allSatisfy({ 16...maximumSide ~= $0 && $0 % 2 == 0 }) else {
      throw UsageError(
        "'--size' takes even numbers from 16 to \(maximumSide) such as 1280x720, not '\(text)'", path: invocation.path)
    }
    return (sides[0], sides[1])
  }
}
