import Foundation

/// RDD 36 written down once more, bit by bit and in double precision, for sound frames only: what the decoder is held to.
struct ReferenceDecoder {
  private let bytes: [UInt8]
  /// Of the made picture.
  let width: Int
  let height: Int
  private let frame: (width: Int, height: Int)
  private let scale: Int
  let isHalved: Bool
  private let interlace: Int
  private let alphaType: Int
  private var matrices: [[UInt8]] = []
  /// Samples of Y', Cb, Cr as `(v + 256) / 512`, from 0 to 1, and alpha as codes of 16 bits.
  private(set) var planes: [[Double]]

  /// - Parameter scale: 1, 2, 4 or 8 pixels of the frame for one; the cosines are looked at in the middle of the larger ones.
  init(_ sample: [UInt8], scale: Int = 1) {
    bytes = sample
    self.scale = scale
    func number(_ place: Int) -> Int { Int(sample[place]) << 8 | Int(sample[place + 1]) }
    frame = (number(16), number(18))
    width = (frame.width + scale - 1) / scale
    height = (frame.height + scale - 1) / scale
    isHalved = sample[20] >> 6 == 2
    interlace = Int(sample[20] >> 2 & 3)
    alphaType = Int(sample[25] & 15)
    let flags = sample[27]
    var next = 28
    for flag in [2, 1] as [UInt8] {
      if flags & flag != 0 {
        matrices.append(Array(sample[next..<next + 64]))
        next += 64
      } else {
        matrices.append(matrices.last ?? [UInt8](repeating: 4, count: 64))
      }
    }
    let chroma = isHalved ? (width + 1) / 2 : width
    let lumaCount = width * height
    let chromaCount = chroma * height
    let counts = [lumaCount, chromaCount, chromaCount] + (alphaType > 0 ? [lumaCount] : [])
    planes = counts.map { [Double](repeating: -1, count: $0) }
    var place = 8 + number(8)
    for picture in 0..<(interlace == 0 ? 1 : 2) {
      let bottom = interlace == 0 ? nil : (interlace == 1) == (picture == 1)
      place = decodePicture(at: place, isBottom: bottom)
    }
  }

  private func number(_ place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }

  /// Decodes a picture; returns where the next one begins.
  private mutating func decodePicture(at place: Int, isBottom: Bool?) -> Int {
    let size = number(place + 1) << 16 | number(place + 3)
    let log2Width = Int(bytes[place + 7] >> 4)
    var table = place + Int(bytes[place] >> 3)
    let columns = (frame.width + 15) / 16
    let macroblockRows = isBottom == nil ? (frame.height + 15) / 16 : (frame.height + 31) / 32
    var slices: [(row: Int, column: Int, width: Int)] = []
    for row in 0..<macroblockRows {
      var column = 0
      var step = 1 << log2Width
      while column < columns {
        while columns - column < step { step /= 2 }
        slices.append((row, column, step))
        column += step
      }
    }
    var data = table + 2 * slices.count
    for slice in slices {
      let size = number(table)
      table += 2
      decodeSlice(Array(bytes[data..<data + size]), slice, isBottom)
      data += size
    }
    return place + size
  }

  private mutating func decodeSlice(
    _ data: [UInt8], _ slice: (row: Int, column: Int, width: Int), _ isBottom: Bool?
  ) {
    func number(_ place: Int) -> Int { Int(data[place]) << 8 | Int(data[place + 1]) }
    var start = Int(data[0] >> 3)
    let index = Int(data[1])
    let quantiser = index > 128 ? (index - 96) * 4 : index
    let (luma, blue) = (number(2), number(4))
    let red = alphaType > 0 ? number(6) : data.count - start - luma - blue
    for (plane, size) in [luma, blue, red].enumerated() {
      let perMacroblock = plane == 0 || !isHalved ? 4 : 2
      let blocks = perMacroblock * slice.width
      let levels = Self.levels(Bits(data[start..<start + size]), blocks)
      start += size
      for block in 0..<blocks {
        let samples = transform(levels[block], matrices[min(plane, 1)], quantiser)
        let across = plane == 0 ? block / 4 * 16 + block % 2 * 8 : block / 2 * 8
        let down = plane == 0 ? block / 2 % 2 * 8 : block % 2 * 8
        let x = (slice.column * (plane > 0 && isHalved ? 8 : 16) + across) / scale
        let y = (slice.row * 16 + down) / scale
        let side = 8 / scale
        for (place, sample) in samples.enumerated() {
          put(sample, plane, x + place % side, y + place / side, isBottom)
        }
      }
    }
    guard alphaType > 0 else { return }
    let alpha = Self.alpha(Bits(data[start...]), slice.width * 256, bits: alphaType * 8)
    // Means of squares.
    let pitch = slice.width * 16
    for y in 0..<16 / scale {
      for x in 0..<pitch / scale {
        var sum = 0.0
        for place in 0..<scale * scale { sum += alpha[(y * scale + place / scale) * pitch + x * scale + place % scale] }
        let mean = (sum / Double(scale * scale) + 0.5).rounded(.down)
        put(mean, 3, slice.column * 16 / scale + x, slice.row * 16 / scale + y, isBottom)
      }
    }
  }

  private mutating func put(_ sample: Double, _ plane: Int, _ x: Int, _ y: Int, _ isBottom: Bool?) {
    let pitch = plane == 1 || plane == 2 ? (isHalved ? (width + 1) / 2 : width) : width
    let row = isBottom == nil ? y : y * 2 + (isBottom! ? 1 : 0)
    guard x < pitch, row < height else { return }
    planes[plane][row * pitch + x] = sample
  }

