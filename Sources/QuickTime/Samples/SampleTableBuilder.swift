/// Collects samples into a table: of fragments while reading, of what was appended while writing.
package struct SampleTableBuilder: Sendable {
  /// Equal samples that follow each other.
  package struct Run: Hashable, Sendable {
    package var count: UInt32 = 1
    package var size: UInt32
    package var duration: UInt32
    package var compositionOffset: Int32
    package var isSync: Bool
    package var dependency: UInt8

    package init(
      size: UInt32, duration: UInt32, compositionOffset: Int32 = 0, isSync: Bool = true, dependency: UInt8 = 0
    ) {
      self.size = size
      self.duration = duration
      self.compositionOffset = compositionOffset
      self.isSync = isSync
      self.dependency = dependency
    }
  }

  package private(set) var durations = RunTable<UInt32>()
  /// The decode time of the first sample.
  package var start: Int64 = 0
  private var offsets: RunTable<Int32>?
  private var uniformSize: UInt32?
  private var sizes: [UInt32] = []
  private var syncSamples: [UInt32]?
  private var dependencies: [UInt8]?
  private var chunkOffsets: [Int64] = []
  private var chunkRuns: [SampleToChunkAtom.Run] = []
  private var chunkSamples = 0
  private var chunkDescription = 0

  package init() {}

  /// Continues a table.
  init(_ table: SampleTable) {
    start = table.start
    durations = table.durations
    offsets = table.compositionOffsets
    syncSamples = table.syncSamples
    dependencies = table.dependencies
    if case .uniform(let size, _) = table.sizes.storage {
      uniformSize = size
    } else {
      sizes = (0..<table.count).map { table.sizes[$0] }
    }
    chunkOffsets = (0..<table.chunks.count).map { table.chunks.offsets[$0] }
    chunkRuns = table.chunks.runs.map {
      SampleToChunkAtom.Run(
        firstChunk: $0.firstChunk, samplesPerChunk: $0.samplesPerChunk, descriptionIndex: $0.descriptionIndex)
    }
    // Chunks behind the last sample would swallow what follows.
    let used = table.isEmpty ? 0 : table.chunks.place(ofSample: table.count - 1).chunk + 1
    chunkOffsets.removeLast(chunkOffsets.count - used)
    chunkRuns.removeAll { $0.firstChunk >= used }
    endShortChunk(table, used)
  }

  package var count: Int { durations.count }
  /// The decode time behind the last sample.
  package var end: Int64 { start + durations.sum }
  package var chunkCount: Int { chunkOffsets.count + (chunkSamples > 0 ? 1 : 0) }

  /// Starts a chunk at a place of the file; the samples appended from now on belong to it.
  package mutating func beginChunk(at offset: Int64, descriptionIndex: Int) {
    endChunk()
    chunkOffsets.append(offset)
    chunkDescription = descriptionIndex
  }

  /// Appends samples to the chunk. False, with the table unusable, if a time leaves `ReadingLimit.time`.
  package mutating func append(_ run: Run) -> Bool {
    let before = count
    guard run.count > 0 else { return true }
    appendSizes(run)
    appendSync(run, before)
    appendDependencies(run, before)
    if run.compositionOffset != 0 && offsets == nil {
      var table = RunTable<Int32>()
      if before > 0 { table.append(count: UInt32(clamping: before), value: 0) }
      offsets = table
    }
    chunkSamples += Int(run.count)
    let hasOffset = offsets?.append(run.compositionOffset, count: run.count)
    let hasTime = durations.append(run.duration, count: run.count)
    return hasTime && hasOffset ?? true
  }

  /// Makes the last sample last longer. False if that is impossible.
  package mutating func extendLast(by duration: Int64) -> Bool {
    durations.extendLast(by: duration)
  }

  /// Ends the last chunk and gives the table.
  package mutating func finish() -> SampleTable {
    endChunk()
    let storage: SampleSizes.Storage = uniformSize.map { .uniform(size: $0, count: count) } ?? .words(sizes)
    return SampleTable(
      durations: durations, compositionOffsets: offsets, sizes: SampleSizes(storage),
      chunks: ChunkTable(offsets: ChunkOffsets(chunkOffsets), runs: chunkRuns, sampleCount: count),
      syncSamples: syncSamples, dependencies: dependencies, start: start)
  }

  private mutating func endChunk() {
    guard chunkSamples > 0 else {
      // A chunk without samples would shift the numbers of the others.
      if chunkOffsets.count > closedChunks { chunkOffsets.removeLast() }
      return
    }
    let last = chunkRuns.last
    if last?.samplesPerChunk != chunkSamples || last?.descriptionIndex != chunkDescription {
      chunkRuns.append(
        SampleToChunkAtom.Run(
          firstChunk: chunkOffsets.count - 1, samplesPerChunk: chunkSamples, descriptionIndex: chunkDescription))
    }
    closedChunks = chunkOffsets.count
    chunkSamples = 0
  }

  private var closedChunks = 0

  /// The last chunk of a table that is continued may be shorter than its run says.
  private mutating func endShortChunk(_ table: SampleTable, _ used: Int) {
    closedChunks = used
    guard used > 0, let last = chunkRuns.last else { return }
    let samples = table.chunks.samples(ofChunk: used - 1).count
    guard samples != last.samplesPerChunk else { return }
    if last.firstChunk == used - 1 { chunkRuns.removeLast() }
    chunkRuns.append(
      SampleToChunkAtom.Run(firstChunk: used - 1, samplesPerChunk: samples, descriptionIndex: last.descriptionIndex))
  }

  private mutating func appendSizes(_ run: Run) {
    let isFirst = count == 0
    if isFirst && run.size > 0 { uniformSize = run.size }
    guard let uniform = uniformSize, uniform != run.size else {
      if uniformSize == nil { sizes.append(contentsOf: repeatElement(run.size, count: Int(run.count))) }
      return
    }
    sizes = Array(repeating: uniform, count: count) + Array(repeating: run.size, count: Int(run.count))
    uniformSize = nil
  }

  private mutating func appendSync(_ run: Run, _ before: Int) {
    if !run.isSync && syncSamples == nil { syncSamples = before == 0 ? [] : Array(1...UInt32(clamping: before)) }
    guard run.isSync, syncSamples != nil else { return }
    for index in before..<before + Int(run.count) { syncSamples?.append(UInt32(clamping: index + 1)) }
  }

  private mutating func appendDependencies(_ run: Run, _ before: Int) {
    if run.dependency != 0 && dependencies == nil { dependencies = Array(repeating: 0, count: before) }
    guard let known = dependencies?.count else { return }
    // A table that is continued may have fewer entries than samples.
    dependencies?.append(contentsOf: repeatElement(0, count: max(0, before - known)))
    dependencies?.append(contentsOf: repeatElement(run.dependency, count: Int(run.count)))
  }
}
