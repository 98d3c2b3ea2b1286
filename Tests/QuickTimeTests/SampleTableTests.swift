import QuickTime
import Testing

/// Numbers that follow from a seed (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

/// The compact tables against plain arrays.
@Suite struct SampleTableTests {
  @Test(arguments: 0..<40 as Range<UInt64>) func runsAgreeWithAPlainArray(_ seed: UInt64) {
    var random = SeededNumbers(seed)
    var table = RunTable<UInt32>()
    var plain: [UInt32] = []
    for _ in 0..<Int.random(in: 0...80, using: &random) {
      let count = UInt32.random(in: 0...4, using: &random)
      let value = UInt32.random(in: 0...3, using: &random)
      let isMerged = Bool.random(using: &random)
      let fits = isMerged ? table.append(value, count: count) : table.append(count: count, value: value)
      #expect(fits)
      plain += Array(repeating: value, count: Int(count))
    }
    #expect(table.count == plain.count && Array(table) == plain)
    var sum: Int64 = 0
    for (index, value) in plain.enumerated() {
      #expect(table.run(at: index).value == value && table.sum(before: index) == sum)
      sum += Int64(value)
    }
    #expect(table.sum == sum && table.sum(before: plain.count) == sum)
    let sums = plain.indices.map { table.sum(before: $0) }
    for target in -1...sum + 1 {
      let expected = sums.lastIndex { $0 <= target }
      #expect(table.lastSample(atOrBefore: target) == expected, "target \(target) of \(plain)")
    }
  }

  @Test func runsRefuseImpossibleSums() {
    var table = RunTable<UInt32>()
    let isTooLong = table.append(count: .max, value: .max)
    #expect(!isTooLong && table.count == 0)
    let fits = table.append(count: 1 << 29, value: 1 << 31)
    let fitsNoMore = table.append(1)
    #expect(fits && !fitsNoMore && table.count == 1 << 29 && table.sum == ReadingLimit.time)
  }

  /// A table of random samples, and what is in it.
  private struct World {
    var table: SampleTable
    var samples: [Sample] = []

    init(seed: UInt64) {
      var random = SeededNumbers(seed)
      var builder = SampleTableBuilder()
      var time: Int64 = 0
      var place: Int64 = 100
      let isUniform = Bool.random(using: &random)
      let hasOffsets = Bool.random(using: &random)
      for chunk in 0..<Int.random(in: 0...12, using: &random) {
        place += Int64.random(in: 0...9, using: &random)
        let description = Int.random(in: 0...1, using: &random)
        builder.beginChunk(at: place, descriptionIndex: description)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          var run = SampleTableBuilder.Run(
            size: isUniform ? 3 : .random(in: 0...9, using: &random), duration: .random(in: 0...3, using: &random),
            compositionOffset: hasOffsets ? .random(in: -5...5, using: &random) : 0,
            isSync: Int.random(in: 0...3, using: &random) == 0 || seed % 3 == 0,
            dependency: seed % 2 == 0 ? .random(in: 0...255, using: &random) : 0)
          run.count = .random(in: 1...2, using: &random)
          _ = builder.append(run)
          for _ in 0..<run.count {
            samples.append(
              Sample(
                index: samples.count, offset: place, size: Int(run.size), decodeTime: time,
                compositionOffset: Int64(run.compositionOffset), duration: Int64(run.duration), isSync: run.isSync,
                descriptionIndex: description, chunkIndex: chunk,
                dependency: SampleDependency(rawValue: run.dependency)))
            place += Int64(run.size)
            time += Int64(run.duration)
          }
        }
      }
      table = builder.finish()
    }
  }

  @Test(arguments: 0..<60 as Range<UInt64>) func tableAgreesWithAPlainArray(_ seed: UInt64) {
    let world = World(seed: seed)
    let table = world.table
    #expect(table.count == world.samples.count)
    for (index, truth) in world.samples.enumerated() {
      var sample = table[index]
      if table.dependencies == nil { sample.dependency = truth.dependency }
      #expect(sample == truth)
      #expect(table.presentationTime(index) == truth.presentationTime && table.decodeTime(index) == truth.decodeTime)
      #expect(table.syncSample(atOrBefore: index) == world.samples[...index].lastIndex(where: \.isSync))
      #expect(table.syncSample(atOrAfter: index) == world.samples[index...].firstIndex(where: \.isSync))
    }
    #expect(table.totalBytes == world.samples.reduce(0) { $0 + Int64($1.size) })
    #expect(table.syncSampleCount == world.samples.filter(\.isSync).count)
    for chunk in 0..<table.chunks.count {
      let inChunk = world.samples.filter { $0.chunkIndex == chunk }.map(\.index)
      #expect(Array(table.chunks.samples(ofChunk: chunk)) == inChunk)
    }
  }

  @Test(arguments: 0..<60 as Range<UInt64>) func timesAreFound(_ seed: UInt64) {
    let world = World(seed: seed)
    let shown = world.samples.sorted { ($0.presentationTime, $0.index) < ($1.presentationTime, $1.index) }
    #expect(Array(world.table.presentationOrder) == shown.map(\.index))
    for time in (-8 as Int64)...(world.table.totalDuration + 8) {
      #expect(
        world.table.index(atDecodeTime: time) == (time < 0 ? nil : world.samples.last { $0.decodeTime <= time }?.index))
      #expect(world.table.index(atPresentationTime: time) == shown.last { $0.presentationTime <= time }?.index)
      let order = world.table.presentationOrder
      #expect(order.position(ofFirstAtOrAfter: time) == shown.filter { $0.presentationTime < time }.count)
      #expect(order.position(ofFirstAfter: time) == shown.filter { $0.presentationTime <= time }.count)
    }
  }

  /// Six minutes of uncompressed sound have 17 million samples; their table is three numbers.
  @Test func equalSamplesTakeNoMemory() {
    var builder = SampleTableBuilder()
    builder.beginChunk(at: 36, descriptionIndex: 0)
    var run = SampleTableBuilder.Run(size: 4, duration: 1)
    run.count = 18_000_000
    _ = builder.append(run)
    let table = builder.finish()
    #expect(table.durations.runCount == 1 && table.chunks.runs.count == 1)
    #expect(table.sizes.storage == .uniform(size: 4, count: 18_000_000))
    #expect(table[17_999_999].offset == 36 + 4 * 17_999_999 && table[17_999_999].decodeTime == 17_999_999)
    #expect(table.index(atDecodeTime: 12_345_678) == 12_345_678)
    #expect(table.index(atPresentationTime: 12_345_678) == 12_345_678)
  }

  @Test func aSyncTableWithoutEntriesMeansNoStart() {
    var builder = SampleTableBuilder()
    builder.beginChunk(at: 0, descriptionIndex: 0)
    _ = builder.append(.init(size: 1, duration: 1, isSync: false))
    let table = builder.finish()
    #expect(table.syncSamples == [] && table.syncSample(atOrBefore: 0) == nil && !table[0].isSync)
  }
}
