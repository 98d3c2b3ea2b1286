/// The samples of one resolution that have to be scattered, row by row from left to right.
///
/// A row's samples start at a multiple of `block`, and each block knows its largest radius, so that a reader skips what
/// does not reach it.
struct SampleRows {
  static let block = 32

  /// Where a sample is (its centre's column, 0 is the first pixel's) and what it is.
  struct Place: BitwiseCopyable {
    var x: Float
    var key: DepthKey
  }

  let width: Int
  let height: Int
  /// First sample of each row, and one past the last row's block.
  let starts: UnsafeMutablePointer<Int>
  let counts: UnsafeMutablePointer<Int>
  /// The largest radius index of each row.
  let rowReach: UnsafeMutablePointer<UInt32>
  /// The largest radius index of each block that has samples.
  let blockReach: UnsafeMutablePointer<UInt32>
  /// A bit for each bin of each block that has samples.
  let blockBins: UnsafeMutablePointer<UInt32>
  /// Premultiplied linear light and weight, divided by the disc's area.
  let colors: UnsafeMutablePointer<SIMD4<Float>>
  let places: UnsafeMutablePointer<Place>
  /// How many samples of a block from each one on are alike and lie side by side; at least 1.
  let runs: UnsafeMutablePointer<UInt8>
  /// The largest radius index of all.
  let reach: UInt32
  /// What their discs look like.
  let shape: DiscShape?
}

/// Memory for the samples of one resolution.
final class SampleStorage {
  private let starts = Storage<Int>()
  private let counts = Storage<Int>()
  private let rowReach = Storage<UInt32>()
  private let blockReach = Storage<UInt32>()
  private let blockBins = Storage<UInt32>()
  private let colors = Storage<SIMD4<Float>>()
  private let places = Storage<SampleRows.Place>()
  private let runs = Storage<UInt8>()

  var byteCount: Int {
    starts.byteCount + counts.byteCount + rowReach.byteCount + blockReach.byteCount + blockBins.byteCount
      + colors.byteCount + places.byteCount + runs.byteCount
  }

  /// Makes room for as many samples in each row as `capacity` says at most, and writes them with `write`.
  func build(
    width: Int, height: Int, shape: DiscShape?, workers: Workers,
    capacity: (_ y: Int) -> Int, write: (_ y: Int, _ sink: inout SampleSink) -> Void
  ) -> SampleRows {
    let counts = counts.reserve(height)
    workers.rows(height) { _, rows in
      for y in rows { counts[y] = capacity(y) }
    }
    let starts = starts.reserve(height + 1)
    starts[0] = 0
    for y in 0..<height {
      let blocks = (counts[y] &+ SampleRows.block &- 1) / SampleRows.block
      starts[y &+ 1] = starts[y] &+ blocks &* SampleRows.block
    }
    let total = starts[height]
    let rowReach = rowReach.reserve(height)
    let blockReach = blockReach.reserve(total / SampleRows.block)
    let blockBins = blockBins.reserve(total / SampleRows.block)
    let colors = colors.reserve(total)
    let places = places.reserve(total)
    let runs = runs.reserve(total)
    workers.rows(height) { _, rows in
      for y in rows {
        let start = starts[y]
        var sink = SampleSink(
          colors: colors + start, places: places + start, runs: runs + start,
          blockReach: blockReach + start / SampleRows.block, blockBins: blockBins + start / SampleRows.block,
          capacity: counts[y], row: y, shape: shape, rim: shape?.rim(width, height))
        write(y, &sink)
        rowReach[y] = sink.finish()
        counts[y] = sink.count
      }
    }
    var reach: UInt32 = 0
    for y in 0..<height { reach = max(reach, rowReach[y]) }
    return SampleRows(
      width: width, height: height, starts: starts, counts: counts, rowReach: rowReach, blockReach: blockReach,
      blockBins: blockBins, colors: colors, places: places, runs: runs, reach: reach, shape: shape)
  }
}

