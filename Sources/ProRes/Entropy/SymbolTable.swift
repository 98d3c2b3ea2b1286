/// What the next bits mean, for every pair of books that runs and levels can be coded with: one look-up gives run, level, sign
/// and the books after them.
struct SymbolTable: Sendable {
  /// From the lowest bit: 8 bits of length, 8 of run + 1, 10 of signed level, and 6 of the next state. The length is 0 where the
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
  /// The books of runs, then those of levels.
  private nonisolated(unsafe) let books: UnsafePointer<Codebook>
  /// The book after each run up to 15, then after each level up to 9.
  private nonisolated(unsafe) let bookAfter: UnsafePointer<UInt8>

  static let shared = SymbolTable()

  private init() {
    entries = Self.kept((0..<Self.stateCount << Self.indexBits).map(Self.entry))
    books = Self.kept(Codebook.runBooks + Codebook.levelBooks)
    bookAfter = Self.kept((Codebook.runBookAfter + Codebook.levelBookAfter).map { UInt8($0) })
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
    return UInt32(length) | UInt32(run.value + 1) << 8 | (UInt32(bitPattern: Int32(value)) & 0x3FF) << 16
      | UInt32(next) << 26
  }

  /// The symbol of any length that `window` begins with.
  @inline(never)
  func longSymbol(_ window: UInt64, state: Int) -> LongSymbol {
    let runBook = Int(UInt32(truncatingIfNeeded: state) / 6)
    let run = books[runBook].decode(window)
    guard run.length > 0 else { return LongSymbol() }
    let level = books[state - runBook * 6 + 6].decode(window &<< UInt64(run.length))
    guard level.length > 0 else { return LongSymbol() }
    let length = run.length + level.length + 1
    let sign = Int(truncatingIfNeeded: (window &<< UInt64(length - 1)) &>> 63)
    let next = Self.state(
      run: Int(bookAfter[min(run.value, 15)]), level: Int(bookAfter[16 + min(level.value, 8)]))
    return LongSymbol(
      length: Int32(length), advance: Int32(run.value + 1), level: Int32((level.value + 1) ^ -sign) + Int32(sign),
      state: Int32(next))
  }
}
