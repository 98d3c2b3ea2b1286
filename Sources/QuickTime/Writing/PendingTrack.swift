import Foundation

/// A track while it is written: its chunks that wait for the other tracks, and its table.
struct PendingTrack {
  private struct Chunk {
    var start: Double
    var descriptionIndex: Int
    var data = Data()
    var samples: [SampleTableBuilder.Run] = []
  }

  /// A chunk ends at the first sample behind half a second or four MiB.
  private static let chunkSeconds = 0.5
  private static let chunkBytes = 4 << 20
  /// The bytes of chunks that are held back for tracks that have not come as far.
  static let heldBytesLimit = 32 << 20

  var specification: TrackSpecification
  var isFinished = false
  /// The decode time behind the last sample, in the track's time scale.
  private(set) var end: Int64 = 0
  var builder = SampleTableBuilder()
  private(set) var heldBytes = 0
  private var waiting: [Chunk] = []
  private var current: Chunk?

  init(_ specification: TrackSpecification) {
    self.specification = specification
  }

  /// The start of the earliest sample that is not written yet, or of the next one to come.
  var unwrittenStart: Double { waiting.first?.start ?? current?.start ?? endSeconds }
  var endSeconds: Double { Double(end) / Double(specification.timescale) }
  /// The start of the earliest chunk that is complete; nil if none is.
  var nextChunkStart: Double? { waiting.first?.start }

  mutating func append(_ data: Data, _ sample: TimedSample) throws(QuickTimeError) {
    precondition(sample.count > 0 && data.count % sample.count == 0)
    let total = sample.duration.multipliedReportingOverflow(by: Int64(sample.count))
    guard let size = UInt32(exactly: data.count / sample.count), let count = UInt32(exactly: sample.count),
      let duration = UInt32(exactly: sample.duration), let offset = Int32(exactly: sample.compositionOffset),
      !total.overflow, total.partialValue < ReadingLimit.time - end
    else {
      throw QuickTimeError(
        .unsupported,
        """
        A sample of \(data.count) bytes, \(sample.duration) units long and \(sample.compositionOffset) units late does not fit a \
        movie; use another time scale.
        """)
    }
    if let current, !self.takes(sample, current) { endChunk() }
    if current == nil { current = Chunk(start: endSeconds, descriptionIndex: sample.descriptionIndex) }
    current?.data.append(data)
    var run = SampleTableBuilder.Run(
      size: size, duration: duration, compositionOffset: offset, isSync: sample.isSync,
      dependency: sample.dependency?.rawValue ?? 0)
    run.count = count
    current?.samples.append(run)
    end += total.partialValue
  }

  private func takes(_ sample: TimedSample, _ chunk: Chunk) -> Bool {
    chunk.descriptionIndex == sample.descriptionIndex && chunk.data.count < Self.chunkBytes
      && endSeconds - chunk.start < Self.chunkSeconds
  }

  /// Puts the current chunk with those that wait.
  mutating func endChunk() {
    guard let chunk = current else { return }
    waiting.append(chunk)
    heldBytes += chunk.data.count
    current = nil
  }

  /// Writes the earliest chunk that is complete.
  mutating func writeChunk(to sink: FileSink) throws(QuickTimeError) {
    let chunk = waiting.removeFirst()
    heldBytes -= chunk.data.count
    builder.beginChunk(at: sink.position, descriptionIndex: chunk.descriptionIndex)
    for run in chunk.samples {
      guard builder.append(run) else {
        throw QuickTimeError(.unsupported, "A track is longer than a movie can hold; use a smaller time scale.")
      }
    }
    try sink.write(chunk.data)
  }
}
