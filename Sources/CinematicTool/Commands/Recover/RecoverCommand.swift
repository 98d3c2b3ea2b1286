import Foundation
import QuickTime

extension CinematicTool {
  /// `cinematic recover`
  static let recoverCommand = Command(
    name: "recover",
    summary: "save the ProRes frames of a movie that lost its index",
    details: [
      "A recording that was cut off has no index (moov), and no player opens it. The file is searched from end to end for whole ProRes frames, "
        + "and those are written, byte for byte as they are, into a new QuickTime movie. The broken file is only read.",
      "Frames do not say which profile they are or how fast they were shot. Without --profile it is told from their quantisation matrices, or, "
        + "where those are unknown, from the bits a pixel; without --fps a rate that the frames name is taken, and 24 if they name none. "
        + "What was guessed is said. Nor do frames say when they were shot: all of them are shown equally long, in the order of the file.",
      "A frame that is damaged or cut off is left out and reported. Sound has no marks to be found by, and is not recovered.",
    ],
    operands: [.init("BROKEN", "The file that lost its index; of any kind, also a piece of a disk.")],
    options: [
      .output, .overwrite,
      .init("fps", value: "RATE", "Frames a second: 25, 23.976 or 24000/1001."),
      .init(
        "profile", value: "NAME", choices: ProResProfile.allCases.map(\.rawValue), "Which ProRes the frames are."),
      .init("force", "Search a movie whose index is whole, too."), .progress,
    ],
    examples: [
      .init("cinematic recover A001_broken.mov -o A001.mov --fps 24000/1001", "All frames that are whole, at 23.976.")
    ],
    action: { try recover($0) })

  private static func recover(_ invocation: Invocation) throws {
    let path = invocation.operand("BROKEN")
    let request = try RecoverRequest(invocation)
    let output = try invocation.output(inputs: [path], format: .quickTime)
    let source = try FileSource(URL(fileURLWithPath: path))
    if !request.isForced { try refuseWholeMovie(source, path) }
    let progress = invocation.progress("searching", total: Int(source.byteCount / 1_000_000), unit: "MB")
    defer { progress.finish() }
    let report = try RecoverJob(source, request).run(to: output.temporaryURL, progress)
    try output.commit()
    progress.finish()
    for line in report.lines { invocation.console.note("cinematic: \(line)") }
    invocation.report(report.json, of: output)
  }

  /// A movie that opens, and has pictures, needs no recovery.
  private static func refuseWholeMovie(_ source: FileSource, _ path: String) throws {
    guard source.byteCount > 0 else {
      throw Failure(name: "unreadable", code: 2, message: "'\(path)' is empty: nothing can be recovered from it")
    }
    guard let movie = try? Movie.open(source),
      let track = movie.tracks.first(where: { $0.handler == "vide" && $0.samples.count > 0 })
    else { return }
    let missing = movie.warnings.contains { $0.message.contains("missing") } ? ", though some samples are missing" : ""
    throw Failure(
      "the index (moov) of '\(path)' is whole and leads to \(track.samples.count) pictures\(missing): play it as it is, or give --force "
        + "to search it all the same")
  }
}

/// What is known of the frames that are looked for.
struct RecoverRequest: Sendable {
  var rate: FrameRate?
  var profile: ProResProfile?
  var isForced = false

  init(_ invocation: Invocation) throws {
    profile = invocation.value("profile").flatMap(ProResProfile.init)
    isForced = invocation.has("force")
    rate = try invocation.frameRate("fps")
  }
}
