import Cinematic
import Foundation

extension CinematicTool {
  static let importEdits = Command(
    name: "import", summary: "take the edits from another file",
    details: [
      "FILE holds edits as JSON, as 'export' writes them, another file of edits, or the edits that Photos keeps beside a movie "
        + "(.AAE), of which aperture and focus are taken where they are understood. It replaces what EDITS holds: give -y if EDITS "
        + "is there already."
    ],
    operands: [Command.Operand("FILE", "JSON, edits or .AAE.")], options: [.overwrite],
    examples: [
      Command.Example("cinematic edit IMG_1234.MOV focus.edits import focus.json", "After a change by hand."),
      Command.Example("cinematic edit IMG_1234.MOV focus.edits import IMG_1234.AAE", "What was edited in Photos."),
    ],
    action: { invocation in
      let session = try await EditSession(invocation, source: nil)
      guard !session.file.isThere || invocation.has("overwrite") else {
        throw Failure("'\(session.file.path)' is there already: give -y to replace its edits")
      }
      try session.take(EditsFile(invocation.operand("FILE")))
      let list = DecisionList(session.script)
      try session.save("\(list.user.count) user decisions, aperture \(session.script.apertureText)", list.json)
    })
}

extension EditSession {
  /// Applies the edits of a file to the movie as recorded. Throws where they do not fit it, and changes nothing then.
  fileprivate func take(_ source: EditsFile) throws {
    let data = try source.contents()
    guard Self.isPropertyList(data) || source.path.lowercased().hasSuffix(".aae") else {
      return try script.apply(try source.changes(in: data))
    }
    let adjustments = try AdjustmentFile(data)
    try adjustments.apply(to: script)
    guard !adjustments.ignored.isEmpty else { return }
    let names = adjustments.ignored.prefix(8).joined(separator: ", ")
    let more = adjustments.ignored.count > 8 ? " and \(adjustments.ignored.count - 8) more" : ""
    invocation.console.note("Note: of '\(source.path)' these are not understood and left out: \(names)\(more).")
  }

  private static func isPropertyList(_ data: Data) -> Bool {
    data.starts(with: Data("bplist".utf8)) || data.starts(with: Data("<?xml".utf8))
      || data.starts(with: Data("<!DOCTYPE plist".utf8))
  }
}
