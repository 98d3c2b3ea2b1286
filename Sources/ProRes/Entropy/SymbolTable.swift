/// What the next bits mean, for every pair of books that runs and levels can be coded with: one look-up gives run, level, sign
/// and the books after them.
struct SymbolTable: Sendable {
  /// From the lowest bit: 8 bits of length, 8 of run + 1, 6 of the next state, and 10 of signed level. An entry is 0 where the
  /// code is longer than the index; it always is where all bits are zero, so that the end of the data is seen there too.
  typealias Entry = UInt32

  /// A symbol that the table has no room for; length 0 is none at all.
  struct LongSymbol {
    var length: Int32 = 0
    var advance: Int32 = 0
    var level: Int32 = 0
    var state: Int32 = 0
  }

  static let indexBits = 11
  static let stateCount = 36
  static let firstState = state(run: Codebook.firstRunBook, level: Codebook.firstLevelBook)
  /// No symbol of the table goes on by more coefficients.
  static let mostAdvance = 255

  /// Lives as long as the process, as all of this does.
  nonisolated(unsafe) let entries: UnsafePointer<Entry>
  /// Of each state, the book of its runs and that of its levels.
  private nonisolated(unsafe) let books: UnsafePointer<(run: LongCode, level: LongCode)>
  /// What each run up to 15, then each level up to 9, adds to the state after it.
  private nonisolated(unsafe) let bookAfter: UnsafePointer<UInt8>

  static let shared = SymbolTable()

  private init() {
    entries = Self.kept((0..<Self.stateCount << Self.indexBits).map(Self.entry))
    books = Self.kept(
      (0..<Self.stateCount).map { (LongCode(Codebook.runBooks[$0 / 6]), LongCode(Codebook.levelBooks[$0 % 6])) })
    bookAfter = Self.kept((Codebook.runBookAfter.map { $0 * 6 } + Codebook.levelBookAfter).map { UInt8($0) })
  }

  private static func kept<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
    let memory = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
    memory.initialize(from: elements, count: elements.count)
    return UnsafePointer(memory)
  }

  static func state(run: Int, level: Int) -> Int { run * 6 + level }

  private static func entry(_ place: Int) -> Entry {
    let state = place >> indexBits
    let window = UInt64(place & (1 << indexBits - 1)) << UInt64(64 - indexBits)
    let run = Codebook.runBooks[state / 6].decode(window)
    guard run.length > 0, run.length < indexBits, run.value < mostAdvance else { return 0 }
    let level = Codebook.levelBooks[state % 6].decode(window << UInt64(run.length))
    let length = run.length + level.length + 1
    guard level.length > 0, length <= indexBits, level.value < 511 else { return 0 }
    let isNegative = (window << UInt64(length - 1)) >> 63 == 1
    let value = isNegative ? -(level.value + 1) : level.value + 1
    let next = self.state(
      run: Codebook.runBookAfter[min(run.value, 15)], level: Codebook.levelBookAfter[min(level.value, 8)])
    return UInt32(length) | UInt32(run.value + 1) << 8 | UInt32(next) << 16 | UInt32(bitPattern: Int32(value)) << 22
  }

  /// The symbol of any length that `window` begins with.
  @inline(__always)
  func longSymbol(_ window: UInt64, state: Int) -> LongSymbol {
    let run = books[state].run.decode(window)
    let level = books[state].level.decode(window &<< UInt64(run.length))
    // No code has a longer prefix: this is the end, or damage.
    guard run.length <= LongCode.mostLength, level.length <= LongCode.mostLength else { return LongSymbol() }
    let length = run.length &+ level.length &+ 1
    let sign = Int32(truncatingIfNeeded: (window &<< UInt64(length &- 1)) &>> 63)
    let next = bookAfter[Int(min(run.value, 15))] &+ bookAfter[16 &+ Int(min(level.value, 8))]
    return LongSymbol(
      length: length, advance: run.value &+ 1, level: ((level.value &+ 1) ^ (0 &- sign)) &+ sign, state: Int32(next))
  }
}

/// A codebook prepared for codes that are longer than a table's index, without branches.
struct LongCode {
  private let lastRicePrefix: Int32
  private let riceOrder: Int32
  private let exponentialLength: Int32
  private let exponentialOffset: Int32

  /// The longest code of a value of 16 bits is shorter; so are two of them and a sign than a window.
  static let mostLength: Int32 = 31

  init(_ book: Codebook) {
    lastRicePrefix = Int32(book.lastRicePrefix)
    riceOrder = Int32(book.riceOrder)
    exponentialLength = Int32(book.exponentialOrder - book.lastRicePrefix)
    exponentialOffset = Int32((book.lastRicePrefix + 1) << book.riceOrder - 1 << book.exponentialOrder)
  }

  /// A length over `mostLength` is none.
  @inline(__always)
  func decode(_ window: UInt64) -> (value: Int32, length: Int32) {
    let prefix = Int32(truncatingIfNeeded: window.leadingZeroBitCount)
    let isExponential = prefix > lastRicePrefix
    let length = isExponential ? exponentialLength &+ 2 &* prefix : prefix &+ 1 &+ riceOrder
    let offset = isExponential ? exponentialOffset : (prefix &- 1) &<< riceOrder
    let bits = Int32(truncatingIfNeeded: window &>> UInt64(truncatingIfNeeded: 64 &- length))
    return (bits &+ offset, length)
  }
}
