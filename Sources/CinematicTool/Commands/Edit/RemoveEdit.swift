import Cinematic
import CoreMedia

extension CinematicTool {
  static let removeEdit = Command(
    name: "remove", summary: "take a decision back, also a tap made while recording",
    options: [atOption, Command.Option("all", "Take back all of them: only automatic decisions remain.")],
    examples: [
      Command.Example("cinematic edit IMG_1234.MOV focus.edits remove --at 2.5", "The decision at 2.5 seconds."),
      Command.Example("cinematic edit IMG_1234.MOV focus.edits remove --all", "Back to the automatic focus."),
    ],
    action: { invocation in
      guard invocation.has("all") != invocation.has("at") else {
        throw UsageError("either '--at' or '--all' is needed", path: invocation.path)
      }
      let session = try await EditSession(invocation)
      if invocation.has("all") {
        session.script.removeAllUserDecisions()
      } else {
        try session.removeDecision(onFrame: try session.frame())
      }
      session.removeUnusedTracks()
      let count = session.script.userDecisions(in: session.script.timeRange).count
      try session.save("\(count) user decisions remain", DecisionList(session.script).json)
    })
}

extension EditSession {
  /// Throws `Failure` where no user decision is on the frame.
  fileprivate func removeDecision(onFrame index: Int) throws {
    let end = index + 1 < frames.count ? frames[index + 1] : script.timeRange.end
    let range = CMTimeRange(start: frames[index], end: end)
    guard let decision = script.userDecisions(in: range).first else { throw noDecision(in: range) }
    _ = script.removeUserDecision(decision)
  }

  private func noDecision(in range: CMTimeRange) -> Failure {
    let time = range.start.clockText
    if !script.baseDecisions(in: range).isEmpty {
      return Failure("the decision at \(time) is an automatic one and stays: add one that overrides it")
    }
    let others = script.userDecisions(in: script.timeRange).map(\.time.clockText)
    let list = others.isEmpty ? "there are none" : "they are at " + others.joined(separator: ", ")
    return Failure("no user decision is at \(time): \(list)")
  }

  /// Added tracks that no decision uses any more.
  fileprivate func removeUnusedTracks() {
    let used = Set(script.userDecisions(in: script.timeRange).map(\.focusDetectionID))
    for track in script.addedDetectionTracks where !used.contains(.single(track.detectionID)) {
      _ = script.removeDetectionTrack(track)
    }
  }
}
