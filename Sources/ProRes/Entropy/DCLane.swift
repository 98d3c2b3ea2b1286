/// One plane's first values while they are read: a DC, and differences from block to block (RDD 36, 7.1.1.3).
struct DCLane {
  private let entries: UnsafePointer<UInt16>
  private let bytes: UnsafeRawPointer
  private let dc: UnsafeMutablePointer<Int32>
  private let count: Int
  private(set) var bit = 0
  private var window: UInt64 = 0
  private var block = 1
  private var value: Int32 = 0
  private var code = 5
  private var sign: Int32 = 0
  /// Whether all codes so far were codes.
  private(set) var isSound = true

  /// Reads the first DC.
  init(_ lane: CoefficientLane) {
    entries = DCTable.shared.entries
    bytes = lane.bytes
    dc = lane.store.dc
    count = 1 << lane.log2Blocks
    fill()
    let (first, length) = Codebook.firstDC.decode(window)
    isSound = length > 0
    bit = length
    value = Int32(truncatingIfNeeded: first >> 1 ^ -(first & 1))
    dc[0] = value
  }

  /// Fills the window for two steps.
  @inline(__always)
  mutating func fill() {
    window = bytes.loadUnaligned(fromByteOffset: bit &>> 3, as: UInt64.self).bigEndian &<< UInt64(bit & 7)
  }

  @inline(__always)
  var isDone: Bool { block >= count }

  @inline(__always)
  mutating func step() {
    let book = min(code, 5)
    // Which book it is cannot be foreseen: all are looked up in one table.
    let index = Int(truncatingIfNeeded: window &>> UInt64(64 - DCTable.indexBits))
    let entry = entries[book &<< DCTable.indexBits | index]
    if entry > 0 {
      code = Int(entry &>> 4)
      bit &+= Int(entry & 15)
      window = window &<< UInt64(entry & 15)
    } else {
      fill()
      let (next, length) = Self.long(book, window)
      isSound = isSound && length > 0
      code = next
      bit &+= length
      fill()
    }
    sign = code == 0 ? 0 : sign ^ -Int32(truncatingIfNeeded: code & 1)
    value = value &+ ((Int32(truncatingIfNeeded: (code &+ 1) &>> 1) ^ sign) &- sign)
    dc[block] = value
    block &+= 1
  }

  @inline(never)
  private static func long(_ book: Int, _ window: UInt64) -> (value: Int, length: Int) {
    Codebook.dcDifferences[book].decode(window)
  }
}

/// The code of a DC difference that the next bits begin with: its length in the lower 4 bits, and its value above; 0 where
/// it is longer than the index.
struct DCTable: Sendable {
  static let indexBits = 10
  /// Lives as long as the process.
  nonisolated(unsafe) let entries: UnsafePointer<UInt16>

  static let shared = DCTable()

  private init() {
    let size = 1 << Self.indexBits
    let memory = UnsafeMutablePointer<UInt16>.allocate(capacity: 6 * size)
    for place in 0..<6 * size {
      let window = UInt64(place & (size - 1)) << UInt64(64 - Self.indexBits)
      let (value, length) = Codebook.dcDifferences[place / size].decode(window)
      memory[place] = length > 0 && length <= Self.indexBits ? UInt16(value << 4 | length) : 0
    }
    entries = UnsafePointer(memory)
  }
}

extension CoefficientLane {
  /// Reads the DCs of three planes side by side. False where one of them is damaged.
  static func readDCs(
    _ luma: inout CoefficientLane, _ blue: inout CoefficientLane, _ red: inout CoefficientLane
  ) -> Bool {
    var (y, b, r) = (DCLane(luma), DCLane(blue), DCLane(red))
    let isHalved = luma.log2Blocks > blue.log2Blocks
    // What is left of each is even, and the double of it where chroma is halved but for two steps.
    y.advance()
    b.advance()
    r.advance()
    while !b.isDone {
      y.advanceTwice()
      b.advanceTwice()
      r.advanceTwice()
      if isHalved { y.advanceTwice() }
    }
    while !y.isDone { y.advanceTwice() }
    (luma.bit, blue.bit, red.bit) = (y.bit, b.bit, r.bit)
    return y.isSound && b.isSound && r.isSound && y.isWithin(luma) && b.isWithin(blue) && r.isWithin(red)
  }
}

extension DCLane {
  @inline(__always)
  fileprivate mutating func advance() {
    fill()
    step()
  }

  @inline(__always)
  fileprivate mutating func advanceTwice() {
    fill()
    step()
    step()
  }

  func isWithin(_ lane: CoefficientLane) -> Bool { bit <= lane.bitCount }
}
