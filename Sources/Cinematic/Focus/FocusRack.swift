import CoreMedia

/// The change of focus from one segment of a plan to the next one that has frames.
struct FocusRack: Sendable, Hashable {
  /// Indices of the plan's segments.
  let from: Int
  let to: Int
  /// The first frame of the new segment, and its start in seconds since the start of the time range.
  let frame: Int
  let arrival: Double
  /// The recorded rack that is replayed; nil for one that is planned here.
  var recorded: RecordedRack?
  /// How long a rack that is planned here takes in seconds; it ends on arrival. 0: no movement.
  var duration: Double

  /// When it moves, in seconds since the start of the time range.
  func interval(_ start: CMTime) -> Range<Double> {
    guard let recorded else { return arrival - duration..<arrival }
    let begin = (recorded.start - start).seconds
    return begin..<max(begin, (recorded.end - start).seconds)
  }
}

extension FocusPlan {
  /// The racks of the plan: one wherever the subject changes between segments that have frames. None has a duration yet.
  func racks(_ start: CMTime) -> [FocusRack] {
    var racks: [FocusRack] = []
    var previous: Int?
    for index in segments.indices where !segments[index].frames.isEmpty {
      if let from = previous, segments[from].subject != segments[index].subject {
        racks.append(
          FocusRack(
            from: from, to: index, frame: segments[index].frames.lowerBound,
            arrival: (segments[index].start - start).seconds, recorded: nil, duration: 0))
      }
      previous = index
    }
    return racks
  }
}