  private func transform(_ levels: [Int], _ matrix: [UInt8], _ quantiser: Int) -> [Double] {
    let scan = interlace == 0 ? Self.progressiveScan : Self.interlacedScan
    var coefficients = [Double](repeating: 0, count: 64)
    for (index, level) in levels.enumerated() {
      coefficients[scan[index]] = Double(level * Int(matrix[scan[index]]) * quantiser) / 8
    }
    // Across, then down, with the frequencies that the made samples can show.
    let side = 8 / scale
    var halfway = [Double](repeating: 0, count: 64)
    for v in 0..<side {
      for x in 0..<side {
        for u in 0..<side { halfway[v * 8 + x] += basis(u, x) * coefficients[v * 8 + u] }
      }
    }
    return (0..<side * side).map { place in
      var sample = 0.5
      for v in 0..<side { sample += basis(v, place / side) * halfway[v * 8 + place % side] / 512 }
      return sample
    }
  }

  /// Coefficient `k`'s share of sample `x` of a block.
  private func basis(_ k: Int, _ x: Int) -> Double {
    let angle = Double((2 * x + 1) * k * scale) * Double.pi / 16
    return (k == 0 ? 0.5.squareRoot() : 1) / 2 * cos(angle)
  }
}

// MARK: Entropy codes

/// One bit after the other; zeros after the end.
struct Bits {
  private let bytes: [UInt8]
  private(set) var place = 0

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = Array(bytes) }

  mutating func bit() -> Int {
    defer { place += 1 }
    return place < bytes.count * 8 ? Int(bytes[place / 8] >> UInt8(7 - place % 8) & 1) : 0
  }

  mutating func bits(_ count: Int) -> Int { (0..<count).reduce(0) { value, _ in value * 2 + bit() } }

  var isAtEnd: Bool {
    var rest = self
    while rest.place < bytes.count * 8 { if rest.bit() == 1 { return false } }
    return true
  }

  /// Golomb-Rice up to a prefix of `last` zeros, exponential Golomb after it.
  mutating func code(_ last: Int, _ rice: Int, _ exponential: Int) -> Int {
    var zeros = 0
    while bit() == 0, zeros < 64 { zeros += 1 }
    if zeros <= last { return zeros << rice + bits(rice) }
    let more = exponential + zeros - last - 1
    return (last + 1) << rice + (1 << more + bits(more)) - 1 << exponential
  }

  mutating func exponential(_ order: Int) -> Int { code(-1, 0, order) }
}

extension ReferenceDecoder {
  /// The levels of each block in scan order.
  private static func levels(_ given: Bits, _ blocks: Int) -> [[Int]] {
    var bits = given
    var levels = [[Int]](repeating: [Int](repeating: 0, count: 64), count: blocks)
    var code = bits.exponential(5)
    var dc = code % 2 == 0 ? code / 2 : -(code + 1) / 2
    levels[0][0] = dc
    var isNegative = false
    code = 5
    for block in 1..<blocks {
      switch code {
      case 0: code = bits.exponential(0)
      case 1, 2: code = bits.exponential(1)
      case 3, 4: code = bits.code(1, 2, 3)
      default: code = bits.exponential(3)
      }
      isNegative = code > 0 && isNegative != (code % 2 == 1)
      dc += (code + 1) / 2 * (isNegative ? -1 : 1)
      levels[block][0] = dc
    }
    var (run, level) = (4, 2)
    var position = blocks - 1
    while !bits.isAtEnd {
      run =
        switch run {
        case 0, 1: bits.code(2, 0, 1)
        case 2, 3: bits.code(1, 0, 1)
        case 4: bits.exponential(0)
        case 5...8: bits.code(1, 1, 2)
        case 9...14: bits.exponential(1)
        default: bits.exponential(2)
        }
      let more =
        switch level {
        case 1: bits.code(2, 0, 2)
        case 2: bits.code(1, 0, 1)
        case 3: bits.code(2, 0, 1)
        case 4: bits.exponential(0)
        case 5...8: bits.exponential(1)
        default: bits.exponential(2)
        }
      level = more + 1
      position += run + 1
      levels[position % blocks][position / blocks] = bits.bit() == 1 ? -level : level
    }
    return levels
  }

  private static func alpha(_ given: Bits, _ count: Int, bits depth: Int) -> [Double] {
    var bits = given
    let mask = 1 << depth - 1
    var value = mask
    var samples: [Double] = []
    while samples.count < count {
      if bits.bit() == 1 {
        value += bits.bits(depth)
      } else {
        let code = bits.bits(depth == 16 ? 7 : 4)
        value += code % 2 == 1 ? -(code + 2) / 2 : (code + 2) / 2
      }
      value &= mask
      var run = 0
      if bits.bit() == 0 {
        run = bits.bits(4)
        if run == 0 { run = bits.bits(11) }
      }
      let sample = Double(depth == 16 ? value : value * 257)
      samples += [Double](repeating: sample, count: min(run + 1, count - samples.count))
    }
    return samples
  }

  private static let progressiveScan = order(
    """
    0 1 8 9 2 3 10 11 16 17 24 25 18 19 26 27 4 5 12 20 13 6 7 14 21 28 29 22 15 23 30 31
    32 33 40 48 41 34 35 42 49 56 57 50 43 36 37 44 51 58 59 52 45 38 39 46 53 60 61 54 47 55 62 63
    """)
  private static let interlacedScan = order(
    """
    0 8 1 9 16 24 17 25 2 10 3 11 18 26 19 27 32 40 33 34 41 48 56 49 42 35 43 50 57 58 51 59
    4 12 5 6 13 20 28 21 14 7 15 22 29 36 44 37 30 23 31 38 45 52 60 53 46 39 47 54 61 62 55 63
    """)

  private static func order(_ text: String) -> [Int] { text.split { $0 == " " || $0 == "\n" }.compactMap { Int($0) } }
}
