import AVFoundation
import BokehCompute
import Cinematic
import Foundation

extension CinematicTool {
  static let renderCommand = Command(
    name: "render",
    summary: "render a movie with its focus and aperture applied",
    details: [
      "The picture is rendered upright, the sound is copied, colour is kept: HLG stays HLG, PQ stays PQ. Date, place and camera are kept "
        + "unless --strip is given. What Dolby Vision adds to a picture does not fit the rendered one and is left out.",
      "Without --aperture, and unless the edits change it, every frame has the f-number that was recorded.",
      "The output is a QuickTime movie (.mov), or MPEG-4 with a name that ends in .mp4 or .m4v; ProRes needs .mov.",
    ],
    operands: [.init("MOVIE", "A movie recorded in Cinematic mode.")],
    options: [
      .output, .overwrite, .edits,
      .init("aperture", value: "N", "The f-number of all frames, from 0.7 to 64, such as 2.8; smaller blurs more."),
      .init(
        "quality", value: "QUALITY", choices: ["thumbnail", "preview", "export", "exportHigh"],
        "How much care to take; 'export' by default."),
      .device,
    ] + Command.Option.look + [
      .init("boxes", "Draw the detections: white, in focus yellow, dashed where the decision is weak."),
      .range("Render only the frames from A up to B"),
    ] + Command.Option.encoding("hevc") + [
      .init("sdr", "Tone-map HDR to BT.709 by the curve of ITU-R BT.2390."),
      .init("strip", "Leave out date, place and camera."),
      .progress,
    ],
    examples: [
      .init("cinematic render IMG_1234.MOV -o out.mov --aperture 2", "The recorded focus at f/2."),
      .init(
        "cinematic render IMG_1234.MOV -o out.mov --aperture 1.4 --blades 6 --cat-eye 0.5",
        "Lights as hexagons that narrow towards the borders."),
      .init("cinematic render IMG_1234.MOV -o - --range 0:01-0:02 | ffplay -", "One second, straight to a player."),
    ],
    action: { try await render($0) })

  private static func render(_ invocation: Invocation) async throws {
    let options = try RenderOptions(invocation)
    let output = try invocation.output(
      inputs: [options.movie] + [options.edits].compactMap { $0 }, format: .movie)
    let shot = try await Shot.open(options.movie, edits: options.edits, fNumber: options.fNumber)
    let job = try await RenderJob(shot, options)
    // Programs find it in the report.
    if !invocation.wantsJSON, invocation.value("progress") != "json" {
      invocation.console.note("cinematic: rendering on \(options.device.name)")
    }
    for note in job.notes { invocation.console.note("cinematic: \(note)") }
    let progress = invocation.progress("rendering", total: job.frameCount)
    defer { progress.finish() }
    let report = try await job.run(to: output.temporaryURL, progress: progress)
    try output.commit()
    progress.finish()
    if invocation.wantsJSON, !output.isStandardOutput {
      invocation.console.print(report.json(output: output.name).text)
    }
  }
}