/// Takes one row's samples.
struct SampleSink {
  let colors: UnsafeMutablePointer<SIMD4<Float>>
  let places: UnsafeMutablePointer<SampleRows.Place>
  let runs: UnsafeMutablePointer<UInt8>
  let blockReach: UnsafeMutablePointer<UInt32>
  let blockBins: UnsafeMutablePointer<UInt32>
  let capacity: Int
  private(set) var count = 0
  private let inverseAreas = DiscTable.shared.inverseAreas
  private let row: Int
  private let shape: DiscShape?
  private let rim: LensRim?

  init(
    colors: UnsafeMutablePointer<SIMD4<Float>>, places: UnsafeMutablePointer<SampleRows.Place>,
    runs: UnsafeMutablePointer<UInt8>, blockReach: UnsafeMutablePointer<UInt32>,
    blockBins: UnsafeMutablePointer<UInt32>, capacity: Int, row: Int, shape: DiscShape?, rim: LensRim?
  ) {
    self.colors = colors
    self.places = places
    self.runs = runs
    self.blockReach = blockReach
    self.blockBins = blockBins
    self.capacity = capacity
    self.row = row
    self.shape = shape
    self.rim = rim
  }

  /// Adds a sample; `color` is premultiplied by the weight in its last component.
  @inline(__always)
  mutating func add(x: Float, key: DepthKey, color: SIMD4<Float>) {
    // Room is for what a frame's keys let expect; what is more, at the border of a preview, nobody would miss.
    guard count < capacity else { return }
    colors[count] = color * inverseArea(x, key)
    places[count] = SampleRows.Place(x: x, key: key)
    count &+= 1
  }

  @inline(__always)
  private func inverseArea(_ x: Float, _ key: DepthKey) -> Float {
    guard let shape, let rim else { return inverseAreas[Int(truncatingIfNeeded: key.index)] }
    return 1 / shape.area(x: x, y: Float(row), key, rim)
  }

  /// Adds a sample that is the `position`th of `width`, and its mirror images beyond the frame's borders that reach back
  /// in: what lies there is not known, and looks most likely like what lies here.
  @inline(__always)
  mutating func add(position: Int, width: Int, key: DepthKey, color: SIMD4<Float>) {
    let reach = shape.reach(key.index)
    guard reach <= position, reach < width &- position else {
      return addMirrored(position, width, reach, key, color)
    }
    add(x: Float(position), key: key, color: color)
  }

  @inline(never)
  private mutating func addMirrored(
    _ position: Int, _ width: Int, _ reach: Int, _ key: DepthKey, _ color: SIMD4<Float>
  ) {
    if reach > position { add(x: Float(-1 &- position), key: key, color: color) }
    add(x: Float(position), key: key, color: color)
    if reach >= width &- position { add(x: Float(2 &* width &- 1 &- position), key: key, color: color) }
  }

  /// How many samples the one at `position` becomes.
  static func count(position: Int, width: Int, key: DepthKey, shape: DiscShape?) -> Int {
    let reach = shape.reach(key.index)
    return 1 &+ (reach > position ? 1 : 0) &+ (reach >= width &- position ? 1 : 0)
  }

  /// Notes each block's largest radius, its bins and its runs, and returns the row's largest radius.
  func finish() -> UInt32 {
    var all: UInt32 = 0
    for first in stride(from: 0, to: count, by: SampleRows.block) {
      var (largest, bins): (UInt32, UInt32) = (0, 0)
      var (next, run) = (SampleRows.Place(x: .infinity, key: DepthKey(index: 0, bin: 0)), UInt8(0))
      for i in stride(from: min(first &+ SampleRows.block, count) &- 1, through: first, by: -1) {
        let place = places[i]
        largest = max(largest, place.key.index)
        bins |= 1 &<< place.key.bin
        // Where a lens's rim cuts them off no two discs are alike.
        run = rim == nil && place.key == next.key && place.x + 1 == next.x ? run &+ 1 : 1
        runs[i] = run
        next = place
      }
      blockReach[first / SampleRows.block] = largest
      blockBins[first / SampleRows.block] = bins
      all = max(all, largest)
    }
    return all
  }
}
