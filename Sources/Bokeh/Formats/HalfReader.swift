import CoreVideo

/// Loads a 4:2:0 picture of 8 or 10 bits as linear light at half resolution, where each chroma sample has one pixel.
///
/// Its colour is that of the mean luma; its brightness that of the mean light, so that small lights keep theirs.
struct HalfReader {
  private let plain: PlainReader
  /// The light of each luma code, and for each sum of four the reciprocal of four times the light of their mean.
  private let codes: UnsafePointer<Float>
  private let codeCount: Int

  /// - Parameter room: memory that is in use as long as this is.
  init(_ plain: PlainReader, tables: TransferTables, room: Storage<Float>) {
    self.plain = plain
    codeCount = 1 << plain.memory.format.bitsPerComponent
    let most = Float(codeCount - 1)
    let light = room.reserve(5 * codeCount)
    for code in 0..<codeCount { light[code] = tables.light(plain.range.luma(stored: Float(code) / most)) }
    for sum in 0..<4 * codeCount {
      let mean = 4 * tables.light(plain.range.luma(stored: Float(sum) / (4 * most)))
      light[codeCount + sum] = mean > 1e-5 ? 1 / mean : 0
    }
    codes = UnsafePointer(light)
  }

  /// Reads row `y` of half resolution.
  func read(_ y: Int, into row: UnsafeMutablePointer<SIMD4<Float>>, room: PlainRoom) {
    if plain.memory.format.sample == .uint8 {
      read(UInt8Sample.self, y, row, room)
    } else {
      read(UInt10Sample.self, y, row, room)
    }
  }

  @inline(__always)
  private func read<S: PlainSample>(
    _: S.Type, _ y: Int, _ row: UnsafeMutablePointer<SIMD4<Float>>, _ room: PlainRoom
  ) {
    let (siting, width) = (plain.siting, (plain.memory.width &+ 1) / 2)
    // From the sample to the middle of the block, the other way round than for writing.
    let across = Neighbour(siting: 1 - siting.horizontal)
    let down = Neighbour(siting: 1 - siting.vertical)
    plain.readChroma(S.self, (y, y &+ down.step), down.part, 0..<width, room)
    let (luma, last) = (plain.memory.colors[0], plain.memory.width &- 1)
    let upper = luma.row(2 &* y).assumingMemoryBound(to: S.Bits.self)
    let lower = luma.clampedRow(2 &* y &+ 1).assumingMemoryBound(to: S.Bits.self)
    let (quarter, inverses) = (plain.luma * 0.25, codes + codeCount)
    let (places, brightness) = (room.places, room.numbers)
    for x in 0..<width {
      let (left, right) = (2 &* x, min(2 &* x &+ 1, last))
      let (a, b) = (Int(truncatingIfNeeded: upper[left] &>> S.shift), Int(truncatingIfNeeded: upper[right] &>> S.shift))
      let (c, d) = (Int(truncatingIfNeeded: lower[left] &>> S.shift), Int(truncatingIfNeeded: lower[right] &>> S.shift))
      let sum = a &+ b &+ c &+ d
      let ratio = (codes[a] + codes[b] + codes[c] + codes[d]) * inverses[sum]
      brightness[x] = ratio > 0 ? ratio : 1
      let place = places[x] + (places[x &+ across.step] - places[x]) * across.part
      row[x] = place + quarter * Float(Int32(truncatingIfNeeded: sum))
    }
    plain.ramp.light(row, width)
    for x in 0..<width { row[x] *= SIMD4(brightness[x], brightness[x], brightness[x], 1) }
  }
}

/// Where half resolution's pixels and chroma samples lie apart: what is at one place is its own sample and a part of
/// the one beside it.
struct Neighbour {
  let step: Int
  let part: Float

  /// - Parameter siting: of a chroma sample that is made of half resolution's pixels, 0 at the first of two pixels; for
  ///   the way back, counted from the other end.
  init(siting: Float) {
    step = siting < 0.5 ? -1 : siting > 0.5 ? 1 : 0
    part = abs(siting - 0.5) / 2
  }
}
