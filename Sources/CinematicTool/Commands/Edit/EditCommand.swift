import Cinematic
import Foundation

extension CinematicTool {
  /// `cinematic edit`
  static let editCommand = Command(
    name: "edit", summary: "change the focus and the aperture of a movie, in a file of edits",
    details: [
      "EDITS keeps the edits; the movie is never changed. The file is made by the first edit, and written anew by each: whole "
        + "or not at all. With a name that ends in .json it is readable JSON. 'cinematic render --edits EDITS' renders the "
        + "result, 'cinematic frame --edits EDITS' shows a single frame of it.",
      "A decision's time is the first moment at which its subject is in focus: the rack towards it ends there. A weak decision "
        + "holds until the next one, a strong one until the next user decision or until its subject disappears.",
    ],
    operands: [
      Command.Operand("MOVIE", "The Cinematic movie."), Command.Operand("EDITS", "The file that keeps the edits."),
    ],
    examples: [
      Command.Example(
        "cinematic edit IMG_1234.MOV focus.edits add --at 0:02.5 --detection 3 --strong",
        "From 2.5 seconds on, detection 3 is in focus and stays so."),
      Command.Example("cinematic edit IMG_1234.MOV focus.edits aperture 2.8", "Sets the aperture of the whole movie."),
    ],
    subcommands: [addEdit, removeEdit, apertureEdit, listEdits, clearEdits, exportEdits, importEdits])

  static let atOption = Command.Option("at", value: "TIME", "When: seconds, m:ss.mmm, h:mm:ss or #frame.")

  private static let apertureEdit = Command(
    name: "aperture", summary: "set the f-number of the whole movie",
    operands: [Command.Operand("N", "The f-number, from 0.7 to 64; small ones blur more.")],
    examples: [Command.Example("cinematic edit IMG_1234.MOV focus.edits aperture 2", "Opens the lens to f/2.")],
    action: { invocation in
      let number = try invocation.fNumber(invocation.operand("N"), named: "N")
      let session = try await EditSession(invocation)
      session.script.fNumber = number
      try session.save(
        "aperture \(session.script.apertureText)", .object([("aperture", .number(session.script.fNumber))]))
    })

  /// The f-numbers that the tool takes.
  static let apertureRange = 0.7...64.0

  private static let clearEdits = Command(
    name: "clear", summary: "drop all edits",
    details: ["What was recorded with the movie holds again, taps made while recording included."],
    options: [Command.Option("taps", "Drop the taps made while recording too: only automatic decisions remain.")],
    examples: [Command.Example("cinematic edit IMG_1234.MOV focus.edits clear", "Back to the movie as recorded.")],
    action: { invocation in
      let session = try await EditSession(invocation)
      session.script.reload(changes: nil)
      if invocation.has("taps") { session.script.removeAllUserDecisions() }
      try session.save("all edits are dropped", DecisionList(session.script).json)
    })

  private static let listEdits = Command(
    name: "list", summary: "show the aperture and all decisions",
    examples: [Command.Example("cinematic edit IMG_1234.MOV focus.edits list", "What holds, and from when to when.")],
    action: { invocation in
      let session = try await EditSession(invocation, mustExist: true)
      EditList(session.script).write(invocation)
    })

  private static let exportEdits = Command(
    name: "export", summary: "write the edits as JSON",
    options: [
      Command.Option("output", short: "o", value: "FILE", "Where to; '-', the default, is standard output."),
      .overwrite,
    ],
    examples: [
      Command.Example("cinematic edit IMG_1234.MOV focus.edits export -o focus.json", "To read, to compare, to keep.")
    ],
    action: { invocation in
      let session = try await EditSession(invocation, mustExist: true)
      let output = try SafeOutput(
        invocation.value("output") ?? "-", replaces: invocation.has("overwrite"),
        inputs: [session.movie, session.file.path], console: invocation.console)
      try output.write(session.script.changes().jsonRepresentation + [UInt8(ascii: "\n")])
      try output.commit()
    })
}
