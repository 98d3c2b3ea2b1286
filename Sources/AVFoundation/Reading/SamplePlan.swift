internal import QuickTime

/// The samples that a stretch of a track needs, in decoding order.
struct SamplePlan: Hashable {
  /// From the sample where decoding starts to the last one that is shown.
  var samples: Range<Int>
  /// What is shown of them: presentation times in units of the media's time scale.
  var shown: Range<Int64>
  /// Whether a sample is shown as soon as a part of it is, not only if its start is.
  private let showsParts: Bool

  /// How the samples of a kind of media depend on each other and on time.
  enum Rule {
    /// Shown if its start lies inside; decoding starts at a sync sample.
    case picture
    /// Shown in part, sample by sample; decoding needs the packets before to settle.
    case sound(settlingPackets: Int)
    /// Holds until the next one: shown if any part of it lies inside.
    case state
  }

  /// Nil where the stretch shows no sample.
  init?(_ table: SampleTable, segment: TrackSegment, rule: Rule) {
    guard !segment.isEmptyEdit, !segment.media.isEmpty, !table.isEmpty else { return nil }
    let samples: Range<Int>? =
      switch rule {
      case .picture: Self.pictures(table, segment.media)
      case .sound(let packets): Self.overlapping(table, segment.media).map { Self.settled($0, packets) }
      case .state: Self.overlapping(table, segment.media)
      }
    guard let samples else { return nil }
    self.samples = samples
    shown = segment.media
    if case .picture = rule { showsParts = false } else { showsParts = true }
  }

  func isShown(_ sample: Sample) -> Bool {
    let start = sample.presentationTime
    return shown.contains(start) || showsParts && start < shown.lowerBound && start + sample.duration > shown.lowerBound
  }

  private static func pictures(_ table: SampleTable, _ media: Range<Int64>) -> Range<Int>? {
    let order = table.presentationOrder
    let positions =
      order.position(ofFirstAtOrAfter: media.lowerBound)..<order.position(ofFirstAtOrAfter: media.upperBound)
    guard let first = positions.first else { return nil }
    guard table.hasCompositionOffsets else {
      return start(table, first, shownFrom: order.presentationTime(first))..<positions.upperBound
    }
    var (low, high) = (order[first], order[first])
    for position in positions {
      low = min(low, order[position])
      high = max(high, order[position])
    }
    return start(table, low, shownFrom: order.presentationTime(first))..<high + 1
  }

  /// The sync sample from which everything shown from `time` on can be decoded.
  ///
  /// Pictures that lead an open group, shown before its sync sample but decoded after it, need the group before.
  private static func start(_ table: SampleTable, _ index: Int, shownFrom time: Int64) -> Int {
    guard var sync = table.syncSample(atOrBefore: index) else { return 0 }
    while table.presentationTime(sync) > time, sync > 0, let earlier = table.syncSample(atOrBefore: sync - 1) {
      sync = earlier
    }
    return sync
  }

  private static func overlapping(_ table: SampleTable, _ media: Range<Int64>) -> Range<Int>? {
    // Sound and states are decoded in the order in which they are shown.
    guard media.lowerBound < table.totalDuration, let last = table.index(atDecodeTime: media.upperBound - 1) else {
      return nil
    }
    let first = table.index(atDecodeTime: media.lowerBound) ?? 0
    return first..<last + 1
  }

  /// A start near the beginning of the media takes all of it, so that the encoder's priming is kept in a copy.
  private static func settled(_ samples: Range<Int>, _ packets: Int) -> Range<Int> {
    guard packets > 0 else { return samples }
    let start = samples.lowerBound <= Self.primingPackets ? 0 : samples.lowerBound - packets
    return max(0, start)..<samples.upperBound
  }

  /// Encoders prime with at most 2112 samples: three packets of AAC; four leave room.
  private static let primingPackets = 4
}
