public import CoreMedia

extension CNScript {
  /// The edits of a script, apart from the movie: to save, to undo, to apply again.
  ///
  /// They belong to the movie that they were made with and carry a fingerprint of it.
  public struct Changes: Sendable {
    /// One f-number for the whole movie.
    public var fNumber: Float { setFNumber ?? RecordedFrame.standardFNumber }
    /// All user decisions that hold: those added, and the taps made while recording unless they were removed.
    public var userDecisions: [CNDecision] { setDecisions ?? [] }
    /// The tracks added since recording.
    public internal(set) var addedDetectionTracks: [CNDetectionTrack]

    /// Nil: as recorded.
    package internal(set) var setFNumber: Float?
    /// Nil: as recorded.
    package internal(set) var setDecisions: [CNDecision]?
    /// The movie they were made with; nil where it is not known, as in hand-written JSON.
    package internal(set) var movie: ScriptFingerprint?
    var unknown = UnknownFields()

    package init(
      fNumber: Float? = nil, userDecisions: [CNDecision]? = nil, addedDetectionTracks: [CNDetectionTrack] = [],
      movie: ScriptFingerprint? = nil
    ) {
      setFNumber = fNumber
      setDecisions = userDecisions
      self.addedDetectionTracks = addedDetectionTracks
      self.movie = movie
    }
  }

  /// The present edits.
  public func changes() -> Changes { snapshot.changes }

  /// The present edits within the range, shifted so that the range starts at zero: they fit a movie that is trimmed to the same range.
  ///
  /// A user decision that is in effect at the start of the range is kept, at time zero. Decisions for subjects that do not appear in the
  /// range are left out.
  public func changes(trimmedBy timeRange: CMTimeRange) -> Changes { snapshot.changes(trimmedBy: timeRange) }

  /// Drops all edits and applies these; nil goes back to the recording.
  ///
  /// Changes that do not fit this movie leave the script as it is. `apply(_:)` says why they do not.
  public func reload(changes: Changes?) {
    try? apply(changes)
  }

  /// Drops all edits and applies these; nil goes back to the recording. Throws `.incompatible` with the reason, and changes nothing, if they
  /// were made for another movie, or decide outside it or for unknown ids.
  package func apply(_ changes: Changes?) throws(CNCinematicError) {
    _ = try change { snapshot, edits throws(CNCinematicError) in
      edits = ScriptEdits(recorded: source)
      if let changes { edits = try snapshot.edits(of: changes) }
      return true
    }
  }

  /// Why the changes do not fit this movie; nil if they do.
  package func objection(to changes: Changes) -> CNCinematicError? {
    do throws(CNCinematicError) {
      _ = try snapshot.edits(of: changes)
      return nil
    } catch {
      return error
    }
  }
}

extension ScriptSnapshot {
  var changes: CNScript.Changes {
    var changes = CNScript.Changes(
      fNumber: edits.fNumber, userDecisions: edits.userDecisions, addedDetectionTracks: edits.addedTracks,
      movie: source.fingerprint)
    changes.unknown = edits.unknown
    return changes
  }

  /// The edits that changes make of the recording, after a check that all of them fit.
  func edits(of changes: CNScript.Changes) throws(CNCinematicError) -> ScriptEdits {
    if let movie = changes.movie, movie != source.fingerprint { throw .otherMovie(movie, source.fingerprint) }
    var edits = ScriptEdits(recorded: source)
    edits.unknown = changes.unknown
    edits.addedTracks = changes.addedDetectionTracks
    try check(changes.addedDetectionTracks)
    if let fNumber = changes.setFNumber {
      guard RecordedFrame.isValidFNumber(fNumber) else {
        throw CNCinematicError(.malformed, "The changes set an f-number of \(fNumber); choose one above 0.")
      }
      edits.fNumber = fNumber
    }
    guard let decisions = changes.setDecisions else { return edits }
    edits.userDecisions = []
    let withTracks = replacing(edits)
    for decision in decisions {
      if let objection = withTracks.objection(to: decision) { throw CNCinematicError(.incompatible, objection) }
    }
    // The last of several at one time stays.
    edits.userDecisions = decisions.inOrderOfTime
    return edits
  }

  private func check(_ tracks: [CNDetectionTrack]) throws(CNCinematicError) {
    var ids: Set<Int64> = []
    for id in tracks.map(\.detectionID.rawValue) {
      guard id >= 0, !source.tracks.contains(id), ids.insert(id).inserted else {
        throw CNCinematicError(
          .incompatible,
          "The changes add a detection track with the id \(id), which is taken; give it an id of its own.")
      }
    }
  }
}

extension [CNDecision] {
  /// Sorted by time; of several at one time the last.
  var inOrderOfTime: [CNDecision] {
    let order = indices.sorted { self[$0].time == self[$1].time ? $0 < $1 : self[$0].time < self[$1].time }
    return order.enumerated().compactMap { place, index in
      let next = place + 1
      return next < order.count && self[order[next]].time == self[index].time ? nil : self[index]
    }
  }
}

extension CNCinematicError {
  fileprivate static func otherMovie(_ theirs: ScriptFingerprint, _ ours: ScriptFingerprint) -> CNCinematicError {
    let lengths =
      theirs.frameCount == ours.frameCount
      ? "" : " of \(theirs.frameCount) frames, while this one has \(ours.frameCount)"
    return CNCinematicError(
      .incompatible, "The changes were made for another movie\(lengths); open them with the movie they belong to.")
  }
}
