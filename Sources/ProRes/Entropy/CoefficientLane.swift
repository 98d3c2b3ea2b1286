/// One plane's bits while its coefficients are read (RDD 36, 7.1).
///
/// The bytes are followed by `padding` zero bytes: a code that runs over the end reads zeros, and the end is where nothing
/// but zeros is left.
struct CoefficientLane {
  static let padding = 64
  /// Symbols that a filled window holds for certain: 57 bits, at most `SymbolTable.indexBits` each.
  static let symbolsAFill = 5
  /// All DCs of a sound plane are in its first bytes: a code of a value below 65535 has at most 32 bits.
  static let mostDCBytes = CoefficientStore.mostBlocks * 4
  /// Fewer zero bits than this may fill up the end of a plane, of alpha too. The standard's own encoder leaves fewer
  /// than 8.
  static let mostFilling = 32

  let bytes: UnsafeRawPointer
  let bitCount: Int
  let store: CoefficientStore
  let places: UnsafePointer<UInt16>
  let log2Blocks: Int
  /// The wanted scan positions times the blocks; what comes after them is not read.
  let limit: Int

  /// Where the window was filled.
  var bit = 0
  private var window: UInt64 = 0
  /// The state, shifted to be the upper part of a table's index.
  private var state = SymbolTable.firstState << SymbolTable.indexBits
  /// The scan position times the blocks, 8 bits up, and the bits taken since the window was filled: one addition moves both.
  private var progress: Int

  private var position: Int {
    @inline(__always) get { progress &>> 8 }
  }

  init(bytes: UnsafeRawPointer, byteCount: Int, store: CoefficientStore, scan: ScanTable, log2Blocks: Int, wanted: Int)
  {
    self.bytes = bytes
    bitCount = byteCount * 8
    self.store = store
    places = scan.places
    self.log2Blocks = log2Blocks
    limit = wanted << log2Blocks
    progress = (1 << log2Blocks - 1) << 8
  }

  @inline(__always)
  private mutating func fill() {
    bit &+= progress & 0xFF
    progress &= ~0xFF
    window = bytes.loadUnaligned(fromByteOffset: bit &>> 3, as: UInt64.self).bigEndian &<< UInt64(bit & 7)
  }

  @inline(__always)
  private func entry(_ table: UnsafePointer<SymbolTable.Entry>) -> SymbolTable.Entry {
    table[state | Int(truncatingIfNeeded: window &>> UInt64(64 - SymbolTable.indexBits))]
  }

  @inline(__always)
  private mutating func take(_ entry: SymbolTable.Entry) {
    // Its lower 6 bits are the length.
    window = window &<< UInt64(entry)
    progress &+= Int(truncatingIfNeeded: entry & 0xFFFF)
    state = Int(
      truncatingIfNeeded: (entry &>> UInt32(16 - SymbolTable.indexBits)) & UInt32(0x3F << SymbolTable.indexBits))
    put(Int32(bitPattern: entry) &>> 22)
  }

  @inline(__always)
  private func put(_ level: Int32) {
    store.levels[Int(places[position])] = Int16(truncatingIfNeeded: level)
  }

  /// Reads a symbol that the table has no entry for. False at the end, sound or not.
  @inline(__always)
  private mutating func takeLong(_ table: SymbolTable) -> Bool {
    fill()
    let symbol = table.longSymbol(window, state: state &>> SymbolTable.indexBits)
    guard symbol.length > 0 else { return false }
    progress &+= Int(symbol.advance) &<< 8
    guard position < limit else { return false }
    bit &+= Int(symbol.length)
    state = Int(symbol.state) &<< SymbolTable.indexBits
    put(max(-32767, min(32767, symbol.level)))
    return true
  }

  /// Whether the data ended where it must, with no coefficient out of place; or all that is wanted was there.
  var isSound: Bool {
    if position >= limit { return limit < 64 << log2Blocks }
    let left = bitCount - bit
    return window == 0 && left >= 0 && left < Self.mostFilling
  }
}

extension CoefficientLane {
  /// Reads runs and levels to the end; false where the data is damaged.
  mutating func readCoefficients(_ table: SymbolTable) -> Bool {
    var lane = self
    defer { self = lane }
    repeat { lane.readWhileShort(table.entries) } while lane.position < lane.limit && lane.takeLong(table)
    return lane.isSound
  }

  /// Reads until a symbol is not in the table, or too far.
  @inline(__always)
  private mutating func readWhileShort(_ entries: UnsafePointer<SymbolTable.Entry>) {
    while position < limit {
      fill()
      guard step(entries), step(entries), step(entries), step(entries), step(entries) else { return }
    }
  }

  @inline(__always)
  private mutating func step(_ entries: UnsafePointer<SymbolTable.Entry>) -> Bool {
    let entry = entry(entries)
    guard entry != 0 else { return false }
    take(entry)
    return true
  }

  /// Reads two planes side by side, which hides most of the time that one look-up waits for the last, until one of them
  /// ends. Returns whether the first did.
  static func readPair(_ first: inout CoefficientLane, _ second: inout CoefficientLane, _ table: SymbolTable) -> Bool {
    var a = first
    var b = second
    defer {
      first = a
      second = b
    }
    while true {
      readWhileShort(&a, &b, table.entries)
      if a.position >= a.limit { return true }
      if b.position >= b.limit { return false }
      // Which of them stopped is seen anew: an entry is the same until it is taken.
      if a.entry(table.entries) == 0, !a.takeLong(table) { return true }
      if b.entry(table.entries) == 0, !b.takeLong(table) { return false }
    }
  }

  @inline(__always)
  private static func readWhileShort(
    _ a: inout CoefficientLane, _ b: inout CoefficientLane, _ entries: UnsafePointer<SymbolTable.Entry>
  ) {
    while a.position < a.limit, b.position < b.limit {
      a.fill()
      b.fill()
      guard step(&a, &b, entries), step(&a, &b, entries), step(&a, &b, entries), step(&a, &b, entries),
        step(&a, &b, entries)
      else { return }
    }
  }

  @inline(__always)
  private static func step(
    _ a: inout CoefficientLane, _ b: inout CoefficientLane, _ entries: UnsafePointer<SymbolTable.Entry>
  ) -> Bool {
    let entryA = a.entry(entries)
    let entryB = b.entry(entries)
    guard entryA != 0, entryB != 0 else { return false }
    a.take(entryA)
    b.take(entryB)
    return true
  }
}

extension CoefficientLane {
  /// Reads the coefficients of many planes, two at a time, longest first as they come. Returns a bit for each that is sound.
  static func readAll(_ lanes: UnsafeMutableBufferPointer<CoefficientLane>, _ table: SymbolTable) -> UInt32 {
    var sound: UInt32 = 0
    var (first, second, next) = (0, 1, 2)
    while second < lanes.count {
      let ended: Int
      if readPair(&lanes[first], &lanes[second], table) {
        ended = first
        first = second
      } else {
        ended = second
      }
      if lanes[ended].isSound { sound |= 1 << UInt32(ended) }
      second = next
      next += 1
    }
    if lanes[first].readCoefficients(table) { sound |= 1 << UInt32(first) }
    return sound
  }
}
