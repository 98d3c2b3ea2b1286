/// The bytes of each sample, in the width in which they are stored, with fast sums.
package struct SampleSizes: Hashable, Sendable {
  package enum Storage: Hashable, Sendable {
    case uniform(size: UInt32, count: Int)
    case bytes([UInt8])
    case shorts([UInt16])
    case words([UInt32])
  }

  package private(set) var storage: Storage
  /// The bytes of all samples before each 64th.
  private var checkpoints: [Int64] = []
  /// The bytes of all samples, at most `ReadingLimit.time`.
  package private(set) var totalBytes: Int64 = 0

  private static let stride = 64

  /// Counts and sizes have 32 bits in files; a uniform table of more than `ReadingLimit.time` bytes is the caller's mistake.
  package init(_ storage: Storage) {
    self.storage = storage
    if case .uniform(let size, let count) = storage {
      totalBytes = Int64(size) * Int64(count)
      precondition(count >= 0 && totalBytes <= ReadingLimit.time)
      return
    }
    checkpoints.reserveCapacity(count / Self.stride + 1)
    for sample in 0..<count {
      if sample % Self.stride == 0 { checkpoints.append(totalBytes) }
      totalBytes += Int64(self[sample])
    }
  }

  package var count: Int {
    switch storage {
    case .uniform(_, let count): count
    case .bytes(let sizes): sizes.count
    case .shorts(let sizes): sizes.count
    case .words(let sizes): sizes.count
    }
  }

  package subscript(sample: Int) -> UInt32 {
    switch storage {
    case .uniform(let size, _): size
    case .bytes(let sizes): UInt32(sizes[sample])
    case .shorts(let sizes): UInt32(sizes[sample])
    case .words(let sizes): sizes[sample]
    }
  }

  /// The bytes of all samples before `sample`, which may be `count`.
  package func bytes(before sample: Int) -> Int64 {
    if case .uniform(let size, _) = storage { return Int64(size) * Int64(sample) }
    guard sample < count else { return totalBytes }
    let checkpoint = sample / Self.stride
    return (checkpoint * Self.stride..<sample).reduce(checkpoints[checkpoint]) { $0 + Int64(self[$1]) }
  }
}
