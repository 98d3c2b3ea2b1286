import Cinematic
import Foundation

extension CinematicTool {
  static let importEdits = Command(
    name: "import", summary: "take the edits from another file",
    details: [
      "FILE holds edits as JSON, as 'export' writes them, or as another file of edits. It replaces what EDITS holds: give -y if "
        + "EDITS is there already."
    ],
    operands: [Command.Operand("FILE", "JSON or edits.")], options: [.overwrite],
    examples: [Command.Example("cinematic edit IMG_1234.MOV focus.edits import focus.json", "After a change by hand.")],
    action: { invocation in
      let session = try await EditSession(importing: invocation)
      let list = DecisionList(session.script)
      try session.save(
        "\(list.user.count) user decisions, aperture \(session.script.apertureText)", list.json)
    })
}

extension EditSession {
  /// The movie's script with the edits of `FILE` instead of those of `EDITS`.
  fileprivate init(importing invocation: Invocation) async throws {
    try await self.init(invocation, source: EditsFile(invocation.operand("FILE")))
    guard !file.isThere || invocation.has("overwrite") else {
      throw Failure("'\(file.path)' is there already: give -y to replace its edits")
    }
  }
}
