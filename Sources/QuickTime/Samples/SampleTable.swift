/// All samples of a track, in decoding order.
///
/// Runs stay runs and sizes stay as wide as they are stored: a table of 18 million equal samples takes a few bytes. A look-up takes
/// O(log n). Safe to use from any thread.
package struct SampleTable: Sendable {
  /// Durations in decoding order; covers exactly `count` samples.
  package let durations: RunTable<UInt32>
  /// Nil where all offsets are 0; samples behind its end have offset 0.
  package let compositionOffsets: RunTable<Int32>?
  package let sizes: SampleSizes
  package let chunks: ChunkTable
  /// Sample numbers from 1, ascending; nil where every sample is one.
  package let syncSamples: [UInt32]?
  /// One byte a sample, perhaps fewer than `count`.
  package let dependencies: [UInt8]?
  /// The decode time of the first sample: 0 but in fragmented movies that start later.
  package let start: Int64
  /// Found when first asked for.
  let order: PresentationOrder

  /// The number of samples.
  package var count: Int { sizes.count }
  package var isEmpty: Bool { count == 0 }
  /// The bytes of all samples.
  package var totalBytes: Int64 { sizes.totalBytes }
  /// The sum of all durations.
  package var totalDuration: Int64 { durations.sum }
  package var hasCompositionOffsets: Bool { compositionOffsets != nil }
  /// How many samples decoding can start from.
  package var syncSampleCount: Int { syncSamples?.count ?? count }

  package static let empty = SampleTable(
    durations: RunTable(), compositionOffsets: nil, sizes: SampleSizes(.words([])),
    chunks: ChunkTable(offsets: .short([]), runs: [], sampleCount: 0), syncSamples: nil, dependencies: nil)

  /// The parts must agree in their number of samples.
  init(
    durations: RunTable<UInt32>, compositionOffsets: RunTable<Int32>?, sizes: SampleSizes, chunks: ChunkTable,
    syncSamples: [UInt32]?, dependencies: [UInt8]?, start: Int64 = 0
  ) {
    self.durations = durations
    self.compositionOffsets = compositionOffsets
    self.sizes = sizes
    self.chunks = chunks
    self.syncSamples = syncSamples
    self.dependencies = dependencies
    self.start = start
    order = PresentationOrder(start: start, durations: durations, offsets: compositionOffsets, count: sizes.count)
  }

  /// The sample at `index`, which must lie in `0..<count`.
  package subscript(index: Int) -> Sample {
    precondition((0..<count).contains(index))
    let timing = durations.run(at: index)
    let place = chunks.place(ofSample: index)
    return Sample(
      index: index, offset: place.offset + sizes.bytes(before: index) - sizes.bytes(before: place.firstSample),
      size: Int(sizes[index]), decodeTime: start + timing.sum + Int64(index - timing.first) * Int64(timing.value),
      compositionOffset: compositionOffset(index), duration: Int64(timing.value), isSync: isSync(index),
      descriptionIndex: place.descriptionIndex, chunkIndex: place.chunk, dependency: dependency(index))
  }

  package func decodeTime(_ index: Int) -> Int64 { start + durations.sum(before: index) }

  package func compositionOffset(_ index: Int) -> Int64 {
    guard let offsets = compositionOffsets, index < offsets.count else { return 0 }
    return Int64(offsets.run(at: index).value)
  }

  package func presentationTime(_ index: Int) -> Int64 { decodeTime(index) + compositionOffset(index) }

  package func isSync(_ index: Int) -> Bool {
    guard let syncSamples else { return true }
    let position = syncSamples.firstIndex(atOrAbove: UInt32(index) + 1)
    return position < syncSamples.count && syncSamples[position] == UInt32(index) + 1
  }

  private func dependency(_ index: Int) -> SampleDependency? {
    guard let dependencies, index < dependencies.count else { return nil }
    return SampleDependency(rawValue: dependencies[index])
  }
}

extension [UInt32] {
  /// In ascending numbers, the position of the first that is at least `value`; `count` if there is none.
  func firstIndex(atOrAbove value: UInt32) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
