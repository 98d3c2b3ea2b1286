/// One plane's bits while its coefficients are read (RDD 36, 7.1).
///
/// The bytes are followed by `padding` zero bytes: a code that runs over the end reads zeros, and the end is where nothing
/// but zeros is left.
struct CoefficientLane {
  static let padding = 64
  /// Symbols that a filled window holds for certain: 57 bits, at most `SymbolTable.indexBits` each.
  static let symbolsAFill = 5
  /// The scan steps that a lane may look at, beyond the 64 that exist, before it sees that it went too far.
  static let stepCount = 64 + (symbolsAFill * SymbolTable.mostAdvance >> 1) + 1
  /// Fewer zero bits than this may fill up the end of a plane. The standard's own encoder leaves fewer than 8.
  private static let mostFilling = 32

  let bytes: UnsafeRawPointer
  let bitCount: Int
  let store: CoefficientStore
  let steps: UnsafePointer<ScanStep>
  let log2Blocks: Int
  /// The wanted scan positions times the blocks; what comes after them is not read.
  let limit: Int

  var bit = 0
  var window: UInt64 = 0
  /// The state, shifted to be the upper part of a table's index.
  var state = SymbolTable.firstState << SymbolTable.indexBits
  var position: Int

  init(
    bytes: UnsafeRawPointer, byteCount: Int, store: CoefficientStore, steps: UnsafePointer<ScanStep>, log2Blocks: Int,
    wanted: Int
  ) {
    self.bytes = bytes
    bitCount = byteCount * 8
    self.store = store
    self.steps = steps
    self.log2Blocks = log2Blocks
    limit = wanted << log2Blocks
    position = 1 << log2Blocks - 1
  }

  @inline(__always)
  mutating func fill() {
    window = bytes.loadUnaligned(fromByteOffset: bit &>> 3, as: UInt64.self).bigEndian &<< UInt64(bit & 7)
  }

  @inline(__always)
  func entry(_ table: UnsafePointer<SymbolTable.Entry>) -> SymbolTable.Entry {
    table[state | Int(truncatingIfNeeded: window &>> UInt64(64 - SymbolTable.indexBits))]
  }

  @inline(__always)
  mutating func take(_ entry: SymbolTable.Entry) {
    let length = UInt64(entry & 0xFF)
    window = window &<< length
    bit &+= Int(truncatingIfNeeded: length)
    state = Int(
      truncatingIfNeeded: (entry &>> UInt32(26 - SymbolTable.indexBits)) & ~UInt32(1 << SymbolTable.indexBits - 1))
    position &+= Int(truncatingIfNeeded: entry &>> 8 & 0xFF)
    put(Int32(bitPattern: entry &<< 6) &>> 22)
  }

  @inline(__always)
  private func put(_ level: Int32) {
    let block = position & (1 &<< log2Blocks &- 1)
    let scan = position &>> log2Blocks
    let step = steps[scan]
    store.coefficients[block &<< 6 &+ Int(step.place)] = Float(level) * step.weight
    store.last[block] = UInt8(truncatingIfNeeded: scan)
  }

  /// Reads a symbol that the table has no entry for. False at the end, sound or not.
  @inline(__always)
  mutating func takeLong(_ table: SymbolTable) -> Bool {
    fill()
    let symbol = table.longSymbol(window, state: state &>> SymbolTable.indexBits)
    guard symbol.length > 0 else { return false }
    let next = position &+ Int(symbol.advance)
    guard next < limit else {
      position = next
      return false
    }
    position = next
    bit &+= Int(symbol.length)
    state = Int(symbol.state) &<< SymbolTable.indexBits
    put(symbol.level)
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
  /// Reads the DC of every block: a first value and differences. False where there is none of them.
  mutating func readDC() -> Bool {
    let count = 1 << log2Blocks
    fill()
    let first = Codebook.firstDC.decode(window)
    guard first.length > 0 else { return false }
    bit += first.length
    var value = Int32(truncatingIfNeeded: first.value >> 1 ^ -(first.value & 1))
    store.dc[0] = value
    var code = 5
    var sign: Int32 = 0
    for block in 1..<max(count, 1) {
      fill()
      let (next, length) = Self.difference(after: code, window)
      guard length > 0 else { return false }
      code = next
      bit += length
      sign = code == 0 ? 0 : sign ^ -Int32(truncatingIfNeeded: code & 1)
      value = value &+ ((Int32(truncatingIfNeeded: (code + 1) >> 1) ^ sign) &- sign)
      store.dc[block] = value
    }
    return bit <= bitCount
  }

  @inline(__always)
  private static func difference(after code: Int, _ window: UInt64) -> (value: Int, length: Int) {
    switch code {
    case 0: Codebook.exponential(0).decode(window)
    case 1, 2: Codebook.exponential(1).decode(window)
    case 3, 4: Codebook(1, rice: 2, exponential: 3).decode(window)
    default: Codebook.exponential(3).decode(window)
    }
  }

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
      for _ in 0..<Self.symbolsAFill {
        let entry = entry(entries)
        if entry & 0xFF == 0 { return }
        take(entry)
      }
    }
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
      if a.entry(table.entries) & 0xFF == 0, !a.takeLong(table) { return true }
      if b.entry(table.entries) & 0xFF == 0, !b.takeLong(table) { return false }
    }
  }

  @inline(__always)
  private static func readWhileShort(
    _ a: inout CoefficientLane, _ b: inout CoefficientLane, _ entries: UnsafePointer<SymbolTable.Entry>
  ) {
    while a.position < a.limit, b.position < b.limit {
      a.fill()
      b.fill()
      for _ in 0..<symbolsAFill {
        let entryA = a.entry(entries)
        let entryB = b.entry(entries)
        if entryA & 0xFF == 0 || entryB & 0xFF == 0 { return }
        a.take(entryA)
        b.take(entryB)
      }
    }
  }
}

extension CoefficientLane {
  /// Reads the coefficients of a slice's planes, two at a time. False where one of them is damaged.
  static func readAll(
    _ luma: inout CoefficientLane, _ blue: inout CoefficientLane, _ red: inout CoefficientLane, _ table: SymbolTable
  ) -> Bool {
    if readPair(&luma, &blue, table) {
      return luma.isSound && readRest(&blue, &red, table)
    }
    return blue.isSound && readRest(&luma, &red, table)
  }

  private static func readRest(
    _ first: inout CoefficientLane, _ second: inout CoefficientLane, _ table: SymbolTable
  ) -> Bool {
    if readPair(&first, &second, table) {
      return first.isSound && second.readCoefficients(table)
    }
    return second.isSound && first.readCoefficients(table)
  }
}
