/// A code of RDD 36: Golomb–Rice for small values, exponential Golomb beyond (7.1.1).
struct Codebook: Hashable {
  /// The longest prefix of zeros that begins a Rice code; longer ones begin an exponential one.
  let lastRicePrefix: Int
  let riceOrder: Int
  let exponentialOrder: Int

  init(_ lastRicePrefix: Int, rice: Int, exponential: Int) {
    self.lastRicePrefix = lastRicePrefix
    riceOrder = rice
    exponentialOrder = exponential
  }

  /// An exponential Golomb code alone: its first step is a Rice code of the same order.
  static func exponential(_ order: Int) -> Codebook { Codebook(0, rice: order, exponential: order + 1) }

  /// The value that the topmost bits of `window` begin with, and its length in bits.
  ///
  /// A prefix of more than 20 zeros, which no value of 16 bits has, is answered with length 0.
  @inline(__always)
  func decode(_ window: UInt64) -> (value: Int, length: Int) {
    let prefix = window.leadingZeroBitCount
    guard prefix <= 20 else { return (0, 0) }
    if prefix > lastRicePrefix {
      let length = exponentialOrder - lastRicePrefix + 2 * prefix
      let bits = Int(truncatingIfNeeded: window &>> UInt64(64 - length))
      return (bits - 1 << exponentialOrder + (lastRicePrefix + 1) << riceOrder, length)
    }
    let length = prefix + 1 + riceOrder
    let bits = Int(truncatingIfNeeded: window &>> UInt64(64 - length)) & (1 << riceOrder - 1)
    return (prefix << riceOrder + bits, length)
  }
}

extension Codebook {
  static let firstDC = Codebook.exponential(5)
  /// By the code of the last DC difference, which the last of them stands for upwards.
  static let dcDifferences: [Codebook] = [
    .exponential(0), .exponential(1), .exponential(1), Codebook(1, rice: 2, exponential: 3),
    Codebook(1, rice: 2, exponential: 3), .exponential(3), .exponential(3),
  ]

  static let runBooks: [Codebook] = [
    Codebook(2, rice: 0, exponential: 1), Codebook(1, rice: 0, exponential: 1), .exponential(0),
    Codebook(1, rice: 1, exponential: 2), .exponential(1), .exponential(2),
  ]
  /// The book after a run, as an index of `runBooks`; the last is for all longer ones.
  static let runBookAfter = [0, 0, 1, 1, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 5]

  static let levelBooks: [Codebook] = [
    Codebook(2, rice: 0, exponential: 2), Codebook(1, rice: 0, exponential: 1), Codebook(2, rice: 0, exponential: 1),
    .exponential(0), .exponential(1), .exponential(2),
  ]
  /// The book after a level whose magnitude is one more than the index; the last is for all larger ones.
  static let levelBookAfter = [0, 1, 2, 3, 4, 4, 4, 4, 5]

  static let firstRunBook = runBookAfter[4]
  static let firstLevelBook = levelBookAfter[1]
}
