/// Light and filled part of the aperture for each pixel of a resolution. Most blocks of a row are empty: what they hold is
/// never read.
struct BlockPlane {
  /// What a block of `BinRow.block` pixels of a row holds, as bits.
  enum Content: UInt8 {
    case nothing = 0
    case something = 1
    /// Every aperture is filled; what is left over counts as a gap.
    case all = 3
  }

  private let values: Plane<SIMD4<Float>>
  private let contents: Plane<UInt8>

  init(values: Plane<SIMD4<Float>>, contents: Plane<UInt8>) {
    self.values = values
    self.contents = contents
  }

  var width: Int { values.width }
  var height: Int { values.height }

  @inline(__always)
  func row(_ y: Int) -> UnsafeMutablePointer<SIMD4<Float>> { values.row(y) }

  /// The contents of the blocks of row `y`, as numbers.
  @inline(__always)
  func contents(_ y: Int) -> UnsafeMutablePointer<UInt8> { contents.row(y) }

  /// What fills at least this part of an aperture fills it all.
  private static let leastWhole: Float = 0.99

  /// Notes that the block of pixels `columns` of row `y` holds nothing.
  @inline(__always)
  func setEmpty(_ columns: Range<Int>, _ y: Int) { contents.row(y)[columns.lowerBound / BinRow.block] = 0 }

  /// Notes what the block of pixels `columns` of row `y` holds.
  @inline(__always)
  func note(_ columns: Range<Int>, _ y: Int) {
    let row = row(y)
    var (least, most) = (row[columns.lowerBound].w, row[columns.lowerBound].w)
    for x in columns {
      let weight = row[x].w
      least = weight < least ? weight : least
      most = weight > most ? weight : most
    }
    let content: Content =
      most < BinSums.leastWeight ? .nothing : least < BlockPlane.leastWhole ? .something : .all
    contents.row(y)[columns.lowerBound / BinRow.block] = content.rawValue
  }
}

/// Memory for a `BlockPlane`.
final class BlockStorage {
  private let values = Storage<SIMD4<Float>>()
  private let contents = Storage<UInt8>()

  var byteCount: Int { values.byteCount + contents.byteCount }

  func plane(_ width: Int, _ height: Int) -> BlockPlane {
    let blocks = (width + BinRow.block - 1) / BinRow.block
    return BlockPlane(values: values.plane(width, height), contents: contents.plane(blocks, height))
  }
}

/// One row of a plane of half the resolution, brought to the rows of the finer one a block at a time.
struct UpsampledRow {
  private let near: UnsafeMutablePointer<SIMD4<Float>>
  private let other: UnsafeMutablePointer<SIMD4<Float>>
  private let nearContents: UnsafeMutablePointer<UInt8>
  private let otherContents: UnsafeMutablePointer<UInt8>
  /// One more at each end.
  private let values: UnsafeMutablePointer<SIMD4<Float>>
  private let width: Int

  /// - Parameters:
  ///   - y: the row of the finer picture.
  ///   - values: room for a row of `plane` and two values.
  init(_ plane: BlockPlane, y: Int, values: UnsafeMutablePointer<SIMD4<Float>>) {
    let (row, next) = (y >> 1, min(max((y >> 1) &+ (y & 1 == 0 ? -1 : 1), 0), plane.height &- 1))
    (near, other) = (plane.row(row), plane.row(next))
    (nearContents, otherContents) = (plane.contents(row), plane.contents(next))
    self.values = values + 1
    width = plane.width
  }

  /// Blends the two rows around this one as far as a block of pixels needs them, and says what the block holds.
  @inline(__always)
  func enter(_ columns: Range<Int>) -> BlockPlane.Content {
    let (before, after) = (columns.lowerBound >> 1 &- 1, (columns.upperBound &+ 1) >> 1)
    let (first, last) = (max(before, 0), min(after, width &- 1))
    // As many pixels of half the resolution as a block has, and one on each side, lie in two blocks at most.
    let blocks = (first: first / BinRow.block, last: last / BinRow.block)
    let either =
      nearContents[blocks.first] | otherContents[blocks.first] | nearContents[blocks.last] | otherContents[blocks.last]
    guard either != 0 else { return .nothing }
    for block in blocks.first...blocks.last {
      let start = block &* BinRow.block
      blend(block, max(first, start)..<min(last &+ 1, start &+ BinRow.block))
    }
    if before < 0 { values[-1] = values[0] }
    if after == width { values[width] = values[width &- 1] }
    let both =
      nearContents[blocks.first] & otherContents[blocks.first] & nearContents[blocks.last] & otherContents[blocks.last]
    return both == BlockPlane.Content.all.rawValue ? .all : .something
  }

  @inline(__always)
  private func blend(_ block: Int, _ columns: Range<Int>) {
    switch (nearContents[block] == 0, otherContents[block] == 0) {
    case (false, false): for x in columns { values[x] = near[x] * 0.75 + other[x] * 0.25 }
    case (false, true): for x in columns { values[x] = near[x] * 0.75 }
    case (true, false): for x in columns { values[x] = other[x] * 0.25 }
    case (true, true): for x in columns { values[x] = .zero }
    }
  }

  /// What a block holds, nil for nothing; valid until the next one is entered.
  @inline(__always)
  func block(_ content: BlockPlane.Content) -> UpsampledBlock? {
    content == .nothing ? nil : UpsampledBlock(values: values)
  }
}

/// A block of a row, of half the resolution.
struct UpsampledBlock {
  fileprivate let values: UnsafeMutablePointer<SIMD4<Float>>

  /// The value at pixel `x` of the finer picture.
  @inline(__always)
  subscript(x: Int) -> SIMD4<Float> {
    let near = x >> 1
    return values[near] * 0.75 + values[near &- 1 &+ (x & 1) &* 2] * 0.25
  }
}

/// One row of the hidden layer, which has the picture's resolution or half of it.
struct HiddenRow {
  private let plane: BlockPlane
  private let y: Int
  private let isWhole: Bool
  private let half: UpsampledRow

  /// - Parameter size: the picture's.
  init(
    _ plane: BlockPlane, size: (width: Int, height: Int), y: Int, scratch: UnsafeMutablePointer<SIMD4<Float>>
  ) {
    self.plane = plane
    self.y = y
    // One pixel's half is one pixel.
    isWhole = plane.width == size.width && plane.height == size.height
    half = UpsampledRow(plane, y: isWhole ? 0 : y, values: scratch)
  }

  /// Calls `body` for each of a block of pixels unless nothing lies behind them; says whether anything does.
  @inline(__always)
  func forEach(_ columns: Range<Int>, _ body: (_ x: Int, _ light: SIMD4<Float>) -> Void) -> Bool {
    if isWhole {
      guard plane.contents(y)[columns.lowerBound / BinRow.block] != 0 else { return false }
      let row = plane.row(y)
      for x in columns { body(x, row[x]) }
    } else {
      guard let block = half.block(half.enter(columns)) else { return false }
      for x in columns { body(x, block[x]) }
    }
    return true
  }
}
