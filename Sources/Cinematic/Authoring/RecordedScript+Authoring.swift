import CoreMedia
import Foundation
package import QuickTime

extension RecordedScript {
  /// The same detections with the focus that a phone would have recorded for the decisions: ids, flags, racks and disparities.
  ///
  /// A rack towards a base decision ends on the decision's frame, for the phone looks ahead. One towards a tap starts on the tap and takes
  /// at most 0.5 s, as does the way back when the tapped subject's track ends.
  ///
  ///     base  A A A A A A B B B B        tap  C at 1
  ///     focus A C⟋C C C C⟋B B B B
  ///
  /// `base` decisions are for single detections and `taps` for detections or groups; both are sorted here. Throws `.incompatible` with the
  /// reason for a decision outside the time range or for an unknown id, `.unsupported` for a base decision on a group.
  package func authored(
    base: [CNDecision], taps: [CNDecision] = [], fNumber: Float
  ) throws(CNCinematicError) -> RecordedScript {
    let source = ScriptSource(self)
    let snapshot = ScriptSnapshot(source)
    for decision in base + taps {
      if let objection = snapshot.objection(to: decision) { throw CNCinematicError(.incompatible, objection) }
    }
    for decision in base {
      guard case .group(let id) = decision.focusDetectionID else { continue }
      throw CNCinematicError(
        .unsupported,
        "The base decision at \(decision.time.seconds) s is for the group \(id.rawValue); choose a member.")
    }
    var author = FocusAuthor(source, base: base.inOrderOfTime, taps: taps.inOrderOfTime)
    author.place()
    var script = withoutFrames(timeRange)
    for index in 0..<frameCount { try script.append(author.frame(index, fNumber)) }
    return script
  }

  /// The `mebx` sample of a frame with all five keys of `CinematicKey.writtenKeyTable`.
  package func metadataSample(_ index: Int) -> MetadataSample {
    let frame = frame(index)
    let item = CinematicFrameItem(header: frame.header, detections: frame.detections)
    let rendering = CinematicRenderingItem(
      focusDisparity: frame.focusDisparity, fNumber: frame.fNumber, frameID: UInt32(index))
    let payloads: [CinematicKey: Data] = [
      .cinematography: item.payload, .rendering: rendering.payload,
      .stabilization: CinematicStabilizationItem().payload, .aperture: Self.data(frame.fNumber),
      .disparity: Self.data(frame.focusDisparity),
    ]
    return MetadataSample(
      items: CinematicKey.allCases.map {
        MetadataSampleItem(localID: $0.writtenLocalID, payload: payloads[$0] ?? Data())
      })
  }

  /// The bytes of a frame's `mebx` sample.
  package func metadataBytes(_ index: Int) -> Data { MetadataSampleCodec.data(of: metadataSample(index)) }

  private static func data(_ value: Float) -> Data {
    var writer = ByteWriter()
    writer.f32(value)
    return writer.data
  }
}

/// Works out what a phone would have recorded.
private struct FocusAuthor {
  private let source: ScriptSource
  private let subjects: FocusSubjects
  private let plan: FocusPlan
  private let base: [CNDecision]
  private var moves: [Move] = []
  private var curves: [SubjectCurve] = []

  /// A rack as frames: still at the old subject on the first, arrived on the last.
  private struct Move {
    var rack: FocusRack
    var frames: ClosedRange<Int>
  }

  init(_ source: ScriptSource, base: [CNDecision], taps: [CNDecision]) {
    self.source = source
    self.base = base
    subjects = FocusSubjects(source: source, tracks: [])
    let request = FocusPlan.Request(
      base: base, user: taps, timeRange: source.recorded.timeRange, trackEnd: subjects.trackEnd)
    plan = FocusPlan(request, frameTimes: source.recorded.times)
  }

  mutating func place() {
    placeCurves()
    let racks = plan.racks(source.recorded.timeRange.start)
    var freeFrom = 0
    for (index, rack) in racks.enumerated() {
      let next = index + 1 < racks.count ? racks[index + 1] : nil
      let frames = frames(of: rack, freeFrom: freeFrom, next: next)
      moves.append(Move(rack: rack, frames: frames))
      freeFrom = frames.upperBound
    }
  }

