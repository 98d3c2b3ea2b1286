/// A slice's samples between transform and picture: planes in the nearest cache, and where they belong.
struct DecodedSlice {
  /// Samples from one row of a plane to the next.
  static let pitch = 128
  static let planeCount = 4
  static let planeSampleCount = pitch * 16

  let luma: UnsafeMutablePointer<UInt16>
  let chromaBlue: UnsafeMutablePointer<UInt16>
  let chromaRed: UnsafeMutablePointer<UInt16>
  /// 16 bits, whatever the others have, in rows of `alphaPitch`: those that were coded, without a gap.
  let alpha: UnsafeMutablePointer<UInt16>
  var alphaPitch = pitch
  /// Place and size of the visible part, in pixels of the picture that is made; rows are those of the frame.
  var x = 0
  var width = 0
  var firstRow = 0
  var rowStep = 1
  var rows = 0
  var isChromaHalved = false

  init(_ memory: UnsafeMutablePointer<UInt16>) {
    luma = memory
    chromaBlue = memory + Self.planeSampleCount
    chromaRed = memory + 2 * Self.planeSampleCount
    alpha = memory + 3 * Self.planeSampleCount
  }
}

extension DecodedSlice {
  func write(to destination: ProResDestination) {
    switch destination.layout {
    case .planar(let depth): writePlanes(to: destination, depth: depth)
    }
  }

  /// The first byte of row `row` of the slice in a plane, whose samples take `bytes` bytes a pixel.
  @inline(__always)
  func row(_ row: Int, of plane: ProResDestination.Plane) -> UnsafeMutableRawPointer {
    plane.base + (firstRow + row * rowStep) * plane.bytesPerRow
  }

  private func writePlanes(to destination: ProResDestination, depth: Int) {
    let chromaX = isChromaHalved ? x / 2 : x
    let chromaWidth = isChromaHalved ? (width + 1) / 2 : width
    for y in 0..<rows {
      let from = y * Self.pitch
      let planes = destination.planes
      (row(y, of: planes[0]) + x * 2).copyMemory(from: luma + from, byteCount: width * 2)
      (row(y, of: planes[1]) + chromaX * 2).copyMemory(from: chromaBlue + from, byteCount: chromaWidth * 2)
      (row(y, of: planes[2]) + chromaX * 2).copyMemory(from: chromaRed + from, byteCount: chromaWidth * 2)
      guard planes.count > 3 else { continue }
      let samples = (row(y, of: planes[3]) + x * 2).assumingMemoryBound(to: UInt16.self)
      for column in 0..<width { samples[column] = alpha[y * alphaPitch + column] &>> UInt16(16 - depth) }
    }
  }
}
