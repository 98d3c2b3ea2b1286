internal import CoreMedia
internal import Foundation
internal import QuickTime

/// One or, for uncompressed sound, several samples as they are stored, and where they belong.
struct StoredSample {
  /// The first of the samples.
  var sample: Sample
  /// How many samples of the same size and duration lie in `data`.
  var count: Int
  var data: CMBlockBuffer
  var segment: TrackSegment
  /// Whether it is only there because others cannot be decoded without it.
  var isShown: Bool
  /// Whether it is the first of its segment.
  var startsSegment: Bool

  /// The end of the last sample, in units of the media's time scale.
  var endTime: Int64 { sample.presentationTime + Int64(count) * sample.duration }
}

/// Walks over the stored samples of a track in decoding order, segment by segment.
struct StoredSamples {
  enum Item {
    case sample(StoredSample)
    /// An empty edit: nothing is shown for a while.
    case emptyEdit(TrackSegment)
  }

  private let track: MovieTrack
  private let rule: SamplePlan.Rule
  private let mayBatch: Bool
  private var bytes: SampleBytes
  private var segments: [TrackSegment]
  private var segment: TrackSegment?
  private var plan: SamplePlan?
  private var next = 0

  /// `segments` in movie order. `mayBatch` is for media whose samples are so small that they must not be handled one by one; `bytes`
  /// gets the samples' data.
  init(
    track: MovieTrack, segments: [TrackSegment], rule: SamplePlan.Rule, mayBatch: Bool, bytes: SampleBytes
  ) {
    self.bytes = bytes
    self.track = track
    self.rule = rule
    self.mayBatch = mayBatch
    self.segments = segments.reversed()
  }

  /// The next item; nil at the end. Throws `QuickTimeError` where a sample cannot be read.
  mutating func nextItem() throws -> Item? {
    while true {
      if let plan, let segment, next < plan.samples.upperBound { return .sample(try read(plan, segment)) }
      guard let following = segments.popLast() else { return nil }
      segment = following
      plan = SamplePlan(track.samples, segment: following, rule: rule)
      next = plan?.samples.lowerBound ?? 0
      if following.isEmptyEdit { return .emptyEdit(following) }
    }
  }

  private mutating func read(_ plan: SamplePlan, _ segment: TrackSegment) throws -> StoredSample {
    let sample = track.samples[next]
    let count = batch(from: sample, before: plan.samples.upperBound)
    let data = try bytes.read(sample, count: count, before: plan.samples.upperBound)
    let stored = StoredSample(
      sample: sample, count: count, data: data, segment: segment, isShown: plan.isShown(sample),
      startsSegment: next == plan.samples.lowerBound)
    next += count
    return stored
  }

  /// How many equal samples from `sample` on lie side by side in the file.
  private func batch(from sample: Sample, before end: Int) -> Int {
    guard mayBatch, sample.size > 0, case .uniform = track.samples.sizes.storage, !track.samples.hasCompositionOffsets
    else { return 1 }
    let run = track.samples.durations.run(at: sample.index)
    let chunkEnd = track.samples.chunks.samples(ofChunk: sample.chunkIndex).upperBound
    let limit = min(chunkEnd, run.first + run.count, end) - sample.index
    return max(1, min(limit, Self.batchBytes / sample.size))
  }

  /// About a quarter of a second of stereo.
  private static let batchBytes = 1 << 16
}
