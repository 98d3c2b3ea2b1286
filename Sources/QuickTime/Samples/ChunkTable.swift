/// Which samples each chunk holds and where it lies.
package struct ChunkTable: Hashable, Sendable {
  /// Chunks of equal length and description: `stsc`, with the samples before each run counted.
  package struct Run: Hashable, Sendable {
    package var firstChunk: Int
    package var firstSample: Int
    package var samplesPerChunk: Int
    package var descriptionIndex: Int
  }

  package struct Place: Hashable, Sendable {
    package var chunk: Int
    /// Where the chunk starts in the file.
    package var offset: Int64
    /// The first sample of the chunk.
    package var firstSample: Int
    package var descriptionIndex: Int
  }

  package let offsets: ChunkOffsets
  package let runs: [Run]
  package let sampleCount: Int

  /// Counts the samples of each run; runs behind the last chunk are left out. `capacity` says whether there is room for all.
  init(offsets: ChunkOffsets, runs: [SampleToChunkAtom.Run], sampleCount: Int) {
    self.offsets = offsets
    self.sampleCount = sampleCount
    var counted: [Run] = []
    for run in runs where run.firstChunk < offsets.count {
      // At most 2^32 chunks of 2^32 samples a run: bounded, for a look-up never goes beyond the samples of the track.
      let before = counted.last.map { last in
        last.firstSample
          + min(Int(UInt32.max), (run.firstChunk - last.firstChunk).multipliedClamping(last.samplesPerChunk))
      }
      guard before ?? 0 < max(1, sampleCount) else { break }
      counted.append(
        Run(
          firstChunk: run.firstChunk, firstSample: before ?? 0, samplesPerChunk: run.samplesPerChunk,
          descriptionIndex: run.descriptionIndex))
    }
    self.runs = counted
  }

  package var count: Int { offsets.count }

  /// How many samples the chunks have room for; clamped, and at least `sampleCount` in a sound file.
  var capacity: Int {
    guard let last = runs.last else { return 0 }
    return last.firstSample + min(Int(UInt32.max), (count - last.firstChunk).multipliedClamping(last.samplesPerChunk))
  }

  /// The chunk of a sample, which must lie in `0..<sampleCount`.
  package func place(ofSample sample: Int) -> Place {
    let run = runs[lastRun { $0.firstSample <= sample }]
    let inside = (sample - run.firstSample) / run.samplesPerChunk
    return Place(
      chunk: run.firstChunk + inside, offset: offsets[run.firstChunk + inside],
      firstSample: run.firstSample + inside * run.samplesPerChunk, descriptionIndex: run.descriptionIndex)
  }

  /// The samples of a chunk, which must lie in `0..<count`; empty for chunks behind the last sample.
  package func samples(ofChunk chunk: Int) -> Range<Int> {
    guard !runs.isEmpty else { return 0..<0 }
    let run = runs[lastRun { $0.firstChunk <= chunk }]
    let first = run.firstSample + min(sampleCount, (chunk - run.firstChunk).multipliedClamping(run.samplesPerChunk))
    return min(first, sampleCount)..<min(first + run.samplesPerChunk, sampleCount)
  }

  private func lastRun(_ isBefore: (Run) -> Bool) -> Int {
    var low = 0
    var high = runs.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if isBefore(runs[middle]) { low = middle } else { high = middle }
    }
    return low
  }
}

extension Int {
  /// The product of two numbers that are not negative, `Int.max` where it overflows.
  fileprivate func multipliedClamping(_ other: Int) -> Int {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? .max : product
  }
}
