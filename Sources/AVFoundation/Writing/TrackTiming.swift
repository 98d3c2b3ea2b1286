internal import QuickTime

/// Turns the times of samples as they are appended into what a track stores: durations in decoding order and edits.
///
/// Times are in units of the track's time scale on the time line of the writer's source. Samples that follow each other form a run; a
/// jump back, or a gap in sound, begins another one, and each run becomes an edit.
///
/// ```
/// source  decode  8  9 10 11 | 30 31 32      shown 10..<12 and 31..<33
/// media           0  1  2  3 |  4  5  6      edits (from 2, 2 long) (empty 19) (from 5, 2 long)
/// ```
struct TrackTiming {
  /// One sample, or several equal ones, as appended.
  struct Sample {
    var decode: Int64
    /// Of each sample; nil where it is not known before the next sample.
    var duration: Int64?
    var count = 1
    /// When it is shown; nil if it is not.
    var shown: Range<Int64>?
    var isSync = true
    /// Whether it does not follow the sample before although its time may.
    var startsRun = false
  }

  /// Samples without a jump.
  private struct Run {
    var decodeStart: Int64
    var mediaStart: Int64
    var shown: Range<Int64>?
  }

  /// Whether durations are the samples' own, as in sound, and not the time until the next one.
  private let keepsDurations: Bool
  /// How far sound may be from its place before that counts as a gap.
  private let tolerance: Int64
  private var runs: [Run] = []
  private var pending: Sample?
  private var lastDuration: Int64 = 1
  /// The media time behind all samples whose duration is known.
  private var mediaEnd: Int64 = 0

  /// The most runs of a track.
  static let maximumRuns = 1 << 20

  init(scale: Int32, keepsDurations: Bool) {
    self.keepsDurations = keepsDurations
    // A millisecond: more than any rounding of times, less than the shortest packet.
    tolerance = Int64(scale) / 1000
  }

  /// Takes the next sample; answers the duration of the one before. Throws `AVError` if it cannot follow.
  mutating func append(_ sample: Sample) throws -> Int64? {
    let (duration, beginsRun) = try follow(sample)
    if let duration { end(duration) }
    if beginsRun {
      guard runs.count < Self.maximumRuns else {
        throw AVError(.mediaDiscontinuity, "The samples of a track jump in time more than \(Self.maximumRuns) times.")
      }
      runs.append(Run(decodeStart: sample.decode, mediaStart: mediaEnd))
    }
    show(sample.shown)
    pending = sample
    return duration
  }

  /// The duration of the last sample; nil if there is none.
  mutating func finish() -> Int64? {
    guard let last = pending else { return nil }
    let duration = last.duration ?? lastDuration
    end(duration)
    pending = nil
    return duration
  }

  private mutating func end(_ duration: Int64) {
    mediaEnd += duration * Int64(pending?.count ?? 0)
    if duration > 0 { lastDuration = duration }
  }

  private mutating func show(_ shown: Range<Int64>?) {
    guard let shown, !shown.isEmpty, let last = runs.indices.last else { return }
    let before = runs[last].shown ?? shown
    runs[last].shown = min(before.lowerBound, shown.lowerBound)..<max(before.upperBound, shown.upperBound)
  }

  /// The duration of the pending sample, and whether `sample` begins a run behind it.
  private func follow(_ sample: Sample) throws -> (duration: Int64?, beginsRun: Bool) {
    guard let last = pending, let run = runs.last else { return (nil, true) }
    let own = last.duration ?? lastDuration
    let delta = sample.decode - last.decode
    if sample.startsRun { return (own, true) }
    if last.count > 1 || keepsDurations && last.duration != nil {
      let expected = run.decodeStart + mediaEnd - run.mediaStart + own * Int64(last.count)
      return (own, abs(sample.decode - expected) > tolerance)
    }
    if delta > 0 { return (delta, false) }
    guard sample.isSync else {
      throw AVError(
        .mediaDiscontinuity,
        "A sample is decoded no later than the one appended before it; append samples in decoding order with ascending decode times."
      )
    }
    return (own, true)
  }
}

extension TrackTiming {
  /// The part of the source's time line that is written, in units of the track's time scale.
  struct Session {
    var start: Int64
    var end: Int64?
  }

  /// What is shown when: each run inside the session, in a movie that starts with the session.
  ///
  /// `scale` is the track's, `movieScale` the movie's. Each boundary is rounded by itself, so that errors do not add up.
  func edits(in session: Session, scale: Int32, movieScale: Int32) -> [Edit] {
    func movieTime(_ time: Int64) -> Int64 {
      let product = Int128(time - session.start) * Int128(movieScale)
      return Int64(clamping: roundedDivision(product, Int128(scale)))
    }
    var edits: [Edit] = []
    var end = session.start
    for stretch in stretches(in: session) {
      if stretch.start > end {
        let gap = movieTime(stretch.start) - movieTime(end)
        if gap > 0 { edits.append(Edit(segmentDuration: gap, mediaTime: -1)) }
      }
      let length = movieTime(stretch.end) - movieTime(stretch.start)
      if length > 0 { edits.append(Edit(segmentDuration: length, mediaTime: stretch.media)) }
      end = stretch.end
    }
    return edits
  }

  /// Whether all stretches begin at a whole unit of a movie's time scale, and those of pictures end at one.
  func isExact(in session: Session, scale: Int32, movieScale: Int32) -> Bool {
    func isWhole(_ time: Int64) -> Bool { Int128(time - session.start) * Int128(movieScale) % Int128(scale) == 0 }
    return stretches(in: session).allSatisfy { isWhole($0.start) && (keepsDurations || isWhole($0.end)) }
  }

  private struct Stretch {
    var start: Int64
    var end: Int64
    var media: Int64
  }

  /// A stretch ends where the next one begins, whatever its last sample would like.
  private func stretches(in session: Session) -> [Stretch] {
    let shown = runs.compactMap { run in run.shown.map { (run, $0) } }
    var stretches: [Stretch] = []
    for (index, (run, range)) in shown.enumerated() {
      var end = min(range.upperBound, session.end ?? range.upperBound)
      if index + 1 < shown.count, shown[index + 1].1.lowerBound > range.lowerBound {
        end = min(end, shown[index + 1].1.lowerBound)
      }
      // Media that would have to be shown before it is decoded cannot be.
      let start = max(range.lowerBound, stretches.last?.end ?? session.start, run.decodeStart - run.mediaStart)
      guard start < end else { continue }
      stretches.append(Stretch(start: start, end: end, media: start - run.decodeStart + run.mediaStart))
    }
    return stretches
  }
}

/// To the nearest, ties away from zero.
private func roundedDivision(_ numerator: Int128, _ denominator: Int128) -> Int128 {
  let half = denominator / 2
  return (numerator < 0 ? numerator - half : numerator + half) / denominator
}
