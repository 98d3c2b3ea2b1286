import Compositing

extension CinematicTool {
  /// `cinematic over`
  static let overCommand = Command(
    name: "over",
    summary: "lay a movie with alpha over a picture, a movie or a colour",
    details: [
      "The foreground is a movie with alpha, such as ProRes 4444; the background another movie, a PNG or EXR picture, or a colour: "
        + "'#102030', 'black', 'white', 'grey', or 'transparent'. Colours of the background are brought to the foreground's where they "
        + "differ (primaries, SDR, HLG, PQ). A colour's numbers are those of the foreground's own signal.",
      "Whether colours are stored straight or multiplied by their alpha is what the foreground's format says, and straight where it says "
        + "nothing; '--alpha' knows better. They are mixed as signals, as editors do, or with --linear as light.",
      "The result has the size, the times and the length of the foreground, unless options say otherwise. A foreground that ends before "
        + "the result is gone then, a background stays with its last picture. ProRes 4444 keeps alpha where the background lets something "
        + "through: straight, 10 bits of it exact; all else is opaque.",
      "Sound is copied as it is stored: the foreground's, or the background's where the foreground has none. With '--sound both' the "
        + "result has the tracks of both, which are not mixed.",
    ],
    operands: [
      .init("FOREGROUND", "The movie in front."), .init("BACKGROUND", "A movie, a picture (.png, .exr) or a colour."),
    ],
    options: [
      .output, .overwrite,
      .init(
        "alpha", value: "KIND", choices: ["auto", "straight", "premultiplied", "premultiplied-white"],
        "How the foreground's colours are stored; 'premultiplied' is on black. 'auto' by default."),
      .init("linear", "Mix light instead of signals."),
      .init("keep-alpha", "Write an alpha channel even if the background is opaque."),
      .init("size", value: "SIZE", "The result's size: 'foreground' (by default), 'background', or such as 1920x1080."),
      .init(
        "fit", value: "KIND", choices: Placement.Fit.allCases.map(\.rawValue),
        "How the background fills the picture; 'fill' by default, which cuts off what goes beyond."),
      .init(
        "foreground-fit", value: "KIND", choices: Placement.Fit.allCases.map(\.rawValue),
        "The same for the foreground; 'fit' by default."),
      .init(
        "position", value: "PLACE", choices: OverOptions.positions.keys.sorted(),
        "Where the foreground is put; 'center' by default."),
      .init(
        "length", value: "WHOSE", choices: OverOptions.Length.allCases.map(\.rawValue),
        "How long the result is; 'foreground' by default."),
      .init("loop", "Begin again with the movie that ends before the result does."),
      .init("hold", "Keep the last picture of a foreground that ends before the result does."),
      .init(
        "rate", value: "RATE",
        "When pictures begin: as in 'foreground' (by default) or 'background', or frames a second."),
      .init(
        "sound", value: "WHOSE", choices: OverOptions.Sound.allCases.map(\.rawValue), "Whose sound is copied."),
    ] + Command.Option.encoding("prores-4444, or hevc in .mp4,") + [.progress],
    examples: [
      .init("cinematic over title.mov shot.mov -o out.mov --codec prores-hq", "A title over a shot."),
      .init(
        "cinematic over logo.mov '#102030' -o out.mp4 --size 1920x1080 --foreground-fit none --position bottom-right",
        "A logo in a corner of a plain colour, as HEVC."),
      .init(
        "cinematic over effect.mov sky.exr -o out.mov --linear --alpha premultiplied",
        "An effect whose renderer multiplied its colours, over a picture in linear light."),
    ],
    action: { try await over($0) })

  private static func over(_ invocation: Invocation) async throws {
    let options = try OverOptions(invocation)
    let output = try invocation.output(inputs: options.inputs, format: .movie)
    let job = try await OverJob(options)
    let progress = invocation.progress("composing", total: job.frameCount)
    defer { progress.finish() }
    let report = try await job.run(to: output.temporaryURL, progress: progress)
    try output.commit()
    progress.finish()
    for line in report.lines { invocation.console.note("cinematic: \(line)") }
    invocation.report(report.json, of: output)
  }
}
