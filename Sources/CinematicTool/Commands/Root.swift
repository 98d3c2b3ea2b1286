extension CinematicTool {
  /// The table of commands: each folder beside this file holds one of them.
  package static let root = Command(
    name: "cinematic",
    summary: "look into, refocus and render movies shot in Cinematic mode",
    details: [
      "Times are seconds (12.5), m:ss.mmm, h:mm:ss or #frame, counted from the start of the movie. Edits are kept in a "
        + "file of their own; the movie is never changed."
    ],
    options: [.version],
    examples: [
      Command.Example("cinematic info IMG_1234.MOV", "What the movie holds, and whether its focus can be changed.")
    ],
    subcommands: [
      infoCommand, frameCommand, editCommand, renderCommand, overCommand, extractCommand, packCommand, recoverCommand,
      decodeCommand, scrubCommand, synthCommand, decodersCommand, devicesCommand,
    ])
}
