/// Where each chunk of samples lies in the file, in the width in which it is stored.
package enum ChunkOffsets: Hashable, Sendable {
  case short([UInt32])
  case long([Int64])

  /// 32 bits where they suffice.
  package init(_ offsets: [Int64]) {
    let fits = offsets.allSatisfy { $0 >= 0 && $0 <= Int64(UInt32.max) }
    self = fits ? .short(offsets.map { UInt32($0) }) : .long(offsets)
  }

  package var count: Int {
    switch self {
    case .short(let offsets): offsets.count
    case .long(let offsets): offsets.count
    }
  }

  package subscript(chunk: Int) -> Int64 {
    switch self {
    case .short(let offsets): Int64(offsets[chunk])
    case .long(let offsets): offsets[chunk]
    }
  }
}
