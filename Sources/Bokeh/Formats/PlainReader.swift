import CoreVideo

/// Loads rows of a 4:2:0 picture of 8 or 10 bits as linear light.
///
/// What a code adds to the place of each component in the table of light is known beforehand, so that a pixel is its
/// luma added to what its chroma makes.
struct PlainReader {
  let memory: PictureMemory
  let siting: ChromaSiting
  let range: YCbCrRange
  let ramp: LightRamp
  /// Steps of the ramp for each code of luma.
  let luma: SIMD4<Float>
  private let blue: SIMD4<Float>
  private let red: SIMD4<Float>
  /// The places where all codes are 0.
  private let origin: SIMD4<Float>

  /// Returns nil for other formats.
  init?(_ memory: PictureMemory, color: ColorDescription, ramp: LightRamp) {
    guard memory.isPlain420 else { return nil }
    self.memory = memory
    self.ramp = ramp
    siting = color.siting
    range = YCbCrRange(memory.format)
    let most = Float(1 << memory.format.bitsPerComponent - 1)
    let lumaStep = LightRamp.scale / (most * range.lumaScale)
    let chromaStep = LightRamp.scale / (most * range.chromaScale)
    luma = color.matrix.rgb(1, 0, 0, alpha: 0) * lumaStep
    blue = color.matrix.rgb(0, 1, 0, alpha: 0) * chromaStep
    red = color.matrix.rgb(0, 0, 1, alpha: 0) * chromaStep
    let offset = luma * (range.lumaOffset * most) + (blue + red) * (range.chromaOffset * most)
    origin = SIMD4(repeating: LightRamp.origin) - offset
  }

  /// Reads columns of row `y`, of which the first is even.
  func read(
    _ y: Int, _ columns: Range<Int>, into row: UnsafeMutablePointer<SIMD4<Float>>, room: PlainRoom
  ) {
    if memory.format.sample == .uint8 {
      read(UInt8Sample.self, y, columns, row, room)
    } else {
      read(UInt10Sample.self, y, columns, row, room)
    }
  }

  @inline(__always)
  private func read<S: PlainSample>(
    _: S.Type, _ y: Int, _ columns: Range<Int>, _ row: UnsafeMutablePointer<SIMD4<Float>>, _ room: PlainRoom
  ) {
    let (first, part) = ChromaSiting.place(y, siting.vertical)
    let blocks = columns.lowerBound / 2..<(columns.upperBound &+ 1) / 2
    readChroma(S.self, (first, first &+ 1), part, blocks, room)
    let codes = memory.colors[0].row(y).assumingMemoryBound(to: S.Bits.self)
    let (even, odd) = (ChromaSiting.place(0, siting.horizontal), ChromaSiting.place(1, siting.horizontal))
    @inline(__always)
    func place(_ x: Int, _ chroma: (first: Int, part: Float)) -> SIMD4<Float> {
      let left = room.places + (x / 2 &+ chroma.first)
      return left[0] + (left[1] - left[0]) * chroma.part + luma * Float(codes[x] &>> S.shift)
    }
    for i in columns.lowerBound / 2..<columns.upperBound / 2 {
      row[2 &* i] = place(2 &* i, even)
      row[2 &* i &+ 1] = place(2 &* i &+ 1, odd)
    }
    if columns.upperBound & 1 == 1 { row[columns.upperBound &- 1] = place(columns.upperBound &- 1, even) }
    ramp.light(row + columns.lowerBound, columns.count)
  }

  /// Finds the places of pixels without luma, at a part of the way from one row of chroma to another: those of some
  /// blocks and of one more on each side.
  @inline(__always)
  func readChroma<S: PlainSample>(
    _: S.Type, _ rows: (first: Int, second: Int), _ part: Float, _ blocks: Range<Int>, _ room: PlainRoom
  ) {
    let (view, places, codes) = (memory.colors[1], room.places, room.numbers)
    let upper = view.clampedRow(rows.first).assumingMemoryBound(to: S.Bits.self)
    let lower = view.clampedRow(rows.second).assumingMemoryBound(to: S.Bits.self)
    let read = (blocks.lowerBound &- 1..<blocks.upperBound &+ 1).clamped(to: 0..<view.width)
    for k in 2 &* read.lowerBound..<2 &* read.upperBound {
      let (first, second) = (Float(upper[k] &>> S.shift), Float(lower[k] &>> S.shift))
      codes[k] = first + (second - first) * part
    }
    for x in read { places[x] = origin + blue * codes[2 &* x] + red * codes[2 &* x &+ 1] }
    if blocks.lowerBound == 0 { places[-1] = places[0] }
    if blocks.upperBound == view.width { places[view.width] = places[view.width &- 1] }
  }
}

/// A worker's memory for a row of chroma.
struct PlainRoom {
  /// One for each sample, and one before and behind.
  let places: UnsafeMutablePointer<SIMD4<Float>>
  /// Two for each sample.
  let numbers: UnsafeMutablePointer<Float>

  /// Values of memory for each worker.
  static func count(_ width: Int) -> Int { 3 * ((width + 1) / 2) / 2 + 3 }

  /// - Parameter memory: `count` values for each worker.
  init(_ memory: UnsafeMutablePointer<SIMD4<Float>>, _ width: Int, worker: Int) {
    let samples = (width + 1) / 2
    places = memory + worker * PlainRoom.count(width) + 1
    numbers = UnsafeMutableRawPointer(places + samples + 1).bindMemory(to: Float.self, capacity: 2 * samples)
  }
}

extension PictureMemory {
  /// Whether this is 4:2:0 in two planes, of 8 bits or of 10 in the upper ones of 16.
  var isPlain420: Bool {
    guard format.model == .yCbCr, alpha == nil, format.planes.count == 2 else { return false }
    let size = format.sample.byteCount
    return (format.sample == .uint8 || format.sample == .uint10InUpperBits)
      && format.chromaSubsampling == (2, 2) && colors[0].step == size && colors[1].step == 2 * size
      && colors[2].base == colors[1].base + size
  }
}