  /// A curve for each segment; nobody stays where the segment before left off.
  private mutating func placeCurves() {
    var held = RecordedFrame.standardFocusDisparity
    var known: [CNDecision.FocusDetectionID: SubjectCurve] = [:]
    for segment in plan.segments {
      let curve = segment.subject.map { known[$0] ?? subjects.curve($0) } ?? SubjectCurve(constant: held)
      if let subject = segment.subject { known[subject] = curve }
      curves.append(curve)
      if let last = segment.frames.last { held = Float(curve[last]) }
    }
  }

  /// Whether the phone could see the change coming: it looks ahead for its base decisions, not for taps or ends of tracks.
  private func isForeseen(_ rack: FocusRack) -> Bool {
    let segment = plan.segments[rack.to]
    guard let decision = segment.decision, !decision.isUserDecision else { return false }
    let place = base.partitioningIndex { $0.time >= segment.start }
    return place < base.count && base[place].time == segment.start
  }

  private func frames(of rack: FocusRack, freeFrom: Int, next: FocusRack?) -> ClosedRange<Int> {
    let seconds = source.seconds
    let arrival = seconds[rack.frame]
    let change = curves[rack.to][rack.frame] - curves[rack.from][rack.frame]
    let wanted = source.lens.rackDuration(change)
    if isForeseen(rack) {
      let start = arrival - min(wanted, arrival - seconds[freeFrom])
      return min(rack.frame, seconds.partitioningIndex { $0 >= start - 1e-9 })...rack.frame
    }
    // Half of the time to the next change is left to a rack that ends there.
    let room = next.map { (seconds[$0.frame] - arrival) / (isForeseen($0) ? 2 : 1) } ?? .infinity
    let end = arrival + min(wanted, FocusTiming.longestLiveRack, room)
    return rack.frame...max(rack.frame, seconds.partitioningIndex { $0 > end + 1e-9 } - 1)
  }

  func frame(_ index: Int, _ fNumber: Float) -> RecordedFrame {
    var frame = RecordedFrame(time: source.recorded.times[index])
    frame.detections = source.recorded.rows(ofFrame: index).map(source.recorded.detection)
    frame.fNumber = fNumber
    let segment = plan.segment(ofFrame: index)
    setFocus(&frame, index, plan.segments[segment])
    move(&frame, index, segment)
    return frame
  }

  private func setFocus(_ frame: inout RecordedFrame, _ index: Int, _ segment: FocusPlan.Segment) {
    let latest = base.partitioningIndex { $0.time > frame.time }
    if latest > 0 {
      let subject = base[latest - 1].focusDetectionID
      let isThere = subjects.trackEnd(subject).map { frame.time < $0 } ?? false
      frame.baseFocusTrackID = isThere ? subject.number : -1
    }
    frame.focusTrackID = segment.subject?.number ?? -1
    guard let decision = segment.decision, decision.isUserDecision else {
      let before = index > 0 ? plan.segments[plan.segment(ofFrame: index - 1)].decision : nil
      if before?.isUserDecision == true { frame.flags.insert(.userFocusEnds) }
      return
    }
    frame.userFocusTrackID = decision.focusDetectionID.number
    if decision.isStrongDecision { frame.flags.insert(.userFocusIsStrong) }
    if case .group = decision.focusDetectionID { frame.flags.insert(.userFocusIsGroup) }
  }

  private func move(_ frame: inout RecordedFrame, _ index: Int, _ segment: Int) {
    let resting = Float(curves[segment][index])
    frame.focusDisparity = resting
    let subject = plan.segments[segment].subject
    frame.rawFocusDisparity = subject.flatMap { subjects.detection(of: $0, onFrame: index)?.focusDisparity } ?? resting
    let next = moves.partitioningIndex { $0.frames.upperBound >= index }
    guard next < moves.count, moves[next].frames.contains(index), moves[next].frames.count > 1 else { return }
    let move = moves[next]
    let start = source.seconds[move.frames.lowerBound]
    let elapsed = source.seconds[index] - start
    let duration = source.seconds[move.frames.upperBound] - start
    let share = FocusTiming.minimumJerk(elapsed / duration)
    let (from, to) = (curves[move.rack.from][index], curves[move.rack.to][index])
    frame.focusDisparity = Float(from + share * (to - from))
    frame.transitionCoefficient = Float(share)
    frame.transitionElapsed = Float(elapsed)
    frame.transitionDuration = Float(duration)
  }
}

extension CNDecision.FocusDetectionID {
  fileprivate var number: Int64 {
    switch self {
    case .single(let id): id.rawValue
    case .group(let id): id.rawValue
    }
  }
}
