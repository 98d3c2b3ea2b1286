public import CoreMedia
import Synchronization

/// The focus of a Cinematic movie over time: who was detected, who is in focus, and the decisions that say so.
///
/// Safe to use from any thread. Look-ups cost microseconds and read an immutable state; a change makes a new one, which takes milliseconds
/// for an hour of film, while look-ups go on with the one before.
public final class CNScript: Sendable {
  let source: ScriptSource
  private let current: Mutex<ScriptSnapshot>
  // Held while a change is made, so that changes follow each other and look-ups need not wait.
  private let changing = Mutex<Void>(())

  /// A script of a recording, without a movie.
  package init(recorded: RecordedScript) {
    source = ScriptSource(recorded)
    current = Mutex(ScriptSnapshot(source))
  }

  var snapshot: ScriptSnapshot { current.withLock { $0 } }

  /// Makes one change after the other. Where `edit` throws or answers nil, nothing changes.
  func change<Answer, Failure: Error>(
    _ edit: (ScriptSnapshot, inout ScriptEdits) throws(Failure) -> Answer?
  ) throws(Failure) -> Answer? {
    // `withLock` does not carry typed errors of generic type through; the result does.
    let result: Result<Answer?, Failure> = changing.withLock { _ in
      let snapshot = snapshot
      var edits = snapshot.edits
      do throws(Failure) {
        let answer = try edit(snapshot, &edits)
        if answer != nil {
          let next = snapshot.replacing(edits)
          current.withLock { $0 = next }
        }
        return .success(answer)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// What was recorded, frame by frame.
  package var recorded: RecordedScript { source.recorded }

  /// What was missing or odd in the movie, a sentence each.
  package var warnings: [String] { source.recorded.warnings }
}

extension CNScript {
  /// All frames, decisions and detections lie in it.
  public var timeRange: CMTimeRange { source.recorded.timeRange }

  /// One f-number for the whole movie: as recorded in its first frame until it is set. Ignored unless positive and finite.
  public var fNumber: Float {
    get { snapshot.edits.fNumber }
    set {
      guard RecordedFrame.isValidFNumber(newValue) else { return }
      _ = change { _, edits in edits.fNumber = newValue }
    }
  }

  /// Adds a decision, in place of a user decision at the identical time. False, and nothing is changed, if there is no such
  /// detection or group or if the time lies outside the script.
  @discardableResult
  public func addUserDecision(_ decision: CNDecision) -> Bool {
    change { snapshot, edits in
      guard snapshot.objection(to: decision) == nil else { return nil }
      edits.insert(
        CNDecision(
          time: decision.time, focusDetectionID: decision.focusDetectionID, strong: decision.isStrongDecision,
          user: true))
      return true
    } ?? false
  }

  /// Adds a decision, or throws `.incompatible` with the reason why it cannot be made.
  package func add(_ decision: CNDecision) throws(CNCinematicError) {
    if let objection = snapshot.objection(to: decision) { throw CNCinematicError(.incompatible, objection) }
    addUserDecision(decision)
  }

  /// Removes a user decision, those tapped while recording included. False if there is none at that time for that subject: base decisions
  /// cannot be removed.
  @discardableResult
  public func removeUserDecision(_ decision: CNDecision) -> Bool {
    change { _, edits in
      let index = edits.userDecisions.firstIndex {
        $0.time == decision.time && $0.focusDetectionID == decision.focusDetectionID
      }
      guard let index else { return nil }
      edits.userDecisions.remove(at: index)
      return true
    } ?? false
  }

  /// Leaves only the base decisions in effect.
  public func removeAllUserDecisions() {
    _ = change { _, edits in edits.userDecisions = [] }
  }

  /// Adds a track and answers its id: a new one, which the track then has too, unless it already has one that is free here.
  @discardableResult
  public func addDetectionTrack(_ track: CNDetectionTrack) -> CNDetectionID {
    let id: CNDetectionID? = change { snapshot, edits in
      if edits.addedTracks.contains(where: { $0 === track }) { return track.detectionID }
      let isFree = track.detectionID.rawValue >= 0 && !snapshot.subjects.contains(.single(track.detectionID))
      if !isFree { track.assign(snapshot.nextDetectionID) }
      edits.addedTracks.append(track)
      return track.detectionID
    }
    return id ?? CNDetectionID(-1)
  }

  /// Removes a track that a user added, and the decisions for it. False for a recorded one, and for one that is not among
  /// `addedDetectionTracks`, as one of another script, whatever its id.
  @discardableResult
  public func removeDetectionTrack(_ track: CNDetectionTrack) -> Bool {
    change { _, edits in
      guard let index = edits.addedTracks.firstIndex(where: { $0 === track }) else { return nil }
      let id = edits.addedTracks.remove(at: index).detectionID
      edits.userDecisions.removeAll { $0.focusDetectionID == .single(id) }
      return true
    } ?? false
  }

  /// The tracks added since recording.
  public var addedDetectionTracks: [CNDetectionTrack] { snapshot.edits.addedTracks }
}

extension ScriptSnapshot {
  /// Greater than every id of the movie and of the added tracks; the smallest free one where the greatest of all is taken.
  fileprivate var nextDetectionID: CNDetectionID {
    let added = edits.addedTracks.map(\.detectionID.rawValue)
    let greatest = max(added.max() ?? 0, source.tracks.ids.last ?? 0)
    guard greatest == .max else { return CNDetectionID(greatest + 1) }
    let taken = Set(added + source.tracks.ids)
    // There are more ids than a script may have detections.
    return CNDetectionID((0...Int64.max).first { !taken.contains($0) }!)
  }
}
