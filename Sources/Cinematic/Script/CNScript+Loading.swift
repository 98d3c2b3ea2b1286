public import AVFoundation
public import Foundation

extension CNScript {
  /// Reads what was recorded about the focus of a movie; `changes` are then applied, nil leaves it as recorded.
  ///
  /// `progress` counts frames of this load; a total of 0 is filled in. Cancelling it, or the task, makes the load fail.
  ///
  /// Throws `CNCinematicError`: `.unreadable`, `.incomplete` or `.malformed` for the movie, `.incompatible` for changes that were made for
  /// another movie or do not fit this one, `.cancelled`.
  public convenience init(asset: AVAsset, changes: Changes? = nil, progress: Progress? = nil) async throws {
    let progress = progress ?? Progress(totalUnitCount: 0)
    let recorded = try await withTaskCancellationHandler {
      try RecordedScript(reading: CinematicTracks(asset), progress: progress)
    } onCancel: {
      progress.cancel()
    }
    self.init(recorded: recorded)
    if let changes { try apply(changes) }
  }
}
