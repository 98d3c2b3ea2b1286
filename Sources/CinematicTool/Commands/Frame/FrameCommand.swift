package import Cinematic
import Foundation

extension CinematicTool {
  /// `cinematic frame`
  static let frameCommand = Command(
    name: "frame", summary: "render one frame to a PNG picture",
    details: [
      "The picture is upright and in standard dynamic range, as 'cinematic render --sdr' makes it. Use it to look before a long "
        + "render, and, with --boxes --ids, to see which id is whom: detections are framed in white, what is in focus in yellow, "
        + "dashed where the decision is weak; '2 g12' is detection 2 of group 12."
    ],
    operands: [Command.Operand("MOVIE", "The Cinematic movie.")],
    options: [
      atOption, .output, .overwrite, .edits, .aperture, .quality, .device, .boxes,
      Command.Option("ids", "Draw the detections with their ids."),
    ] + Command.Option.look,
    examples: [
      Command.Example(
        "cinematic frame IMG_1234.MOV --at 2.5 --boxes --ids -o who.png", "Who is in the picture, and who is in focus."),
      Command.Example(
        "cinematic frame IMG_1234.MOV --at '#75' --edits focus.edits --aperture 2 -o look.png",
        "How an edit looks at f/2."),
    ],
    action: { invocation in
      try invocation.checkOutputName(.png)
      let frame = try await StillFrame(invocation)
      let output = try invocation.output(inputs: frame.inputs)
      try frame.write(to: output)
      if invocation.wantsJSON, !output.isStandardOutput { invocation.console.print(frame.json.text) }
    })
}

extension Command.Option {
  package static let aperture = Self(
    "aperture", value: "N", "The f-number of the whole movie, from 0.7 to 64, in place of the edits'.")
  package static let quality = Self(
    "quality", value: "NAME", choices: ["thumbnail", "preview", "export", "exportHigh"],
    "How much time a picture may take; export unless given.")
  package static let boxes = Self("boxes", "Draw the detections.")
}

extension Invocation {
  /// The f-number after `--aperture`; nil where it is not given.
  package func aperture() throws -> Float? {
    try value("aperture").map { try fNumber($0, named: "'--aperture'") }
  }

  /// `text` as an f-number, which may be written as the tool writes it: `2.8` or `f/2.8`; `UsageError` otherwise.
  func fNumber(_ text: String, named name: String) throws -> Float {
    let isMarked = text.hasPrefix("f/") || text.hasPrefix("F/")
    return Float(try number(isMarked ? String(text.dropFirst(2)) : text, named: name, in: CinematicTool.apertureRange))
  }

  /// The quality after `--quality`.
  package func quality() -> CNRenderingQuality {
    switch value("quality") {
    case "thumbnail": .thumbnail
    case "preview": .preview
    case "exportHigh": .exportHigh
    default: .export
    }
  }
}
