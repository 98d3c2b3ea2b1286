/// Where each position of a slice's scan goes in a `CoefficientStore`: coefficient after coefficient of all blocks.
struct ScanTable: Sendable {
  /// Lives as long as the process.
  nonisolated(unsafe) let places: UnsafePointer<UInt16>

  /// Positions beyond the last one that a lane may look at before it sees that it went too far.
  private static let slack = CoefficientLane.symbolsAFill * SymbolTable.mostAdvance

  /// Positions from `wanted << log2Blocks` belong nowhere.
  private init(_ scan: [Int], log2Blocks: Int, wanted: Int) {
    let count = 64 << log2Blocks + Self.slack
    let memory = UnsafeMutablePointer<UInt16>.allocate(capacity: count)
    for position in 0..<count {
      let index = position >> log2Blocks
      let block = position & (1 << log2Blocks - 1)
      let isWanted = index < wanted
      memory[position] = UInt16(isWanted ? block * 64 + ScanOrder.place(scan[index]) : CoefficientStore.nowhere)
    }
    places = UnsafePointer(memory)
  }

  /// The table for a plane of `1 << log2Blocks` blocks, 2 to 32.
  static func table(isInterlaced: Bool, _ scale: ProResScale, log2Blocks: Int) -> ScanTable {
    all[(isInterlaced ? 1 : 0) * 20 + scale.rawValue.trailingZeroBitCount * 5 + log2Blocks - 1]
  }

  private static let all: [ScanTable] = [ScanOrder.progressive, ScanOrder.interlaced].flatMap { scan in
    ProResScale.allCases.flatMap { scale in
      (1...5).map { ScanTable(scan, log2Blocks: $0, wanted: scale.wantedPositions) }
    }
  }
}

/// The orders in which coefficients are coded (RDD 36, 7.2), as raster places `v·8 + u`.
package enum ScanOrder {
  /// The place in columns, `u·8 + v`, of a place in rows.
  package static func place(_ raster: Int) -> Int { (raster & 7) * 8 + raster >> 3 }

  package static let progressive: [Int] = [
    0, 1, 8, 9, 2, 3, 10, 11, 16, 17, 24, 25, 18, 19, 26, 27,
    4, 5, 12, 20, 13, 6, 7, 14, 21, 28, 29, 22, 15, 23, 30, 31,
    32, 33, 40, 48, 41, 34, 35, 42, 49, 56, 57, 50, 43, 36, 37, 44,
    51, 58, 59, 52, 45, 38, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
  ]

  package static let interlaced: [Int] = [
    0, 8, 1, 9, 16, 24, 17, 25, 2, 10, 3, 11, 18, 26, 19, 27,
    32, 40, 33, 34, 41, 48, 56, 49, 42, 35, 43, 50, 57, 58, 51, 59,
    4, 12, 5, 6, 13, 20, 28, 21, 14, 7, 15, 22, 29, 36, 44, 37,
    30, 23, 31, 38, 45, 52, 60, 53, 46, 39, 47, 54, 61, 62, 55, 63,
  ]
}
