import Foundation

extension CinematicTool {
  /// `cinematic info`
  static let infoCommand = Command(
    name: "info", summary: "look into a movie: tracks, focus decisions, subjects, warnings",
    details: [
      "Shows which files of the shot are there, what the tracks hold, whether the focus can be changed, and what was decided "
        + "while recording. A movie that cannot be refocused ends with status 1 and a sentence that says what is missing."
    ],
    operands: [Command.Operand("MOVIE", "A MOV or MP4 file.")],
    options: [
      Command.Option("frames", "Add a table of all frames."),
      Command.Option(
        "check",
        "Compare the focus disparity of the detections with the disparity picture inside their rectangles; says so when they "
          + "do not agree."),
      Command.Option(
        "blocks", value: "LIST",
        "Average blocks of 32x32 disparity samples as stored: FRAME:X,Y;FRAME:X,Y;… A block without FRAME belongs to the "
          + "frame before it."),
    ],
    examples: [
      Command.Example("cinematic info IMG_1234.MOV", "Everything on a page."),
      Command.Example(
        "cinematic info IMG_1234.MOV --json --frames --blocks '0:64,36;90:64,36'", "Everything for a program."),
    ],
    action: { invocation in
      let blocks = try invocation.value("blocks").map { try DisparityBlock.list($0, path: invocation.path) } ?? []
      let options = InfoOptions(
        showsFrames: invocation.has("frames"), checks: invocation.has("check"), blocks: blocks)
      let report = try MovieReport(path: invocation.operand("MOVIE"), options: options)
      if invocation.wantsJSON {
        report.writeJSON(invocation.console)
        if let failure = report.failure { throw ReportedFailure(failure) }
      } else {
        report.writeText(invocation.console)
        if let failure = report.failure { throw failure }
      }
    })
}

/// What `info` was asked for.
struct InfoOptions {
  var showsFrames = false
  var checks = false
  var blocks: [DisparityBlock] = []
}
