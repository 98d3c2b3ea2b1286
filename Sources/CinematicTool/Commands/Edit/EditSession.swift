import AVFoundation
import Cinematic
import CoreMedia
import Foundation
import QuickTime

/// A movie's script with the edits of a file, while a command changes them.
struct EditSession {
  let invocation: Invocation
  let movie: String
  let asset: AVURLAsset
  let file: EditsFile
  let script: CNScript

  /// Loads both. A file that is not there counts as no edits, unless it `mustExist`.
  ///
  /// Throws `Failure` or `CNCinematicError`, also for edits that were made for another movie.
  init(_ invocation: Invocation, mustExist: Bool = false) async throws {
    let file = EditsFile(invocation.operand("EDITS"))
    if mustExist, !file.isThere {
      throw Failure(
        "there is no such file as '\(file.path)' yet: the first edit makes it; 'cinematic info' shows what was recorded"
      )
    }
    try await self.init(invocation, source: file.isThere ? file : nil)
  }

  /// Loads the movie with the edits of `source`, which need not be the file that the result goes to.
  init(_ invocation: Invocation, source: EditsFile?) async throws {
    self.invocation = invocation
    movie = invocation.operand("MOVIE")
    file = EditsFile(invocation.operand("EDITS"))
    asset = AVURLAsset(url: URL(fileURLWithPath: movie))
    script = try await CNScript(asset: asset, changes: try source?.read())
  }

  /// The times of the movie's frames.
  var frames: [CMTime] { script.recorded.times }

  /// The index of the frame that `--at` means.
  func frame() throws -> Int {
    _ = try invocation.required("at")
    guard let expression = try invocation.time("at") else { return 0 }
    return try expression.frame(among: frames, end: script.timeRange.end)
  }

  /// Writes the edits, then says what was done: a line for people, or the decision for programs.
  func save(_ text: String, _ json: JSON) throws {
    try file.write(script.changes(), movie: movie, console: invocation.console)
    invocation.console.print(invocation.wantsJSON ? json.text : text)
  }
}
