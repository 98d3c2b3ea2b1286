import CoreMedia
import QuickTime
import Foundation

/// A recording with everything that is derived from it once: the rows of each id, its decisions and its racks.
final class ScriptSource: Sendable {
  let recorded: RecordedScript
  /// Seconds of each frame since the start of the time range.
  let seconds: [Double]
  let tracks: DetectionRows
  let groups: DetectionRows
  /// One at each change of the base focus, the first frame included.
  let baseDecisions: [CNDecision]
  /// One at each change of the user focus to a subject, as tapped while recording.
  let recordedUserDecisions: [CNDecision]
  let racks: [RecordedRack]
  let lens: FocusLens
  let fingerprint: ScriptFingerprint

  init(_ recorded: RecordedScript) {
    self.recorded = recorded
    let start = recorded.timeRange.start
    seconds = recorded.times.map { ($0 - start).seconds }
    tracks = DetectionRows(recorded, by: recorded.trackIDs)
    groups = DetectionRows(recorded, by: recorded.groupIDs)
    baseDecisions = Self.baseDecisions(recorded)
    recordedUserDecisions = Self.userDecisions(recorded)
    racks = RecordedRack.racks(of: recorded)
    lens = FocusLens(focalLength: Double(recorded.focalLength))
    fingerprint = recorded.fingerprint
  }

  /// One at each change of the base focus track id:
  ///
  ///     base id    1 1 1 2 2 -1 2
  ///     decisions  1     2      2
  private static func baseDecisions(_ script: RecordedScript) -> [CNDecision] {
    var decisions: [CNDecision] = []
    var last: Int64 = -1
    for (frame, id) in script.baseFocusTrackIDs.enumerated() {
      if id != last && id >= 0 {
        decisions.append(
          CNDecision(
            time: script.times[frame], focusDetectionID: .single(CNDetectionID(id)), strong: false, user: false))
      }
      last = id
    }
    return decisions
  }

  /// One at each change of the user focus track id to a subject; with the group flag the id is a group's.
  private static func userDecisions(_ script: RecordedScript) -> [CNDecision] {
    var decisions: [CNDecision] = []
    var last: Int64 = -1
    for (frame, id) in script.userFocusTrackIDs.enumerated() {
      let flags = script.flags[frame]
      if id != last && id >= 0 {
        let subject: CNDecision.FocusDetectionID =
          flags.contains(.userFocusIsGroup) ? .group(CNDetectionGroupID(id)) : .single(CNDetectionID(id))
        decisions.append(
          CNDecision(
            time: script.times[frame], focusDetectionID: subject, strong: flags.contains(.userFocusIsStrong),
            user: true))
      }
      last = id
    }
    return decisions
  }
}

extension ScriptSource {
  /// The detection of a row, as Swift developers know it.
  func detection(row: Int, frame: Int) -> CNDetection {
    detection(row: row, time: recorded.times[frame])
  }

  func detection(row: Int, time: CMTime) -> CNDetection {
    let rectangle = recorded.rectangles[row]
    let group = recorded.groupIDs[row]
    let id = recorded.trackIDs[row]
    return CNDetection(
      time: time, detectionType: CNDetectionType(number: Int(recorded.types[row])),
      normalizedRect: CGRect(
        x: CGFloat(rectangle.x), y: CGFloat(rectangle.y), width: CGFloat(rectangle.z), height: CGFloat(rectangle.w)),
      focusDisparity: recorded.disparities[row], detectionID: id >= 0 ? CNDetectionID(id) : nil,
      detectionGroupID: group >= 0 ? CNDetectionGroupID(group) : nil)
  }

  /// For each frame that has a member of the group, the best one's row: lowest rank of type, then the row that comes first.
  func bestRows(ofGroup id: Int64) -> [DetectionRows.Row] {
    var best: [DetectionRows.Row] = []
    for row in groups[id] {
      guard let last = best.last, last.frame == row.frame else {
        best.append(row)
        continue
      }
      if focusRank(row) < focusRank(last) { best[best.count - 1] = row }
    }
    return best
  }

  func focusRank(_ row: DetectionRows.Row) -> Int {
    CNDetectionType(number: Int(recorded.types[Int(row.row)])).focusRank
  }

  /// The rows of one track, one for each frame that has it.
  func rows(ofTrack id: Int64) -> [DetectionRows.Row] {
    var rows: [DetectionRows.Row] = []
    for row in tracks[id] where rows.last?.frame != row.frame { rows.append(row) }
    return rows
  }
}

/// A rack that the recording made: a run of frames with a transition.
struct RecordedRack: Hashable, Sendable {
  /// From the frame that is still at the old subject to the one that has arrived at the new.
  let frames: ClosedRange<Int>
  /// Those on which the focus is at neither subject.
  let movingFrames: Range<Int>
  let start: CMTime
  let end: CMTime

  /// Whether the focus is away from the frame's subject, which changes on `arrival`.
  func isAway(_ frame: Int, arrival: Int) -> Bool {
    if frame < movingFrames.lowerBound { return frame >= arrival }
    return frame < movingFrames.upperBound || frame < arrival
  }

  /// A rack lasts while the transition's duration is positive; a new one starts where its elapsed time does not rise.
  ///
  ///     duration  0 0 3 3 3 3 0 0 3 3 3 3 3 0
  ///     elapsed   0 0 0 1 2 3 0 0 0 1 0 1 2 0
  ///     racks         a a a a     b b c c c
  static func racks(of script: RecordedScript) -> [RecordedRack] {
    var racks: [RecordedRack] = []
    var first: Int?
    func close(_ next: Int) {
      if let start = first { racks.append(rack(start...next - 1, script)) }
      first = nil
    }
    for (frame, transition) in script.transitions.enumerated() {
      let moves = transition.duration > 0 && transition.duration.isFinite
      if !moves || (frame > 0 && transition.elapsed <= script.transitions[frame - 1].elapsed) { close(frame) }
      if moves && first == nil { first = frame }
    }
    close(script.frameCount)
    return racks
  }

  private static func rack(_ frames: ClosedRange<Int>, _ script: RecordedScript) -> RecordedRack {
    let first = script.transitions[frames.lowerBound]
    let last = script.transitions[frames.upperBound]
    let waits = first.coefficient <= 0 || first.elapsed <= 0
    let arrived = last.coefficient >= 1 || last.elapsed >= last.duration
    let next = frames.upperBound + 1
    let following = next < script.frameCount ? script.times[next] : script.timeRange.end
    let begin = waits ? frames.lowerBound + 1 : frames.lowerBound
    return RecordedRack(
      frames: frames, movingFrames: begin..<max(begin, arrived ? frames.upperBound : next),
      start: script.times[frames.lowerBound], end: arrived ? script.times[frames.upperBound] : following)
  }
}
