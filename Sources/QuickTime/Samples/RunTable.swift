/// Runs of equal values, as `stts` and `ctts` store them, with fast look-up by sample and by sum.
///
/// Takes 8 bytes a run and a checkpoint every 16 runs, whatever the number of samples.
package struct RunTable<Value: FixedWidthInteger & Sendable>: Hashable, Sendable {
  /// A run: `count` samples from `first` on have `value`, and the values of all samples before add up to `sum`.
  package struct Run: Hashable, Sendable {
    package var first: Int
    package var count: Int
    package var sum: Int64
    package var value: Value
  }

  private struct Checkpoint: Hashable {
    var first: Int
    var sum: Int64
  }

  package private(set) var counts: [UInt32] = []
  package private(set) var values: [Value] = []
  private var checkpoints: [Checkpoint] = []
  /// The number of samples of all runs.
  package private(set) var count = 0
  /// The sum of the values of all samples.
  package private(set) var sum: Int64 = 0

  private static var stride: Int { 16 }

  package init() {}

  package var runCount: Int { counts.count }

  /// Adds a run. False, with nothing changed, if a sum would leave `ReadingLimit.time`.
  @discardableResult
  package mutating func append(count runLength: UInt32, value: Value) -> Bool {
    let (product, overflow) = Int64(runLength).multipliedReportingOverflow(by: Int64(value))
    let limit = ReadingLimit.time
    guard !overflow, (-limit...limit).contains(product), (-limit...limit).contains(sum + product) else { return false }
    if counts.count % Self.stride == 0 { checkpoints.append(Checkpoint(first: count, sum: sum)) }
    counts.append(runLength)
    values.append(value)
    count += Int(runLength)
    sum += product
    return true
  }

  /// Adds samples, to the last run where that has the same value. False, with nothing changed, if a sum would leave
  /// `ReadingLimit.time`.
  @discardableResult
  package mutating func append(_ value: Value, count added: UInt32 = 1) -> Bool {
    guard let last = counts.last, values.last == value, last <= UInt32.max - added else {
      return append(count: added, value: value)
    }
    let (product, overflow) = Int64(added).multipliedReportingOverflow(by: Int64(value))
    let limit = ReadingLimit.time
    guard !overflow, (-limit...limit).contains(product), (-limit...limit).contains(sum + product) else { return false }
    counts[counts.count - 1] = last + added
    count += Int(added)
    sum += product
    return true
  }

  /// Adds to the value of the last sample. False, with nothing changed, if that is impossible.
  package mutating func extendLast(by amount: Int64) -> Bool {
    guard let length = counts.last, let value = values.last, length > 0,
      amount <= ReadingLimit.time, let extended = Value(exactly: Int64(value) + amount),
      sum + amount <= ReadingLimit.time
    else { return false }
    guard length > 1 else {
      values[values.count - 1] = extended
      sum += amount
      return true
    }
    counts[counts.count - 1] = length - 1
    count -= 1
    sum -= Int64(value)
    return append(count: 1, value: extended)
  }

  /// The run of the sample, which must lie in `0..<count`.
  package func run(at sample: Int) -> Run {
    precondition((0..<count).contains(sample))
    return scan(from: checkpoint { $0.first <= sample }) { run in sample < run.first + run.count }
  }

  /// The sum of the values before the sample; `sample` may be `count`.
  package func sum(before sample: Int) -> Int64 {
    guard sample < count else { return sum }
    let run = run(at: sample)
    return run.sum + Int64(sample - run.first) * Int64(run.value)
  }

  /// For values that are not negative: the last sample whose preceding sum is at most `target`; nil if there is none.
  package func lastSample(atOrBefore target: Int64) -> Int? {
    guard count > 0, target >= 0 else { return nil }
    guard target < sum else { return count - 1 }
    let run = scan(from: checkpoint { $0.sum <= target }) { run in
      target < run.sum + Int64(run.count) * Int64(run.value)
    }
    return run.first + Int((target - run.sum) / Int64(run.value))
  }

  /// The last checkpoint for which `isBefore` holds; the first holds for all targets.
  private func checkpoint(_ isBefore: (Checkpoint) -> Bool) -> Int {
    var low = 0
    var high = checkpoints.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if isBefore(checkpoints[middle]) { low = middle } else { high = middle }
    }
    return low
  }

  private func scan(from checkpoint: Int, until found: (Run) -> Bool) -> Run {
    var index = checkpoint * Self.stride
    var run = Run(first: checkpoints[checkpoint].first, count: 0, sum: checkpoints[checkpoint].sum, value: 0)
    while true {
      run.count = Int(counts[index])
      run.value = values[index]
      if found(run) || index == counts.count - 1 { return run }
      run.first += run.count
      run.sum += Int64(run.count) * Int64(run.value)
      index += 1
    }
  }
}

extension RunTable: Sequence {
  /// The value of each sample in turn.
  package func makeIterator() -> Iterator { Iterator(table: self) }

  package struct Iterator: IteratorProtocol {
    private let table: RunTable
    private var run = -1
    private var left: UInt32 = 0

    fileprivate init(table: RunTable) {
      self.table = table
    }

    package mutating func next() -> Value? {
      while left == 0 {
        guard run + 1 < table.counts.count else { return nil }
        run += 1
        left = table.counts[run]
      }
      left -= 1
      return table.values[run]
    }
  }
}
