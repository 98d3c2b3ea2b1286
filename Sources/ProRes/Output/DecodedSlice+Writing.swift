extension DecodedSlice {
  /// Writes the slice, and what the one to its left has left over, and leaves over what needs the next one.
  mutating func write(
    to destination: ProResDestination, _ stream: ProResFrameHeader.Chroma, _ matrix: ColorMatrix
  ) {
    let isAtEnd = x + width == destination.width
    let heldBack = isAtEnd ? 0 : destination.layout.pixelsHeldBack(stream, end: x + width)
    span = span.lowerBound..<max(span.lowerBound, width - heldBack)
    guard !span.isEmpty else { return }
    let chroma = destination.layout.chroma(of: stream)
    if chroma != stream { resample(to: chroma, isAtEnd: isAtEnd) }
    let planes = destination.planes
    for number in 0..<rows {
      let row = samples(number, isResampled: chroma != stream)
      switch destination.layout {
      case .planar(let depth):
        writePlanar(row, number, to: planes, isHalved: chroma == .halved, depth: depth)
      case .x422, .x444: writeBiPlanar(row, number, to: planes, isHalved: chroma == .halved, shift: 6)
      case .sv22, .sv44, .s4as:
        writeBiPlanar(row, number, to: planes, isHalved: chroma == .halved, shift: 0)
      case .y416: writeY416(row, number, to: planes)
      case .v216: writeV216(row, number, to: planes)
      case .v210: writeV210(row, number, to: planes)
      case .b64a: writeB64a(row, number, to: planes, matrix)
      case .bgra: writeBGRA(row, number, to: planes, matrix)
      case .rgbaHalf: writeRGBAHalf(row, number, to: planes, matrix)
      }
    }
  }
}
